// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A file that begins inside another one: an image behind a boot loader, in a partition of a disk
// image, or at the end of a program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/env.h"

namespace dgfs::storage {

/// An Env in which the file `path` begins at its byte `offset_bytes`, ends at its own end, and can
/// only be read. Everything else is as in `base`. Offsets in errors count from the new beginning.
/// Opening the file fails with kInvalidArgument if it has no byte at `offset_bytes`.
/// @param base  must outlive the result
[[nodiscard]] std::unique_ptr<Env> make_offset_env(Env& base, std::string path,
                                                   std::uint64_t offset_bytes);

}  // namespace dgfs::storage
