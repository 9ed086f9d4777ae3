// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/zstd/dictionary.h"

// For the trainer with parameters, and for dictionaries that lie in memory once.
#define ZDICT_STATIC_LINKING_ONLY
#define ZSTD_STATIC_LINKING_ONLY
#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "format/coding.h"
#include "format/zstd/handle.h"

namespace dgfs::format {
namespace {

constexpr std::size_t kTrainedBytesMin = 256;
// For so few samples, several lengths of segments are tried.
constexpr std::size_t kOptimizedBytesMax = std::size_t{512} << 10;

// k: length of the segments; d: length of the strings that are counted in them; 2^f counters.
// accel n counts every nth string, and makes the entropy tables of the nth part of the samples: of
// a hundred at least. These were the best on a Linux source (bench/compress).
ZDICT_fastCover_params_t content_parameters(std::size_t samples, int level) {
  ZDICT_fastCover_params_t parameters{};
  parameters.k = 200;
  parameters.d = 8;
  parameters.f = 20;
  parameters.accel = static_cast<unsigned>(std::clamp<std::size_t>(samples / 100, 1, 10));
  parameters.zParams.compressionLevel = level;
  return parameters;
}

}  // namespace

struct ZstdDictionary::Digest {
  Buffer bytes;
  ZstdHandle<ZSTD_DDict> decompression;
  std::mutex mutex;                                              ///< guards `compression`
  std::map<int, std::shared_ptr<const ZSTD_CDict>> compression;  ///< by level
};

ZstdDictionary::ZstdDictionary(std::unique_ptr<Digest> digest) : digest_(std::move(digest)) {}
ZstdDictionary::~ZstdDictionary() = default;

std::unique_ptr<const ZstdDictionary> ZstdDictionary::make(Bytes bytes) {
  if (bytes.size() < 8 || load<std::uint32_t>(bytes, 0) != ZSTD_MAGIC_DICTIONARY) return nullptr;
  auto digest = std::make_unique<Digest>();
  // A byte more than needed, because zstd compresses a content that begins where the dictionary
  // ends in another way.
  digest->bytes.reserve(bytes.size() + 1);
  digest->bytes.assign(bytes.begin(), bytes.end());
  digest->decompression.reset(
      ZSTD_createDDict_byReference(digest->bytes.data(), digest->bytes.size()));
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

Result<std::optional<Buffer>> ZstdDictionary::train_for_contents(
    Bytes joined, const std::vector<std::size_t>& lengths, std::size_t capacity_bytes, int level) {
  // zstd trains with the first three quarters of the samples, and reads behind them if they are
  // shorter than a counted string.
  const auto first = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 4 * 3);
  if (std::accumulate(lengths.begin(), first, std::size_t{0}) < kTrainedBytesMin) {
    return std::optional<Buffer>();
  }
  Buffer dictionary(capacity_bytes);
  const auto count = static_cast<unsigned>(lengths.size());
  auto parameters = content_parameters(lengths.size(), level);
  std::size_t bytes = 0;
  if (joined.size() <= kOptimizedBytesMax) {
    parameters.k = 0;
    parameters.accel = 1;
    parameters.steps = 4;
    parameters.nbThreads = 1;
    bytes = ZDICT_optimizeTrainFromBuffer_fastCover(
        dictionary.data(), dictionary.size(), joined.data(), lengths.data(), count, &parameters);
  } else {
    bytes = ZDICT_trainFromBuffer_fastCover(dictionary.data(), dictionary.size(), joined.data(),
                                            lengths.data(), count, parameters);
  }
  if (ZSTD_getErrorCode(bytes) == ZSTD_error_memory_allocation) {
    return Error(ErrorKind::kLimit, 2573, "out of memory for training a dictionary");
  }
  if (ZDICT_isError(bytes)) return std::optional<Buffer>();
  dictionary.resize(bytes);
  return std::optional(std::move(dictionary));
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

std::shared_ptr<const void> ZstdDictionary::compression(int level) const {
  const std::lock_guard lock(digest_->mutex);
  auto& dictionary = digest_->compression[level];
  if (dictionary == nullptr) {
    dictionary = ZstdHandle<ZSTD_CDict>(
        ZSTD_createCDict_byReference(digest_->bytes.data(), digest_->bytes.size(), level));
  }
  return dictionary;
}

void ZstdDictionary::forget_compression() const {
  const std::lock_guard lock(digest_->mutex);
  digest_->compression.clear();
}

}  // namespace dgfs::format
