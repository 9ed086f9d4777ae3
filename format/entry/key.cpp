// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/key.h"

#include <algorithm>

#include "format/limits.h"

namespace dgfs::format {
namespace {

constexpr char kSeparator = '\0';

Error malformed(std::uint16_t code, const char* what, std::size_t offset) {
  return Error(ErrorKind::kCorrupt, code, what).at_offset(offset);
}

/// Appends the components of `path` that are neither empty nor ".", with separators between them.
/// @return where the last component begins
Result<std::size_t> append_components(std::string_view path, std::string& key) {
  std::size_t last = 0;
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    const auto component = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (component.empty() || component == ".") continue;
    if (!is_valid_name(component)) {
      return Error(ErrorKind::kInvalidArgument, 2100,
                   component == ".." ? "path has a '..' component"
                                     : "path component is too long or has a NUL byte");
    }
    if (!key.empty()) key.push_back(kSeparator);
    last = key.size();
    key.append(component);
  }
  return last;
}

}  // namespace

bool is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > kNameBytesMax) return false;
  if (name == "." || name == "..") return false;
  return name.find('/') == name.npos && name.find(kSeparator) == name.npos;
}

Result<std::string> key_of_path(std::string_view path) {
  std::string key;
  key.reserve(path.size() + 2);
  DGFS_TRY(last, append_components(path, key));
  key.insert(last, 1, kSeparator);  // for the root, this is the whole key
  if (key.size() > kKeyBytesMax)
    return Error(ErrorKind::kLimit, 2101, "path is too long");  // F-103
  return key;
}

Status check_key(std::string_view key) {
  if (key.size() > kKeyBytesMax) return malformed(2102, "key is too long", 0);  // F-103
  std::size_t at = 0;
  while (true) {
    const auto end = key.find(kSeparator, at);
    if (end == key.npos) return malformed(2103, "key ends inside its directory part", at);
    if (end == at) break;
    if (!is_valid_name(key.substr(at, end - at))) {
      return malformed(2104, "key has an invalid directory name", at);
    }
    at = end + 1;
  }
  const auto name = key.substr(at + 1);
  if (key.size() == 1 || is_valid_name(name)) return ok();
  return malformed(2105, "key has an invalid name", at + 1);
}

Result<std::string> path_of_key(std::string_view key) {
  DGFS_CHECK(check_key(key));
  const auto name = name_of_key(key);
  std::string path(key.substr(0, key.size() - name.size() - 1));
  std::replace(path.begin(), path.end(), kSeparator, '/');
  path.append(name);
  return path;
}

std::string children_prefix(std::string_view directory_key) {
  const auto name = name_of_key(directory_key);
  if (name.empty()) return std::string(1, kSeparator);
  std::string prefix(directory_key.substr(0, directory_key.size() - name.size() - 1));
  return prefix.append(name).append(2, kSeparator);
}

std::string subtree_prefix(std::string_view directory_key) {
  auto prefix = children_prefix(directory_key);
  prefix.pop_back();
  return prefix;
}

std::string_view name_of_key(std::string_view key) {
  const auto separator = key.rfind(kSeparator);
  return separator == key.npos ? key : key.substr(separator + 1);
}

std::string link_key(std::uint64_t inode) {
  std::string key(kLinkKeyBytes, '\0');
  for (std::size_t i = 0; i < kLinkKeyBytes; ++i) key[i] = static_cast<char>(inode >> (56 - 8 * i));
  return key;
}

std::optional<std::uint64_t> inode_of_link_key(std::string_view key) {
  if (key.size() != kLinkKeyBytes) return std::nullopt;
  std::uint64_t inode = 0;
  for (const char byte : key) inode = inode << 8 | static_cast<unsigned char>(byte);
  return inode;
}

std::size_t shared_prefix_bytes(std::string_view a, std::string_view b) {
  std::size_t shared = 0;
  static_cast<void>(compare_from(a, b, shared));
  return shared;
}

int compare_from(std::string_view a, std::string_view b, std::size_t& shared) {
  const auto both = std::min(a.size(), b.size());
  while (shared < both && a[shared] == b[shared]) ++shared;
  if (shared == both) return a.size() < b.size() ? -1 : static_cast<int>(a.size() > b.size());
  return static_cast<unsigned char>(a[shared]) < static_cast<unsigned char>(b[shared]) ? -1 : 1;
}

}  // namespace dgfs::format
