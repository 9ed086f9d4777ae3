// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads a part of a value that a patch changes.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/extent/value_slice.h"
#include "delta/store/message/message.h"

namespace dgfs::delta {

/// Length of the value. @param put  a message of kPut
[[nodiscard]] std::uint64_t length_of_value(const Message& put);

/// Reads part of a value, or less where the value ends. Of large values it reads only the parts
/// that hold the bytes. A value without a patch is shared, not copied.
/// @param put           a message of kPut
/// @param begin_bytes   of the first byte; at or behind the end the result is empty
/// @param length_bytes  wanted
/// Errors: those of LargeValue::load.
[[nodiscard]] Result<ValueSlice> part_of_value(const Message& put, std::uint64_t begin_bytes,
                                               std::uint64_t length_bytes,
                                               const ExtentVolume& volume);

/// Applies a patch to a part of a value; the part does not get longer. Of large pieces it reads
/// only the parts that lie there.
/// @param begin_bytes  of the part in the value; each changed field lies inside it or outside
/// @param bytes        content of older levels there; zeros behind the end of their value
/// Errors: those of LargeValue::load; the content of `bytes` is undefined then.
[[nodiscard]] Status apply_part(const Patch& patch, std::uint64_t begin_bytes, MutableBytes bytes,
                                const ExtentVolume& volume);

}  // namespace dgfs::delta
