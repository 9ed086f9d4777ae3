// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Models: data that the pages of an index share, trained at build time (a zstd dictionary for the
// column codec, a vocabulary and prefix codes for the token codec). An index may hold several
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

/// A model ready for any number of threads. Memory: bytes().size() plus the digested form (for a
/// dictionary 27 KiB, and several times its length for each level of compression in use; for tokens
/// see TokenModel).
class Model {
 public:
  static std::shared_ptr<const Model> empty();
  /// Errors: kCorrupt if `bytes` are not of this kind, kUnsupported if the kind is unknown.
  static Result<std::shared_ptr<const Model>> make(std::uint16_t id, ModelKind kind, Bytes bytes);
  /// Trains a dictionary of at most `capacity_bytes` on sample page payloads (deterministic).
  /// Returns the empty model if the samples are too few to train on.
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

  /// The digested dictionaries, for the codec; null for models without one. The types are zstd's
  /// ZSTD_DDict and ZSTD_CDict. The first call with a level makes its compression dictionary.
  [[nodiscard]] const void* zstd_decompression_dictionary() const;
  [[nodiscard]] const void* zstd_compression_dictionary(int level) const;

  /// The token codec's model; null for others.
  [[nodiscard]] const TokenModel* tokens() const;
  /// The trie with which a writer finds tokens; made at first use. Only for token models.
  [[nodiscard]] const TokenTrie& token_trie() const;

 private:
  struct Digest;
  explicit Model(std::unique_ptr<Digest> digest);
  std::unique_ptr<Digest> digest_;
};

}  // namespace dgfs::format
