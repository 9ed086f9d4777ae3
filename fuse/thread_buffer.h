// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memory of a thread for one reply.
#pragma once

#include <cstddef>

#include "base/bytes.h"

namespace dgfs::fuse {

/// Grows to the largest read that the thread has served, which the kernel bounds (1 MiB). Valid
/// until the next call on the thread.
[[nodiscard]] inline MutableBytes thread_buffer(std::size_t size_bytes) {
  thread_local Buffer buffer;
  if (buffer.size() < size_bytes) buffer.resize(size_bytes);
  return MutableBytes(buffer).first(size_bytes);
}

}  // namespace dgfs::fuse
