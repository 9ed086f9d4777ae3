// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Maps errors to the errno values that programs on the mount see.
#pragma once

#include "base/error.h"

namespace dgfs::fuse {

/// The subject of a request; it decides what "not found" means.
enum class Subject : std::uint8_t {
  kName,     ///< an entry was looked up: its absence is an answer (ENOENT)
  kContent,  ///< the entry exists but a part of it is missing (a volume, say): EIO
};

/// errno for a failed request. EIO for damage and for all errors without their own number.
[[nodiscard]] int error_number(const Error& error, Subject subject) noexcept;

/// Whether the image or the device is at fault, not the requesting program: such errors are logged.
[[nodiscard]] bool is_fault(const Error& error, Subject subject) noexcept;

}  // namespace dgfs::fuse
