// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Spool: bytes that are written once, front to back, and read later. A few bytes stay in memory;
// more go to a file without a name. So a small build makes no temporary file, and a large build
// holds only a buffer in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/env.h"

namespace dgfs::builder {

/// Directory for the files of spools, and memory of each spool.
struct SpoolPlace {
  storage::Env* env = nullptr;  ///< never null
  std::string directory_path;
  std::size_t buffer_bytes = std::size_t{1} << 20;
};

/// One thread writes. After writing has ended, const calls are thread-safe.
class Spool {
 public:
  explicit Spool(SpoolPlace place) : place_(std::move(place)) {}

  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status append(Bytes bytes);
  /// Replaces written bytes.
  [[nodiscard]] Status patch(std::uint64_t offset_bytes, Bytes bytes);
  [[nodiscard]] std::uint64_t size_bytes() const { return filed_bytes_ + tail_.size(); }
  /// Fills `out` with the bytes from `offset_bytes` on, which must have been written. Errors: kIo,
  /// kCorrupt.
  [[nodiscard]] Status read(std::uint64_t offset_bytes, MutableBytes out) const;

 private:
  [[nodiscard]] Status spill();

  SpoolPlace place_;
  std::unique_ptr<storage::File> file_;  ///< null until the first spill
  std::uint64_t filed_bytes_ = 0;
  Buffer tail_;  ///< bytes from filed_bytes_ on
};

/// Reads a part of a spool front to back through a buffer. The spool must outlive it and must not
/// be written meanwhile.
class SpoolCursor {
 public:
  /// @param begin, end  offsets in bytes; end <= spool.size_bytes()
  SpoolCursor(const Spool& spool, std::uint64_t begin, std::uint64_t end,
              std::size_t buffer_bytes = std::size_t{1} << 18);

  [[nodiscard]] std::uint64_t offset_bytes() const { return next_offset_ - (filled_ - at_); }
  [[nodiscard]] std::uint64_t remaining_bytes() const { return end_ - offset_bytes(); }
  [[nodiscard]] bool at_end() const { return remaining_bytes() == 0; }
  /// The next `count` bytes; valid until the next call. Errors: kCorrupt if fewer are left; those
  /// of Spool::read().
  [[nodiscard]] Result<Bytes> take(std::size_t count);
  /// The last `again` bytes of the previous take(), together with the next `count` bytes.
  [[nodiscard]] Result<Bytes> take_again(std::size_t again, std::size_t count);

 private:
  [[nodiscard]] Status refill(std::size_t wanted);

  const Spool* spool_;
  std::uint64_t end_;
  std::uint64_t next_offset_;  ///< offset in the spool of the next bytes to buffer
  std::size_t buffer_bytes_;
  Buffer buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace dgfs::builder
