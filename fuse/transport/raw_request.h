// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RawRequest: a request as the kernel has sent it. libfuse hides some of it, and does not know all.
#pragma once

#include <linux/fuse.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/bytes.h"

namespace dgfs::fuse {

/// The longest write that a request may hold.
inline constexpr std::size_t kWriteBytesMax = std::size_t{1} << 20;

/// Refers to bytes of a thread's buffer, which hold a whole header, until the thread takes its next
/// request. For one thread.
class RawRequest {
 public:
  explicit RawRequest(MutableBytes bytes) : bytes_(bytes) {}

  [[nodiscard]] fuse_in_header header() const {
    fuse_in_header header{};
    std::memcpy(&header, bytes_.data(), sizeof header);
    return header;
  }
  [[nodiscard]] std::uint32_t opcode() const { return header().opcode; }
  /// The fixed part behind the header; nullopt: the request is too short for one.
  template <class Body>
  [[nodiscard]] std::optional<Body> body() const {
    if (bytes_.size() < sizeof(fuse_in_header) + sizeof(Body)) return std::nullopt;
    Body body{};
    std::memcpy(&body, bytes_.data() + sizeof(fuse_in_header), sizeof body);
    return body;
  }
  /// Takes bytes out of it behind the header, so that it is as long as its header says. All of them
  /// must be there.
  void cut(std::size_t offset_bytes, std::size_t length_bytes);
  /// Makes it one of another kind whose body is the same.
  void set_opcode(std::uint32_t opcode);

  /// What a filter has found in it for its handler; 0: nothing.
  [[nodiscard]] std::uint32_t note() const { return note_; }
  void set_note(std::uint32_t note) { note_ = note; }

  [[nodiscard]] MutableBytes bytes() const { return bytes_; }

 private:
  MutableBytes bytes_;
  std::uint32_t note_ = 0;
};

/// The request that the calling thread is answering, as it came; nullptr: none. For handlers, which
/// libfuse gives only a part of it.
[[nodiscard]] const RawRequest* current_request();

/// Makes a request the current one of the calling thread, until it ends.
class CurrentRequest {
 public:
  explicit CurrentRequest(const RawRequest& request);
  ~CurrentRequest();
  CurrentRequest(const CurrentRequest&) = delete;
  CurrentRequest& operator=(const CurrentRequest&) = delete;
};

}  // namespace dgfs::fuse
