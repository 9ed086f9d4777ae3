// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/model.h"

#include <algorithm>
#include <mutex>
#include <string_view>
#include <vector>

#include "format/coding.h"
#include "format/limits.h"
#include "format/token/model.h"
#include "format/token/parser.h"
#include "format/zstd/dictionary.h"

namespace dgfs::format {

struct Model::Digest {
  std::uint16_t id = 0;
  ModelKind kind = ModelKind::kEmpty;
  Buffer bytes;  ///< empty for a dictionary, which has its own
  std::unique_ptr<const ZstdDictionary> dictionary;
  std::unique_ptr<const TokenModel> tokens;
  std::once_flag trie_made;
  std::unique_ptr<const TokenTrie> trie;
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
  switch (kind) {
    case ModelKind::kEmpty:
      if (id == 0 && bytes.empty()) break;
      return Error(ErrorKind::kCorrupt, 2120, "an empty model must have id 0 and no bytes");
    case ModelKind::kZstdDictionary:
      if (id == 0) return Error(ErrorKind::kCorrupt, 2121, "model id 0 is for the empty model");
      if (bytes.size() > kModelBytesMax) {  // F-222
        return Error(ErrorKind::kCorrupt, 2122, "model is too long");
      }
      digest->dictionary = ZstdDictionary::make(bytes);
      if (digest->dictionary != nullptr) break;  // F-223
      return Error(ErrorKind::kCorrupt, 2123, "model is no sound zstd dictionary");
    case ModelKind::kTokens:
    case ModelKind::kContextTokens: {
      if (id == 0 || bytes.size() > kModelBytesMax) {  // F-220, F-222
        return Error(ErrorKind::kCorrupt, 2125, "token model has an impossible id or length");
      }
      DGFS_TRY(tokens, TokenModel::decode(bytes, kind == ModelKind::kContextTokens));
      digest->tokens = std::move(tokens);
      digest->bytes.assign(bytes.begin(), bytes.end());
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
  const auto dictionary = ZstdDictionary::train(samples, std::min(capacity_bytes, kModelBytesMax));
  if (!dictionary) return empty();
  return make(id, ModelKind::kZstdDictionary, *dictionary);
}

std::uint16_t Model::id() const { return digest_->id; }
ModelKind Model::kind() const { return digest_->kind; }
Bytes Model::bytes() const {
  return digest_->dictionary ? digest_->dictionary->bytes() : Bytes(digest_->bytes);
}

std::size_t Model::memory_bytes() const {
  std::size_t total = sizeof(Digest) + digest_->bytes.size();
  if (digest_->tokens) total += digest_->tokens->memory_bytes();
  if (digest_->dictionary) total += digest_->dictionary->memory_bytes();
  return total;
}

const void* Model::zstd_decompression_dictionary() const {
  return digest_->dictionary ? digest_->dictionary->decompression() : nullptr;
}

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
  // The dictionary keeps the tables, because nothing calls forget_compression() for a model.
  return digest_->dictionary ? digest_->dictionary->compression(level).get() : nullptr;
}

}  // namespace dgfs::format
