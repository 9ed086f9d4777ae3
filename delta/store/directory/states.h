// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// States of a delta: how they are named, and which one a user means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/store/directory/manifest.h"
#include "delta/store/directory/state_name.h"

namespace dgfs::delta {

/// The most layers that a seal lets a delta have: each one costs every lookup some memory accesses.
inline constexpr std::size_t kLayersMax = 16;
/// 32 hexadecimal digits.
[[nodiscard]] std::string state_text(const StateId& state);
/// The ids in a text, with spaces between them. Errors: kInvalidArgument (one is not whole, or
/// there is none).
[[nodiscard]] Result<std::vector<StateId>> parse_states(std::string_view text);
/// The first digits of an id: 8, or more if others of the delta begin alike.
[[nodiscard]] std::string short_state_text(const Manifest& manifest, const StateId& state);
/// "nightly-02 (a91f03c2)", or "a91f03c2" if the state has no name. Below the first layer that of
/// the base, or "base" if there is none.
/// @param layers  up to which the state shows the stack
[[nodiscard]] std::string state_title(const Manifest& manifest, std::size_t layers);
/// A store takes in fewer batches than this between the moment when the next store is made, with
/// the number of its first batch, and the moment when it is written to.
inline constexpr std::uint64_t kBatchesUntilSwitch = std::uint64_t{1} << 32;
/// How many batches a layer with a state has. Of a joined layer about as many: the numbers of its
/// batches have a gap of nearly kBatchesUntilSwitch for each seal of a mount in it.
[[nodiscard]] std::uint64_t changes_in(const StackedStore& layer);
/// The number of sealed stores.
[[nodiscard]] std::size_t layers_of(const Manifest& manifest);

/// Finds the state that a user means: by a name, by at least four digits of an id, as "base" or
/// "newest". Returns how many stores of the stack it shows: 0 for "base" and for the state that the
/// base equals, all for "newest".
/// @param directory  of the delta, for messages
/// Errors: kNotFound (also if a merge has taken the state into a later base); kInvalidArgument
/// (several ids begin like that; the message lists them).
[[nodiscard]] Result<std::size_t> find_state(const Manifest& manifest, std::string_view text,
                                             const std::string& directory);
/// The same by time: the newest state that was sealed at that time or before.
/// Errors: kNotFound (the first layer was sealed later).
[[nodiscard]] Result<std::size_t> find_state_at(const Manifest& manifest, const Time& time,
                                                const std::string& directory);

}  // namespace dgfs::delta
