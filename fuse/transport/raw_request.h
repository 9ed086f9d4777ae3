// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RawRequest: a request as the kernel sent it. libfuse hides parts of requests, and
// does not know all of them.
#pragma once

#include <linux/fuse.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/bytes.h"

namespace dgfs::fuse {

/// The longest write in a request.
inline constexpr std::size_t kWriteBytesMax = std::size_t{1} << 20;

/// Refers to bytes in a thread's buffer, which contain at least a whole header, until the thread
/// takes its next request. Not thread-safe.
class RawRequest {
 public:
  explicit RawRequest(MutableBytes bytes) : bytes_(bytes) {}

  [[nodiscard]] fuse_in_header header() const {
    fuse_in_header header{};
    std::memcpy(&header, bytes_.data(), sizeof header);
    return header;
  }
  [[nodiscard]] std::uint32_t opcode() const { return header().opcode; }
  /// The fixed part after the header; nullopt: the request is too short for it.
  template <class Body>
  [[nodiscard]] std::optional<Body> body() const {
    if (bytes_.size() < sizeof(fuse_in_header) + sizeof(Body)) return std::nullopt;
    Body body{};
    std::memcpy(&body, bytes_.data() + sizeof(fuse_in_header), sizeof body);
    return body;
  }
  /// Removes bytes after the header, and lowers the length in the header. All of them must exist.
  void cut(std::size_t offset_bytes, std::size_t length_bytes);
  /// Turns it into a request of another kind with the same body.
  void set_opcode(std::uint32_t opcode);

  /// A note of a filter for the handler; 0: none.
  [[nodiscard]] std::uint32_t note() const { return note_; }
  void set_note(std::uint32_t note) { note_ = note; }

  [[nodiscard]] MutableBytes bytes() const { return bytes_; }

 private:
  MutableBytes bytes_;
  std::uint32_t note_ = 0;
};

/// The request that the calling thread is answering, as it came; nullptr: none. For handlers,
/// because libfuse passes them only a part of it.
[[nodiscard]] const RawRequest* current_request();

/// Makes a request the current one of the calling thread, until the object is destroyed.
class CurrentRequest {
 public:
  explicit CurrentRequest(const RawRequest& request);
  ~CurrentRequest();
  CurrentRequest(const CurrentRequest&) = delete;
  CurrentRequest& operator=(const CurrentRequest&) = delete;
};

}  // namespace dgfs::fuse
