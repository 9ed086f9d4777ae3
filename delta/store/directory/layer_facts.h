// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LayerFacts: a sealed store as its delta knows it, and the state that its seal has made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "format/section/state_id.h"

namespace dgfs::delta {

/// Names the tree that an image and layers up to one show. Random; zeros: the image alone.
using StateId = format::StateId;

[[nodiscard]] inline bool is_base(const StateId& state) {
  return std::all_of(state.begin(), state.end(), [](std::uint8_t byte) { return byte == 0; });
}

/// A value.
struct LayerFacts {
  StateId state{};                   ///< that the seal has made
  StateId parent{};                  ///< the state below
  std::uint64_t end_of_objects = 0;  ///< above every object number in the layer
  std::uint64_t last_sequence = 0;   ///< of its last batch; one below its first: it has none
  Time sealed_at{};                  ///< not before that of the layer below
  std::uint32_t pins = 0;            ///< as many users want the state to stay
  std::string name;                  ///< of the state; empty: none

  friend bool operator==(const LayerFacts&, const LayerFacts&) = default;
};

/// Whether the state stays until it is dropped.
[[nodiscard]] inline bool is_wanted(const LayerFacts& layer) {
  return !layer.name.empty() || layer.pins != 0;
}

}  // namespace dgfs::delta
