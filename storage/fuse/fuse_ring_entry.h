// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FuseRingEntry: one entry of a FuseRing and its memory. It takes one request at a time.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "storage/fuse/fuse_ring_abi.h"

struct fuse_out_header;

namespace dgfs::storage {

/// Anonymous memory. Pages that are never touched take none.
class AnonymousMemory {
 public:
  explicit AnonymousMemory(std::size_t size_bytes);
  ~AnonymousMemory();
  AnonymousMemory(const AnonymousMemory&) = delete;
  AnonymousMemory& operator=(const AnonymousMemory&) = delete;
  /// False if the system had no memory.
  explicit operator bool() const;
  [[nodiscard]] std::uint8_t* begin() const { return static_cast<std::uint8_t*>(begin_); }

 private:
  void* begin_;
  std::size_t size_bytes_;
};

/// For one thread. Its memory holds the kernel's header, then room for a short request, then, from
/// the beginning of a page on, the contents. There is room before the contents, because libfuse
/// wants header, body and contents side by side.
class FuseRingEntry {
 public:
  /// @param queue          number of the processor whose queue gets the entry
  /// @param payload_bytes  length of the longest contents of a request or a reply
  FuseRingEntry(unsigned queue, std::size_t payload_bytes);

  [[nodiscard]] bool has_memory() const { return static_cast<bool>(memory_); }
  [[nodiscard]] std::uint16_t queue() const { return queue_; }
  [[nodiscard]] std::uint64_t commit_id() const { return header().commit_id; }
  /// The command that is under way, or the last one.
  [[nodiscard]] std::uint32_t command() const { return command_; }
  void set_command(std::uint32_t command) { command_ = command; }
  /// Where the kernel puts requests and takes replies. For REGISTER. Valid as long as the entry.
  [[nodiscard]] const std::array<iovec, 2>& parts();

  /// The request that the kernel has put into the entry; empty if its lengths contradict each
  /// other.
  [[nodiscard]] MutableBytes take_request();
  /// See FuseRing::reply_room().
  [[nodiscard]] MutableBytes reply_room() const {
    return has_room_ ? MutableBytes(payload(), payload_bytes_) : MutableBytes();
  }
  [[nodiscard]] bool is_reply(const fuse_out_header& out) const;
  /// Whether put_reply() has stored a reply that complete_reply() has not yet sealed.
  [[nodiscard]] bool has_reply() const { return has_reply_; }
  /// Returns false if the reply is too long.
  /// @param parts  the first is only the header
  [[nodiscard]] bool put_reply(std::span<const iovec> parts);
  /// Makes a reply if there is none: the kernel waits for a reply to each request, but libfuse
  /// sends none to FORGET.
  void complete_reply();

 private:
  [[nodiscard]] FuseRingHeader& header() const {
    return *reinterpret_cast<FuseRingHeader*>(memory_.begin());
  }
  [[nodiscard]] std::uint8_t* payload() const;

  const std::uint16_t queue_;
  const std::size_t payload_bytes_;
  const AnonymousMemory memory_;
  std::array<iovec, 2> parts_{};
  std::uint64_t unique_ = 0;
  std::uint32_t opcode_ = 0;
  std::uint32_t command_ = 0;
  bool has_room_ = false;
  bool has_reply_ = false;
};

}  // namespace dgfs::storage
