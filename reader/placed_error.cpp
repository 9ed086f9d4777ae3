// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/placed_error.h"

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

}  // namespace dgfs::reader
