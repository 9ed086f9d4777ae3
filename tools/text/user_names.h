// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names of users and groups from the system's databases. Each id is looked up only once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/result.h"

namespace dgfs::tools {

/// Not thread-safe.
class UserNames {
 public:
  /// nullopt if the system knows no such user or group.
  [[nodiscard]] const std::optional<std::string>& user(std::uint32_t uid);
  [[nodiscard]] const std::optional<std::string>& group(std::uint32_t gid);
  /// The name, or the number if there is no name.
  [[nodiscard]] std::string user_text(std::uint32_t uid);
  [[nodiscard]] std::string group_text(std::uint32_t gid);

 private:
  std::unordered_map<std::uint32_t, std::optional<std::string>> users_;
  std::unordered_map<std::uint32_t, std::optional<std::string>> groups_;
};

/// Parses a name or digits. Errors: kNotFound, kInvalidArgument.
[[nodiscard]] Result<std::uint32_t> parse_user(const std::string& text);
[[nodiscard]] Result<std::uint32_t> parse_group(const std::string& text);

}  // namespace dgfs::tools
