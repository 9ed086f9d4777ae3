// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Errors of the format layer count offsets from the start of the piece that was decoded. These
// functions convert them to offsets in the file with that piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

namespace dgfs::reader {

/// `error` with `base_bytes` added to its offset (0 if it has none), and with file and section set
/// if it lacks them.
[[nodiscard]] Error placed(const Error& error, std::string_view file, std::string_view section,
                           std::uint64_t base_bytes);

/// `error` with `prefix` before its text, at the same place.
[[nodiscard]] Error prefixed(std::string_view prefix, const Error& error);

/// placed() for the error of a failed result; a success passes unchanged.
template <class T>
[[nodiscard]] Result<T> placed_result(Result<T> result, std::string_view file,
                                      std::string_view section, std::uint64_t base_bytes) {
  if (!result) return placed(result.assume_error(), file, section, base_bytes);
  return result;
}

/// The error of a failed read of a file. Errors of storage count offsets from the file's beginning
/// already, so `offset_bytes` is set only if there is none.
[[nodiscard]] Error read_error(const Error& error, std::string_view file, std::string_view section,
                               std::uint64_t offset_bytes);
[[nodiscard]] Status read_result(Status status, std::string_view file, std::string_view section,
                                 std::uint64_t offset_bytes);

/// `error` with the number of names that are lost with the damaged piece.
[[nodiscard]] Error losing_names(const Error& error, std::uint64_t count);
/// `error` with a note that the attributes of the entry at `path` are lost.
[[nodiscard]] Error losing_attributes(const Error& error, std::string_view path);

}  // namespace dgfs::reader
