// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Bytes of a value that is changed by a patch, without the others.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/extent/value_slice.h"
#include "delta/store/message/message.h"

namespace dgfs::delta {

/// How long the value is. @param put  a message of kPut
[[nodiscard]] std::uint64_t length_of_value(const Message& put);

/// Bytes of a value from an offset on: as many as are wanted, or fewer where it ends. Of what is
/// large only the parts that have them are read. Where the value has no patch it is not copied.
/// @param put           a message of kPut
/// @param begin_bytes   of the first; at or behind the end there are none
/// @param length_bytes  how many are wanted
/// Errors: those of LargeValue::load.
[[nodiscard]] Result<ValueSlice> part_of_value(const Message& put, std::uint64_t begin_bytes,
                                               std::uint64_t length_bytes,
                                               const ExtentVolume& volume);

/// Changes a part of a value as a patch says, which lengthens it nowhere here. Of large pieces only
/// the parts that lie there are read.
/// @param begin_bytes  of the part in the value; a field's change must lie inside it, or outside
/// @param bytes        what older levels have there, or zeros behind the end of their value
/// Errors: those of LargeValue::load; `bytes` are any then.
[[nodiscard]] Status apply_part(const Patch& patch, std::uint64_t begin_bytes, MutableBytes bytes,
                                const ExtentVolume& volume);

}  // namespace dgfs::delta
