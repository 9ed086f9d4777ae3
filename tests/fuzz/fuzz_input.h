// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FuzzInput: the input of a fuzz target, taken piece by piece from the front; and require(), which
// reports a broken promise as a finding.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/bytes.h"

namespace dgfs::test {

class FuzzInput {
 public:
  explicit FuzzInput(Bytes bytes) : bytes_(bytes) {}

  /// The next bytes as an integer, zeros where the input ends.
  template <class Int>
  Int take() {
    Int value = 0;
    const auto taken = std::min(bytes_.size(), sizeof value);
    if (taken > 0) std::memcpy(&value, bytes_.data(), taken);
    bytes_ = bytes_.subspan(taken);
    return value;
  }
  /// @param bytes  at most the number of bytes left
  void skip(std::size_t bytes) { bytes_ = bytes_.subspan(bytes); }
  /// Returns a separate copy, so that a sanitizer sees reads past the end.
  [[nodiscard]] Buffer rest() const { return Buffer(bytes_.begin(), bytes_.end()); }

 private:
  Bytes bytes_;
};

inline void require(bool promise) {
  if (!promise) std::abort();
}

}  // namespace dgfs::test
