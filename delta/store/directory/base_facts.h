// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// BaseFacts: the base of a delta as its manifest knows it. The base is the image that merges have
// made of the delta's own image and its oldest layers; it lies below the stores in place of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "delta/store/directory/layer_facts.h"
#include "format/header/uuid.h"

namespace dgfs::delta {

/// The most earlier bases whose contents a base may need.
inline constexpr std::size_t kKeptBasesMax = 64;

/// A value.
struct BaseFacts {
  std::uint64_t number = 0;        ///< names its files
  format::Uuid uuid{};             ///< of the base
  StateId state{};                 ///< that it equals
  std::uint64_t end_of_image = 0;  ///< above every object number of the delta's own image
  /// Above all object numbers that the merged layers have reserved: none is given out again.
  std::uint64_t end_of_numbers = 0;
  Time sealed_at{};                 ///< when the state was sealed
  std::uint32_t pins = 0;           ///< as many users want the state to stay
  std::string name;                 ///< of the state; empty: none
  std::vector<std::uint64_t> kept;  ///< earlier bases with contents that it needs, rising

  friend bool operator==(const BaseFacts&, const BaseFacts&) = default;
};

/// "base.0003.dgfs", in the directory of the delta.
[[nodiscard]] std::string base_file_name(std::uint64_t number);

}  // namespace dgfs::delta
