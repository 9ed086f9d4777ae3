// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/error.h"

#include <fmt/format.h>

namespace dgfs {

Error&& Error::in_file(std::string_view file) && {
  if (file_.empty()) file_ = file;
  return std::move(*this);
}

Error&& Error::in_section(std::string_view section) && {
  if (section_.empty()) section_ = section;
  return std::move(*this);
}

Error&& Error::at_offset(std::uint64_t offset_bytes) && {
  if (!offset_) offset_ = offset_bytes;
  return std::move(*this);
}

Error&& Error::with_errno(int os_errno) && {
  os_errno_ = os_errno;
  return std::move(*this);
}

std::string Error::message() const {
  std::string place;
  if (!section_.empty()) place = section_;
  if (offset_) place += fmt::format("{}offset {}", place.empty() ? "" : ", ", *offset_);
  std::string out;
  if (!file_.empty()) out += file_ + ": ";
  if (!place.empty()) out += place + ": ";
  return out + text_;
}

}  // namespace dgfs
