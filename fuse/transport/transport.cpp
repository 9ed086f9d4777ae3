// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/transport/transport.h"

#include <array>
#include <charconv>

namespace dgfs::fuse {

std::optional<Transport> parse_transport(std::string_view text) {
  if (text == "auto") return Transport::kAuto;
  if (text == "uring") return Transport::kRing;
  if (text == "classic") return Transport::kClassic;
  return std::nullopt;
}

bool has_sound_ring(std::string_view release) {
  using Version = std::array<unsigned, 3>;
  constexpr Version kFirst618{6, 18, 39};
  constexpr Version kFirst71{7, 1, 4};
  Version version{};
  const char* at = release.data();
  const char* const end = at + release.size();
  for (unsigned& number : version) {
    const auto [behind, failure] = std::from_chars(at, end, number);
    if (failure != std::errc{}) break;
    at = behind;
    if (at == end || *at != '.') break;
    ++at;
  }
  const bool is_618 = version[0] == 6 && version[1] == 18;
  return is_618 ? version >= kFirst618 : version >= kFirst71;
}

}  // namespace dgfs::fuse
