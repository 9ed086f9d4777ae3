// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// shrink(): shortens a failing sequence, so that a person can read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dgfs::test {

/// Leaves out halves, quarters and so on, and at last single elements, as long as the rest fails.
/// No element can then be left out of the result, unless the tries ran out. The cost is that of
/// `fails`, with at most two calls for each element if few elements matter.
/// @param sequence   fails
/// @param fails      must return the same for the same sequence
/// @param tries_max  calls of `fails`
template <class T>
[[nodiscard]] std::vector<T> shrink(std::vector<T> sequence,
                                    const std::function<bool(const std::vector<T>&)>& fails,
                                    std::size_t tries_max) {
  std::size_t piece = std::max<std::size_t>(sequence.size() / 2, 1);
  while (true) {
    bool is_shorter = false;
    // From the end: later elements need earlier ones.
    for (std::size_t end = sequence.size(); end > 0 && tries_max > 0; --tries_max) {
      const std::size_t begin = end - std::min(piece, end);
      auto rest = sequence;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
                 rest.begin() + static_cast<std::ptrdiff_t>(end));
      if (fails(rest)) {
        sequence = std::move(rest);
        is_shorter = true;
      }
      end = begin;
    }
    if (tries_max == 0 || (piece == 1 && !is_shorter)) return sequence;
    piece = std::max<std::size_t>(piece / 2, 1);
  }
}

}  // namespace dgfs::test
