// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Transport: the way of requests from the kernel to the process that serves a mount.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dgfs::fuse {

enum class Transport : std::uint8_t {
  kAuto,     ///< io_uring where the kernel offers it and is known to do it well, else kClassic
  kRing,     ///< io_uring where the kernel offers it
  kClassic,  ///< read(2) and writev(2) of /dev/fuse
};

/// "auto", "uring", "classic".
[[nodiscard]] std::optional<Transport> parse_transport(std::string_view text);

/// Whether a kernel's FUSE over io_uring has no known fault that stops a mount: 6.18.39 and later
/// ones of 6.18, 7.1.4 and later.
/// @param release  as uname(2) tells it ("6.18.44-amd64")
[[nodiscard]] bool has_sound_ring(std::string_view release);

}  // namespace dgfs::fuse
