// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/paths/typed_path.h"

#include <string_view>

#include "storage/posix/resolved_path.h"

namespace dgfs::tools {
namespace {

// "/a/b" is not the beginning of "/a/bc", nor the end of "/x/a/b".
bool ends_path(char next) { return std::string_view("/:;, )'\"").find(next) != std::string::npos; }
bool begins_path(char before) {
  return std::string_view(" ('\"").find(before) != std::string::npos;
}

void replace_path(const std::string& path, const std::string& typed, std::string& message) {
  for (std::size_t at = 0; (at = message.find(path, at)) != message.npos;) {
    const auto end = at + path.size();
    const bool is_whole = (at == 0 || begins_path(message[at - 1])) &&
                          (end == message.size() || ends_path(message[end]));
    if (is_whole) message.replace(at, path.size(), typed);
    at += is_whole ? typed.size() : path.size();
  }
}

}  // namespace

std::string with_typed_path(std::string message, const std::string& typed) {
  if (typed.empty()) return message;
  const auto replace = [&](const std::string& path) {
    if (path.size() > 1 && path != typed) replace_path(path, typed, message);
  };
  if (const auto resolved = storage::resolved_path(typed)) replace(*resolved);
  if (typed.front() == '/') return message;
  if (const auto here = storage::resolved_path(".")) {
    replace((*here == "/" ? "" : *here) + "/" + typed);
  }
  return message;
}

}  // namespace dgfs::tools
