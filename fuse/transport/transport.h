// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Transport: how requests get from the kernel to the process that serves a mount.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dgfs::fuse {

enum class Transport : std::uint8_t {
  kAuto,     ///< io_uring if the kernel offers it and has no known fault in it, else kClassic
  kRing,     ///< io_uring if the kernel offers it, else kClassic
  kClassic,  ///< read(2) and writev(2) of /dev/fuse
};

/// "auto", "uring", "classic".
[[nodiscard]] std::optional<Transport> parse_transport(std::string_view text);

/// Whether a kernel's FUSE over io_uring has no known fault that stops a mount: true for 6.18 from
/// 6.18.39 on, and for 7.1.4 and later.
/// @param release  as uname(2) reports it ("6.18.44-amd64")
[[nodiscard]] bool has_sound_ring(std::string_view release);

}  // namespace dgfs::fuse
