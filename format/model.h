// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Models: what page codecs share across pages, trained at build time (for the column codec a zstd
// dictionary, for the token codec a vocabulary and prefix codes). An index may hold several
// generations; each page names its model by id. Model 0 is always there and empty.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"

namespace dgfs::format {

enum class ModelKind : std::uint8_t {
  kEmpty = 0,
  kZstdDictionary = 1,
  kTokens = 2,
  kContextTokens = 3
};

class TokenModel;
class TokenTrie;

/// A model ready for use by any number of threads. Memory: bytes().size() plus the digested
/// form (for a dictionary about three times that, for tokens see TokenModel).
class Model {
 public:
  static std::shared_ptr<const Model> empty();
  /// kCorrupt if `bytes` are not what `kind` says.
  static Result<std::shared_ptr<const Model>> make(std::uint16_t id, ModelKind kind, Bytes bytes);
  /// Trains a dictionary of at most `capacity_bytes` from sample page payloads (deterministic).
  /// Returns an empty-model pointer where the samples are too few to train on.
  static Result<std::shared_ptr<const Model>> train(std::uint16_t id,
                                                    const std::vector<Buffer>& samples,
                                                    std::size_t capacity_bytes);

  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  [[nodiscard]] std::uint16_t id() const;
  [[nodiscard]] ModelKind kind() const;
  [[nodiscard]] Bytes bytes() const;
  [[nodiscard]] std::size_t memory_bytes() const;

  /// The digested dictionaries, for the codec's use; null for the empty model. The types are
  /// zstd's ZSTD_DDict and ZSTD_CDict. The compression side is made at first use of the level.
  [[nodiscard]] const void* zstd_decompression_dictionary() const;
  [[nodiscard]] const void* zstd_compression_dictionary(int level) const;

  /// The token codec's model; null for others.
  [[nodiscard]] const TokenModel* tokens() const;
  /// What a writer finds tokens with; made at first use. Only for token models.
  [[nodiscard]] const TokenTrie& token_trie() const;

 private:
  struct Digest;
  explicit Model(std::unique_ptr<Digest> digest);
  std::unique_ptr<Digest> digest_;
};

}  // namespace dgfs::format
