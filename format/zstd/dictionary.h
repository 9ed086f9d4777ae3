// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ZstdDictionary: what zstd compresses and decompresses with beside the data itself, digested once
// for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace dgfs::format {

/// Immutable, thread-safe.
class ZstdDictionary {
 public:
  /// Null where `bytes` are no zstd dictionary, or a damaged one (F-223, F-231).
  static std::unique_ptr<const ZstdDictionary> make(Bytes bytes);
  /// The bytes of a dictionary of at most `capacity_bytes` trained from samples (deterministic);
  /// nullopt where they are too few to train on.
  static std::optional<Buffer> train(const std::vector<Buffer>& samples,
                                     std::size_t capacity_bytes);
  ~ZstdDictionary();
  ZstdDictionary(const ZstdDictionary&) = delete;
  ZstdDictionary& operator=(const ZstdDictionary&) = delete;

  [[nodiscard]] Bytes bytes() const;
  /// The number that it says of itself, by which frames name it.
  [[nodiscard]] std::uint32_t id() const;
  /// About 2.3 times bytes(), and some times that for each level compressed with.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// @{
  /// zstd's ZSTD_DDict and ZSTD_CDict; the latter is made at the first use of a level, and null
  /// where memory lacks for it.
  [[nodiscard]] const void* decompression() const;
  [[nodiscard]] const void* compression(int level) const;
  /// @}

 private:
  struct Digest;
  explicit ZstdDictionary(std::unique_ptr<Digest> digest);
  std::unique_ptr<Digest> digest_;
};

}  // namespace dgfs::format
