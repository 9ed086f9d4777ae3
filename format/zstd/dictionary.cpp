// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd/dictionary.h"

#include <zdict.h>
#include <zstd.h>

#include <map>
#include <mutex>

#include "format/coding.h"
#include "format/zstd/handle.h"

namespace dgfs::format {

struct ZstdDictionary::Digest {
  Buffer bytes;
  ZstdHandle<ZSTD_DDict> decompression;
  std::mutex mutex;                                   ///< guards `compression`
  std::map<int, ZstdHandle<ZSTD_CDict>> compression;  ///< by level
};

ZstdDictionary::ZstdDictionary(std::unique_ptr<Digest> digest) : digest_(std::move(digest)) {}
ZstdDictionary::~ZstdDictionary() = default;

std::unique_ptr<const ZstdDictionary> ZstdDictionary::make(Bytes bytes) {
  if (bytes.size() < 8 || load<std::uint32_t>(bytes, 0) != ZSTD_MAGIC_DICTIONARY) return nullptr;
  auto digest = std::make_unique<Digest>();
  digest->bytes.assign(bytes.begin(), bytes.end());
  digest->decompression.reset(ZSTD_createDDict(bytes.data(), bytes.size()));
  if (digest->decompression == nullptr) return nullptr;
  return std::unique_ptr<const ZstdDictionary>(new ZstdDictionary(std::move(digest)));
}

std::optional<Buffer> ZstdDictionary::train(const std::vector<Buffer>& samples,
                                            std::size_t capacity_bytes) {
  Buffer joined;
  std::vector<std::size_t> lengths;
  lengths.reserve(samples.size());
  for (const auto& sample : samples) {
    joined.insert(joined.end(), sample.begin(), sample.end());
    lengths.push_back(sample.size());
  }
  Buffer dictionary(capacity_bytes);
  const auto bytes = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), joined.data(),
                                           lengths.data(), static_cast<unsigned>(lengths.size()));
  if (ZDICT_isError(bytes)) return std::nullopt;
  dictionary.resize(bytes);
  return dictionary;
}

Bytes ZstdDictionary::bytes() const { return digest_->bytes; }

std::uint32_t ZstdDictionary::id() const { return load<std::uint32_t>(digest_->bytes, 4); }

std::size_t ZstdDictionary::memory_bytes() const {
  std::size_t total =
      sizeof(Digest) + digest_->bytes.size() + ZSTD_sizeof_DDict(digest_->decompression.get());
  const std::lock_guard lock(digest_->mutex);
  for (const auto& [level, dictionary] : digest_->compression) {
    total += ZSTD_sizeof_CDict(dictionary.get());
  }
  return total;
}

const void* ZstdDictionary::decompression() const { return digest_->decompression.get(); }

const void* ZstdDictionary::compression(int level) const {
  const std::lock_guard lock(digest_->mutex);
  auto& dictionary = digest_->compression[level];
  if (dictionary == nullptr) {
    dictionary.reset(ZSTD_createCDict(digest_->bytes.data(), digest_->bytes.size(), level));
  }
  return dictionary.get();
}

}  // namespace dgfs::format
