// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ZstdDictionary: a dictionary for compression and decompression by zstd, digested once for any
// number of threads.
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
  /// Null if `bytes` are not a zstd dictionary, or are a damaged one (F-223, F-231).
  static std::unique_ptr<const ZstdDictionary> make(Bytes bytes);
  /// Trains a dictionary of at most `capacity_bytes` on samples (deterministic) and returns its
  /// bytes; nullopt if the samples are too few.
  static std::optional<Buffer> train(const std::vector<Buffer>& samples,
                                     std::size_t capacity_bytes);
  ~ZstdDictionary();
  ZstdDictionary(const ZstdDictionary&) = delete;
  ZstdDictionary& operator=(const ZstdDictionary&) = delete;

  [[nodiscard]] Bytes bytes() const;
  /// Its own number, by which frames name it.
  [[nodiscard]] std::uint32_t id() const;
  /// About 2.3 times bytes(), and several times bytes() more for each level of compression used.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// @{
  /// zstd's ZSTD_DDict and ZSTD_CDict. The latter is made at the first use of a level; it is null
  /// if memory is short.
  [[nodiscard]] const void* decompression() const;
  [[nodiscard]] const void* compression(int level) const;
  /// @}

 private:
  struct Digest;
  explicit ZstdDictionary(std::unique_ptr<Digest> digest);
  std::unique_ptr<Digest> digest_;
};

}  // namespace dgfs::format
