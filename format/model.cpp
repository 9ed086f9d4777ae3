// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/model.h"

#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "format/coding.h"
#include "format/limits.h"
#include "format/token_model.h"
#include "format/token_parser.h"

namespace dgfs::format {
namespace {

struct FreeDictionary {
  void operator()(ZSTD_CDict* dictionary) const { ZSTD_freeCDict(dictionary); }
  void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
};

bool is_zstd_dictionary(Bytes bytes) {
  return bytes.size() >= 8 && load<std::uint32_t>(bytes, 0) == ZSTD_MAGIC_DICTIONARY;
}

}  // namespace

struct Model::Digest {
  std::uint16_t id = 0;
  ModelKind kind = ModelKind::kEmpty;
  Buffer bytes;
  std::unique_ptr<ZSTD_DDict, FreeDictionary> decompression;
  std::unique_ptr<const TokenModel> tokens;
  std::once_flag trie_made;
  std::unique_ptr<const TokenTrie> trie;
  std::mutex mutex;                                                        ///< guards `compression`
  std::map<int, std::unique_ptr<ZSTD_CDict, FreeDictionary>> compression;  ///< by level
};

Model::Model(std::unique_ptr<Digest> digest) : digest_(std::move(digest)) {}
Model::~Model() = default;

std::shared_ptr<const Model> Model::empty() {
  return std::shared_ptr<const Model>(new Model(std::make_unique<Digest>()));
}

Result<std::shared_ptr<const Model>> Model::make(std::uint16_t id, ModelKind kind, Bytes bytes) {
  auto digest = std::make_unique<Digest>();
  digest->id = id;
  digest->kind = kind;
  digest->bytes.assign(bytes.begin(), bytes.end());
  switch (kind) {
    case ModelKind::kEmpty:
      if (id == 0 && bytes.empty()) break;
      return Error(ErrorKind::kCorrupt, 2120, "an empty model must have id 0 and no bytes");
    case ModelKind::kZstdDictionary:
      if (id == 0) return Error(ErrorKind::kCorrupt, 2121, "model id 0 is for the empty model");
      if (bytes.size() > kModelBytesMax || !is_zstd_dictionary(bytes)) {  // F-222, F-223
        return Error(ErrorKind::kCorrupt, 2122, "model is not a zstd dictionary");
      }
      digest->decompression.reset(ZSTD_createDDict(bytes.data(), bytes.size()));
      if (digest->decompression != nullptr) break;  // F-223
      return Error(ErrorKind::kCorrupt, 2123, "model is a damaged zstd dictionary");
    case ModelKind::kTokens: {
      if (id == 0 || bytes.size() > kModelBytesMax) {  // F-220, F-222
        return Error(ErrorKind::kCorrupt, 2125, "token model has an impossible id or length");
      }
      DGFS_TRY(tokens, TokenModel::decode(bytes));
      digest->tokens = std::move(tokens);
      break;
    }
    default:  // F-221
      return Error(ErrorKind::kUnsupported, 2124, "model is of an unknown kind");
  }
  return std::shared_ptr<const Model>(new Model(std::move(digest)));
}

Result<std::shared_ptr<const Model>> Model::train(std::uint16_t id,
                                                  const std::vector<Buffer>& samples,
                                                  std::size_t capacity_bytes) {
  Buffer joined;
  std::vector<std::size_t> lengths;
  lengths.reserve(samples.size());
  for (const auto& sample : samples) {
    joined.insert(joined.end(), sample.begin(), sample.end());
    lengths.push_back(sample.size());
  }
  Buffer dictionary(std::min(capacity_bytes, kModelBytesMax));
  const auto bytes = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), joined.data(),
                                           lengths.data(), static_cast<unsigned>(lengths.size()));
  if (ZDICT_isError(bytes)) return empty();
  dictionary.resize(bytes);
  return make(id, ModelKind::kZstdDictionary, dictionary);
}

std::uint16_t Model::id() const { return digest_->id; }
ModelKind Model::kind() const { return digest_->kind; }
Bytes Model::bytes() const { return digest_->bytes; }

std::size_t Model::memory_bytes() const {
  std::size_t total = sizeof(Digest) + digest_->bytes.size();
  if (digest_->tokens) total += digest_->tokens->memory_bytes();
  if (digest_->decompression) total += ZSTD_sizeof_DDict(digest_->decompression.get());
  const std::lock_guard lock(digest_->mutex);
  for (const auto& [level, dictionary] : digest_->compression) {
    total += ZSTD_sizeof_CDict(dictionary.get());
  }
  return total;
}

const void* Model::zstd_decompression_dictionary() const { return digest_->decompression.get(); }

const TokenModel* Model::tokens() const { return digest_->tokens.get(); }

const TokenTrie& Model::token_trie() const {
  std::call_once(digest_->trie_made, [this] {
    std::vector<std::string_view> texts;
    for (auto i = kByteTokens; i < tokens()->token_count(); ++i) {
      texts.push_back(tokens()->token(i));
    }
    digest_->trie = std::make_unique<const TokenTrie>(texts);
  });
  return *digest_->trie;
}

const void* Model::zstd_compression_dictionary(int level) const {
  if (digest_->kind != ModelKind::kZstdDictionary) return nullptr;
  const std::lock_guard lock(digest_->mutex);
  auto& dictionary = digest_->compression[level];
  if (dictionary == nullptr) {
    dictionary.reset(ZSTD_createCDict(digest_->bytes.data(), digest_->bytes.size(), level));
  }
  return dictionary.get();
}

}  // namespace dgfs::format
