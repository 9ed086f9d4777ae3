// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Doorkeeper: remembers recently missed keys, so that a full cache admits only those that are
// missed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/mix.h"

namespace dgfs::reader {

/// A table with one tag for each call in the window. A later key with the same place overwrites the
/// tag, so most keys are remembered for about one window. Not thread-safe. Memory: 4 bytes for each
/// call in the window, allocated by the first call.
class Doorkeeper {
 public:
  /// @param window  number of calls to remember; 0: lets every key in
  explicit Doorkeeper(std::size_t window = 0) : window_(window) {}

  /// Whether the key with this hash is remembered. If it is, forgets it; else remembers it.
  [[nodiscard]] bool lets_in(std::uint64_t hash) {
    if (window_ == 0) return true;
    if (tags_.empty()) tags_.resize(window_);
    const auto bits = storage::mix(0, hash);
    auto& tag = tags_[static_cast<std::size_t>(bits % window_)];
    const auto wanted = static_cast<std::uint32_t>(bits >> 32) | 1;  // 0 marks a free place
    const bool is_known = tag == wanted;
    tag = is_known ? 0 : wanted;
    return is_known;
  }

 private:
  std::size_t window_;
  std::vector<std::uint32_t> tags_;
};

}  // namespace dgfs::reader
