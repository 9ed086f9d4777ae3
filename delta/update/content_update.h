// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Makes the content of a file in the delta that of another one, chunk by chunk: what is the same
// already is not written.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "builder/stop.h"
#include "delta/update/changes.h"
#include "delta/update/content.h"

namespace dgfs::update {

/// What a file has, and how long it is. A value.
struct SizedContent {
  const Content* content = nullptr;  ///< null: holes alone
  std::uint64_t size_bytes = 0;
};

/// For one thread, and any number of files. Memory: two megabytes.
class ContentUpdate {
 public:
  /// All must outlive it.
  ContentUpdate(Changes& changes, std::uint64_t chunk_bytes, const builder::StopFlag& stop)
      : changes_(changes), chunk_bytes_(chunk_bytes), stop_(stop) {}

  /// Returns whether anything was written. Holes of `from` become holes where `to` has other bytes
  /// than zeros.
  /// @param to    has the content `before`
  /// Errors: those of all three; kChanged (`from` ends early); kInterrupted.
  [[nodiscard]] Result<bool> copy(const SizedContent& from, const SizedContent& before,
                                  view::ObjectNumber to);

 private:
  [[nodiscard]] Status clear(const SizedContent& before, std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] Status clear_data(const SizedContent& before, std::uint64_t begin,
                                  std::uint64_t end);
  [[nodiscard]] Status copy_data(const SizedContent& from, const SizedContent& before,
                                 std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] Status write_differing(std::uint64_t begin, Bytes bytes, Bytes before);
  [[nodiscard]] std::uint64_t end_of_piece(std::uint64_t begin, std::uint64_t end) const;

  Changes& changes_;
  const std::uint64_t chunk_bytes_;
  const builder::StopFlag& stop_;
  view::ObjectNumber to_ = 0;
  bool has_written_ = false;
  Buffer bytes_;
  Buffer before_;
};

}  // namespace dgfs::update
