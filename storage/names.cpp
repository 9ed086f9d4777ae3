// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/names.h"

namespace dgfs::storage {

Status check_name(std::string_view name, const std::string& directory_path) {
  const bool one_component = !name.empty() && name.size() <= kNameBytesMax && name != "." &&
                             name != ".." && name.find('/') == name.npos &&
                             name.find('\0') == name.npos;
  if (one_component) return ok();
  return Error(ErrorKind::kInvalidArgument, 1001, "not the name of a directory entry")
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

std::string hidden_name(std::string_view name, Bytes random, std::string_view suffix) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t added = 3 + 2 * random.size() + suffix.size();
  std::string hidden = ".";
  hidden.append(name.substr(0, kNameBytesMax - added)).push_back('.');
  for (const std::uint8_t byte : random) {
    hidden.push_back(kDigits[byte >> 4]);
    hidden.push_back(kDigits[byte & 15]);
  }
  return hidden.append(".").append(suffix);
}

std::string join_path(const std::string& directory_path, std::string_view name) {
  if (name.empty()) return directory_path;
  std::string path = directory_path;
  if (path.empty() || path.back() != '/') path += '/';
  path += name;
  return path;
}

}  // namespace dgfs::storage
