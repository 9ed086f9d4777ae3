// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/text/user_names.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>

#include <limits>

#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

/// Callers first look for a user or group of that name, as chown(1) does.
std::optional<std::uint32_t> as_id(const std::string& text) {
  const Result<std::uint64_t> number = parse_number(text);
  // 2^32-1 means "unchanged" to chown(2), so no user has it.
  if (!number || number.value() >= std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(number.value());
}

}  // namespace

const std::optional<std::string>& UserNames::user(std::uint32_t uid) {
  const auto [place, added] = users_.try_emplace(uid);
  if (added) {
    if (const passwd* entry = ::getpwuid(uid)) place->second = entry->pw_name;
  }
  return place->second;
}

const std::optional<std::string>& UserNames::group(std::uint32_t gid) {
  const auto [place, added] = groups_.try_emplace(gid);
  if (added) {
    if (const ::group* entry = ::getgrgid(gid)) place->second = entry->gr_name;
  }
  return place->second;
}

std::string UserNames::user_text(std::uint32_t uid) {
  return user(uid).value_or(std::to_string(uid));
}

std::string UserNames::group_text(std::uint32_t gid) {
  return group(gid).value_or(std::to_string(gid));
}

Result<std::uint32_t> parse_user(const std::string& text) {
  if (const passwd* entry = ::getpwnam(text.c_str())) return entry->pw_uid;
  if (const auto id = as_id(text)) return *id;
  return Error(ErrorKind::kNotFound, 6023, fmt::format("there is no user '{}'", text));
}

Result<std::uint32_t> parse_group(const std::string& text) {
  if (const ::group* entry = ::getgrnam(text.c_str())) return entry->gr_gid;
  if (const auto id = as_id(text)) return *id;
  return Error(ErrorKind::kNotFound, 6024, fmt::format("there is no group '{}'", text));
}

}  // namespace dgfs::tools
