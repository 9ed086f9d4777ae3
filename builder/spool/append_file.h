// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Appending to a file in large writes of whole blocks, as files past the page cache want them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/file.h"
#include "storage/reads/aligned_memory.h"

namespace dgfs::builder {

/// The status with its error, if any, of the file at `path`, whatever it named before; as it is if
/// `path` is empty.
[[nodiscard]] Status with_path(Status status, const std::string& path);

/// Gathers small pieces in a buffer and writes large ones straight from where they are. Positions
/// are offsets in the file. What is written begins at a block of the file and at one of memory, and
/// ends with one: the block that is not full waits for more. Nothing is certain to be in the file
/// before flush().
class AppendFile {
 public:
  /// Devices and file systems reach their full rate with writes of this size.
  static constexpr std::size_t kWriteBytes = std::size_t{4} << 20;
  static constexpr std::size_t kBlockBytes = storage::kReadQueueAlignmentBytes;

  /// A place to return to: the block that it is in, up to it.
  struct Mark {
    std::uint64_t block_offset_bytes = 0;
    Buffer head;
  };

  /// @param file   must outlive this
  /// @param begin  in whole blocks
  /// @param path   that errors of writing name: the file has none yet; empty: what it says itself
  AppendFile(storage::File& file, std::uint64_t begin, std::size_t write_bytes = kWriteBytes,
             std::string path = {})
      : file_(file), written_(begin), write_bytes_(write_bytes), path_(std::move(path)) {}

  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status append(Bytes bytes);
  /// Appends `count` bytes that stand in `memory` from `begin` on, without a copy where these are
  /// many and `begin` stands where position() does in its block. What `memory` holds afterwards is
  /// not defined.
  /// @param begin   less than 2 * kBlockBytes
  /// @param memory  of memory_bytes(count) at least
  [[nodiscard]] Status append_in_place(storage::AlignedMemory& memory, std::size_t begin,
                                       std::size_t count);
  /// For `count` bytes, wherever in the first two blocks they begin.
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t count) {
    return (count + 3 * kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  }
  /// Appends zeros up to a multiple of `alignment`.
  [[nodiscard]] Status align(std::size_t alignment);
  [[nodiscard]] Status flush();
  [[nodiscard]] std::uint64_t position() const { return written_ + filled_; }
  /// Fills `out` with what was appended at `offset_bytes`. Errors: kIo.
  [[nodiscard]] Status read(std::uint64_t offset_bytes, MutableBytes out) const;

  [[nodiscard]] Result<Mark> mark();
  /// Goes back to an earlier position: what was appended since is overwritten.
  void rewind(const Mark& mark);

 private:
  [[nodiscard]] Status write(Bytes bytes);
  [[nodiscard]] Status write_whole_blocks();
  void reserve_buffer() { buffer_.reserve(memory_bytes(write_bytes_)); }
  void keep(Bytes rest);

  storage::File& file_;
  std::uint64_t written_;  ///< in whole blocks
  std::size_t write_bytes_;
  std::string path_;
  storage::AlignedMemory buffer_;
  std::size_t filled_ = 0;  ///< of buffer_, which follows what is written
};

}  // namespace dgfs::builder
