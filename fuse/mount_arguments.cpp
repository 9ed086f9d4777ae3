// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace dgfs::fuse {
namespace {

// Flags that libfuse hands to the kernel or acts on.
constexpr std::array<std::string_view, 15> kPassedOn = {
    "dev",         "nodev",      "suid",         "nosuid",  "exec",
    "noexec",      "async",      "sync",         "dirsync", "noatime",
    "allow_other", "allow_root", "auto_unmount", "ro",      "default_permissions",
};
// Meant for others, or true anyway.
constexpr std::array<std::string_view, 24> kWithoutEffect = {
    "rw",          "atime",         "diratime", "nodiratime", "relatime",   "norelatime",
    "strictatime", "nostrictatime", "lazytime", "nolazytime", "defaults",   "auto",
    "noauto",      "user",          "nouser",   "users",      "nousers",    "owner",
    "group",       "nofail",        "_netdev",  "iversion",   "noiversion", "silent",
};
constexpr std::array<std::string_view, 2> kPrefixesWithoutEffect = {"x-", "comment="};

// The kernel refuses less than a page; libfuse reserves 32 bits.
constexpr std::uint64_t kMaxReadBytesMin = 4096;
constexpr std::uint64_t kMaxReadBytesMax = 1u << 30;

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_without_effect(std::string_view option) {
  return contains(kWithoutEffect, option) ||
         std::any_of(kPrefixesWithoutEffect.begin(), kPrefixesWithoutEffect.end(),
                     [&](std::string_view prefix) { return option.starts_with(prefix); });
}

// libfuse splits at commas once more.
std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == ',' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

Result<std::uint64_t> parse_max_read(std::string_view text) {
  std::uint64_t bytes = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (failure != std::errc{} || end != text.data() + text.size() || bytes < kMaxReadBytesMin ||
      bytes > kMaxReadBytesMax) {
    return Error(ErrorKind::kInvalidArgument, 5010,
                 "option max_read=" + std::string(text) + ": not a number of bytes from 4096 up");
  }
  return bytes;
}

struct Parser {
  MountArguments out;
  std::string source;
  std::string subtype = "dgfs";

  Status take(std::string_view option) {
    const auto equals = option.find('=');
    const auto name = option.substr(0, equals);
    if (contains(kPassedOn, option)) {
      out.arguments.push_back("-o" + std::string(option));
      return ok();
    }
    if (option.empty() || is_without_effect(option)) return ok();
    if (equals != option.npos) return take_value(name, option.substr(equals + 1));
    return unknown(name);
  }

  Status take_value(std::string_view name, std::string_view value) {
    if (name == "max_read") {
      DGFS_TRY(bytes, parse_max_read(value));
      out.max_read_bytes = bytes;
    } else if (name == "fsname") {
      source = value;
    } else if (name == "subtype") {
      subtype = value;
    } else {
      return unknown(name);
    }
    return ok();
  }

  static Error unknown(std::string_view name) {
    return Error(ErrorKind::kInvalidArgument, 5011,
                 "option " + std::string(name) + ": unknown to this mount");
  }

  MountArguments finish() && {
    auto& arguments = out.arguments;
    arguments.insert(arguments.end(),
                     {"-oro", "-odefault_permissions", "-osubtype=" + escaped(subtype),
                      "-ofsname=" + escaped(source)});
    if (out.max_read_bytes != 0) {
      arguments.push_back("-omax_read=" + std::to_string(out.max_read_bytes));
    }
    return std::move(out);
  }
};

}  // namespace

Result<MountArguments> mount_arguments(std::span<const std::string> options,
                                       const std::string& source) {
  Parser parser;
  parser.source = source;
  for (const auto& option : options) {
    DGFS_CHECK(parser.take(option));
  }
  return std::move(parser).finish();
}

}  // namespace dgfs::fuse
