// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/names.h"

namespace dgfs::storage {

Status check_name(std::string_view name, const std::string& directory_path) {
  const bool one_component = !name.empty() && name.size() <= kNameBytesMax && name != "." &&
                             name != ".." && name.find('/') == name.npos &&
                             name.find('\0') == name.npos;
  if (one_component) return ok();
  return Error(ErrorKind::kInvalidArgument, 1001,
               name.empty() ? "'' is not the name of a directory entry"
                            : "not the name of a directory entry")
      .in_file(join_path(directory_path, name));
}

Status check_name_or_self(std::string_view name, const std::string& directory_path) {
  if (name.empty()) return ok();
  return check_name(name, directory_path);
}

Status check_no_nul(std::string_view text, std::string_view what, const std::string& path) {
  if (text.find('\0') == text.npos) return ok();
  return Error(ErrorKind::kInvalidArgument, 1002, std::string(what) + " contains a NUL byte")
      .in_file(path);
}

Status check_time(const Time& time, const std::string& path) {
  if (time.nanoseconds < 1'000'000'000) return ok();
  return Error(ErrorKind::kInvalidArgument, 1049, "a time with a second or more of nanoseconds")
      .in_file(path);
}

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// How many bytes hiding adds to a name.
constexpr std::size_t hidden_bytes(std::size_t digits, std::size_t suffix) {
  return 3 + digits + suffix;
}

}  // namespace

std::string hidden_name(std::string_view name, Bytes random, std::string_view suffix) {
  const std::size_t added = hidden_bytes(2 * random.size(), suffix.size());
  std::string hidden = ".";
  hidden.append(name.substr(0, kNameBytesMax - added)).push_back('.');
  for (const std::uint8_t byte : random) {
    hidden.push_back(kDigits[byte >> 4]);
    hidden.push_back(kDigits[byte & 15]);
  }
  return hidden.append(".").append(suffix);
}

bool is_hidden_name_of(std::string_view hidden, std::string_view name, std::string_view suffix) {
  if (hidden.size() > kNameBytesMax) return false;
  const auto suffix_dot = hidden.rfind('.');
  if (suffix_dot == hidden.npos || suffix_dot == 0 || hidden.front() != '.') return false;
  const auto digits_dot = hidden.rfind('.', suffix_dot - 1);
  if (digits_dot == hidden.npos || digits_dot == 0) return false;
  const auto digits = hidden.substr(digits_dot + 1, suffix_dot - digits_dot - 1);
  if (hidden.substr(suffix_dot + 1) != suffix) return false;
  if (digits.empty() || digits.find_first_not_of(kDigits) != digits.npos) return false;
  return hidden.substr(1, digits_dot - 1) ==
         name.substr(0, kNameBytesMax - hidden_bytes(digits.size(), suffix.size()));
}

std::string join_path(const std::string& directory_path, std::string_view name) {
  if (name.empty()) return directory_path;
  std::string path = directory_path;
  if (!path.empty() && path.back() != '/') path += '/';
  path += name;
  return path;
}

}  // namespace dgfs::storage
