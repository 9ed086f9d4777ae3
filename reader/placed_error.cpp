// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/placed_error.h"

#include <fmt/format.h>

#include <string>

namespace dgfs::reader {

Error placed(const Error& error, std::string_view file, std::string_view section,
             std::uint64_t base_bytes) {
  Error moved(error.kind(), error.code(), error.text());
  return std::move(moved)
      .in_file(error.file())
      .in_file(file)
      .in_section(error.section())
      .in_section(section)
      .at_offset(base_bytes + error.offset().value_or(0))
      .with_errno(error.os_errno());
}

namespace {

Error costing(const Error& error, const std::string& loss) {
  Error costly(error.kind(), error.code(), error.text() + "; " + loss);
  if (error.offset()) costly = std::move(costly).at_offset(*error.offset());
  return std::move(costly)
      .in_file(error.file())
      .in_section(error.section())
      .with_errno(error.os_errno());
}

}  // namespace

Error losing_names(const Error& error, std::uint64_t count) {
  return costing(error,
                 fmt::format("{} {} lost with it", count, count == 1 ? "name is" : "names are"));
}

Error losing_attributes(const Error& error, std::string_view path) {
  return costing(error, fmt::format("the attributes of '{}' are lost", path));
}

Error prefixed(std::string_view prefix, const Error& error) {
  Error longer(error.kind(), error.code(), std::string(prefix) + error.text());
  auto there = std::move(longer)
                   .in_file(error.file())
                   .in_section(error.section())
                   .with_errno(error.os_errno());
  return error.offset() ? std::move(there).at_offset(*error.offset()) : std::move(there);
}

Error read_error(const Error& error, std::string_view file, std::string_view section,
                 std::uint64_t offset_bytes) {
  return placed(error, file, section, error.offset() ? 0 : offset_bytes);
}

Status read_result(Status status, std::string_view file, std::string_view section,
                   std::uint64_t offset_bytes) {
  if (!status) return read_error(status.assume_error(), file, section, offset_bytes);
  return status;
}

}  // namespace dgfs::reader
