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
#include "base/result.h"

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
  /// Like train(), for beginnings of files. For many samples, a fixed segment length gives better
  /// dictionaries, in a tenth of the time. nullopt if the samples are too few or too short. Errors:
  /// kLimit (memory).
  /// @param joined   the samples, back to back
  /// @param lengths  of the samples, in bytes
  /// @param level    of the compression to come, for which the entropy tables are made
  static Result<std::optional<Buffer>> train_for_contents(Bytes joined,
                                                          const std::vector<std::size_t>& lengths,
                                                          std::size_t capacity_bytes, int level);
  ~ZstdDictionary();
  ZstdDictionary(const ZstdDictionary&) = delete;
  ZstdDictionary& operator=(const ZstdDictionary&) = delete;

  [[nodiscard]] Bytes bytes() const;
  /// Its own number, by which frames name it.
  [[nodiscard]] std::uint32_t id() const;
  /// bytes() and 27 KiB, and several times bytes() for each level of compression in use.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// @{
  /// zstd's ZSTD_DDict and ZSTD_CDict. They refer to bytes(), so this must outlive them. The latter
  /// is made at the first use of a level; it is null if memory is short, and stays valid after
  /// forget_compression().
  [[nodiscard]] const void* decompression() const;
  [[nodiscard]] std::shared_ptr<const void> compression(int level) const;
  /// @}
  /// Frees what compression() made, except what callers hold. The next use makes it again.
  void forget_compression() const;

 private:
  struct Digest;
  explicit ZstdDictionary(std::unique_ptr<Digest> digest);
  std::unique_ptr<Digest> digest_;
};

}  // namespace dgfs::format
