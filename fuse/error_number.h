// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Errors as the numbers that programs on the mount see.
#pragma once

#include "base/error.h"

namespace dgfs::fuse {

/// What a request was about, which decides what "not found" means.
enum class Subject : std::uint8_t {
  kName,     ///< an entry was looked for: its absence is an answer (ENOENT)
  kContent,  ///< the entry is there, a part of it is not (a volume is missing): EIO
};

/// errno for a failed request. EIO for damage and for all that has no number of its own.
[[nodiscard]] int error_number(const Error& error, Subject subject) noexcept;

/// Whether the failure is the image's or the device's, not the asking program's: such are logged.
[[nodiscard]] bool is_fault(const Error& error, Subject subject) noexcept;

}  // namespace dgfs::fuse
