// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random operations on a view.
#pragma once

#include <cstdint>
#include <random>

#include "delta/view/view.h"

namespace dgfs::test {

/// Random numbers; the same seed gives the same ones.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t end) { return engine_() % end; }

 private:
  std::mt19937_64 engine_;
};

/// Changes names, attributes and ends of objects, from the root on; the view refuses many
/// operations.
void change_at_random(view::View& view, std::uint64_t seed, int operations);

}  // namespace dgfs::test
