// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// AppendFile: appends to a file in large writes of whole blocks, as files past the page cache need
// them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/file.h"
#include "storage/reads/aligned_memory.h"

namespace dgfs::builder {

/// `status`, with `path` as the file of its error; unchanged if `path` is empty.
[[nodiscard]] Status with_path(Status status, const std::string& path);

/// Gathers small pieces in a buffer, and writes large ones without a copy. Positions are offsets in
/// the file. Each write consists of whole blocks, aligned in the file and in memory; a block that
/// is not full waits for more. Only flush() guarantees that all bytes are in the file.
class AppendFile {
 public:
  /// Devices and file systems reach their full rate with writes of this size.
  static constexpr std::size_t kWriteBytes = std::size_t{4} << 20;
  static constexpr std::size_t kBlockBytes = storage::kReadQueueAlignmentBytes;

  /// A position to return to: its block, and the bytes of the block before it.
  struct Mark {
    std::uint64_t block_offset_bytes = 0;
    Buffer head;
  };

  /// @param file   must outlive this
  /// @param begin  position to begin at, in whole blocks
  /// @param path   path in errors of writing, because the file has no name yet; empty: the path of
  ///               the file itself
  AppendFile(storage::File& file, std::uint64_t begin, std::size_t write_bytes = kWriteBytes,
             std::string path = {})
      : file_(file), written_(begin), write_bytes_(write_bytes), path_(std::move(path)) {}

  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status append(Bytes bytes);
  /// Appends `count` bytes that stand in `memory` from `begin` on. Copies nothing if the bytes are
  /// many and `begin` has the same offset in a block as position(). The contents of `memory` are
  /// undefined afterwards.
  /// @param begin   less than 2 * kBlockBytes
  /// @param memory  at least memory_bytes(count)
  [[nodiscard]] Status append_in_place(storage::AlignedMemory& memory, std::size_t begin,
                                       std::size_t count);
  /// Memory for `count` bytes that begin anywhere in the first two blocks.
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t count) {
    return (count + 3 * kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  }
  /// Appends zeros up to a multiple of `alignment`.
  [[nodiscard]] Status align(std::size_t alignment);
  [[nodiscard]] Status flush();
  [[nodiscard]] std::uint64_t position() const { return written_ + filled_; }
  /// Reads appended bytes from `offset_bytes` on into `out`. Errors: kIo.
  [[nodiscard]] Status read(std::uint64_t offset_bytes, MutableBytes out) const;

  [[nodiscard]] Result<Mark> mark();
  /// Goes back to an earlier position. Later appends overwrite the bytes behind it.
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
  std::size_t filled_ = 0;  ///< bytes in buffer_, which follow the written ones
};

}  // namespace dgfs::builder
