// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Doorkeeper: remembers who knocked of late, so that a full cache takes in only those who come
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/mix.h"

namespace dgfs::reader {

/// One place for each question of the window; who shares a place with a later one is forgotten, so
/// that the memory of most is about a window long. Not thread-safe. Memory: 4 bytes a question,
/// from the first one on.
class Doorkeeper {
 public:
  /// @param window  questions that are remembered; 0: everybody is let in
  explicit Doorkeeper(std::size_t window = 0) : window_(window) {}

  /// Whether `hash` is remembered. It is forgotten then, and remembered otherwise.
  [[nodiscard]] bool lets_in(std::uint64_t hash) {
    if (window_ == 0) return true;
    if (tags_.empty()) tags_.resize(window_);
    const auto bits = storage::mix(0, hash);
    auto& tag = tags_[static_cast<std::size_t>(bits % window_)];
    const auto wanted = static_cast<std::uint32_t>(bits >> 32) | 1;  // 0: nobody
    const bool is_known = tag == wanted;
    tag = is_known ? 0 : wanted;
    return is_known;
  }

 private:
  std::size_t window_;
  std::vector<std::uint32_t> tags_;
};

}  // namespace dgfs::reader
