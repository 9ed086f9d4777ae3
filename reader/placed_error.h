// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Errors of the format layer count offsets from the start of the piece they were given; these
// move them to where the piece lies in its file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

namespace dgfs::reader {

/// `error` with its offset (0 if it has none) counted from `base_bytes`, and file and section
/// named where they are not yet.
[[nodiscard]] Error placed(const Error& error, std::string_view file, std::string_view section,
                           std::uint64_t base_bytes);

/// `error` at its place, with `prefix` before its text.
[[nodiscard]] Error prefixed(std::string_view prefix, const Error& error);

/// The same as placed() for a failed result; others pass unchanged.
template <class T>
[[nodiscard]] Result<T> placed_result(Result<T> result, std::string_view file,
                                      std::string_view section, std::uint64_t base_bytes) {
  if (!result) return placed(result.assume_error(), file, section, base_bytes);
  return result;
}

/// A failed read of a file: errors of storage have their offset counted from the file's beginning
/// already, so that it only has to be given where there is none.
[[nodiscard]] Error read_error(const Error& error, std::string_view file, std::string_view section,
                               std::uint64_t offset_bytes);
[[nodiscard]] Status read_result(Status status, std::string_view file, std::string_view section,
                                 std::uint64_t offset_bytes);

/// `error` with what it costs: so many names that stand in what it is about.
[[nodiscard]] Error losing_names(const Error& error, std::uint64_t count);
/// Likewise: the attributes of the entry at `path`.
[[nodiscard]] Error losing_attributes(const Error& error, std::string_view path);

}  // namespace dgfs::reader
