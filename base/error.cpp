// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "base/error.h"

#include <fmt/format.h>

namespace dgfs {

Error::Error(ErrorKind kind, std::uint16_t code, std::string text)
    : kind_(kind), code_(code), details_(std::make_unique<Details>()) {
  details_->text = std::move(text);
}

Error::Error(const Error& other)
    : kind_(other.kind_), code_(other.code_), os_errno_(other.os_errno_) {
  if (other.details_) details_ = std::make_unique<Details>(*other.details_);
}

Error& Error::operator=(const Error& other) {
  if (this != &other) *this = Error(other);
  return *this;
}

const Error::Details& Error::details() const noexcept {
  static const Details kNone;
  return details_ ? *details_ : kNone;
}

Error::Details& Error::own_details() {
  if (!details_) details_ = std::make_unique<Details>();
  return *details_;
}

Error&& Error::in_file(std::string_view file) && {
  if (auto& own = own_details().file; own.empty()) own = file;
  return std::move(*this);
}

Error&& Error::in_section(std::string_view section) && {
  if (auto& own = own_details().section; own.empty()) own = section;
  return std::move(*this);
}

Error&& Error::at_offset(std::uint64_t offset_bytes) && {
  if (auto& own = own_details().offset; !own) own = offset_bytes;
  return std::move(*this);
}

Error&& Error::with_errno(int os_errno) && {
  os_errno_ = os_errno;
  return std::move(*this);
}

std::string Error::message() const {
  const Details& known = details();
  std::string place = known.section;
  if (known.offset) place += fmt::format("{}offset {}", place.empty() ? "" : ", ", *known.offset);
  std::string out;
  if (!known.file.empty()) out += known.file + ": ";
  if (!place.empty()) out += place + ": ";
  return out + known.text;
}

}  // namespace dgfs
