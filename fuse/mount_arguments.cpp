// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/mount_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace dgfs::fuse {
namespace {

// Flags that libfuse passes to the kernel or handles itself.
constexpr std::array<std::string_view, 11> kPassedOn = {
    "nodev",       "nosuid",     "exec",
    "noexec",      "async",      "sync",
    "dirsync",     "noatime",    "default_permissions",
    "allow_other", "allow_root",
};
// Labels of SELinux, which the kernel gives to all files, or to those that have none.
constexpr std::array<std::string_view, 4> kSecurityContexts = {"context", "fscontext", "defcontext",
                                                               "rootcontext"};
// The same, but only for root: an image is only as trustworthy as its maker.
constexpr std::array<std::string_view, 2> kRootOnly = {"dev", "suid"};
// Options for other programs, or that are always in effect.
constexpr std::array<std::string_view, 23> kWithoutEffect = {
    "atime",         "diratime", "nodiratime", "relatime", "norelatime", "strictatime",
    "nostrictatime", "lazytime", "nolazytime", "defaults", "auto",       "noauto",
    "user",          "nouser",   "users",      "nousers",  "owner",      "group",
    "nofail",        "iversion", "noiversion", "silent",   "_netdev",
};
// mount(8) gives uhelper= at a remount: it takes the option from its table (UmountNote).
constexpr std::array<std::string_view, 4> kPrefixesWithoutEffect = {
    "x-", "comment=", "user=", "uhelper="};

// The kernel refuses less than a page; libfuse has 32 bits for it.
constexpr std::uint64_t kMaxReadBytesMin = 4096;
constexpr std::uint64_t kMaxReadBytesMax = 1u << 30;
// 2^32 - 1 means "no change" to the system, so it is no id.
constexpr std::uint64_t kUserIdMax = 0xFFFF'FFFE;
constexpr std::uint64_t kUmaskMax = 0777;
constexpr std::uint64_t kThreadsMax = 100'000;  // libfuse's own bound
constexpr std::uint64_t kCommitSecondsMax = 300;
constexpr std::uint64_t kSealBytesMin = std::uint64_t{1} << 20;
constexpr std::uint64_t kMergeBytesMin = std::uint64_t{1} << 20;
constexpr std::uint64_t kIdleSecondsMax = 366 * std::uint64_t{24} * 3600;
constexpr std::uint64_t kOffsetBytesMax = std::uint64_t{1} << 62;
// More than the memory of any machine.
constexpr std::uint64_t kCacheBytesMax = std::uint64_t{1} << 42;
constexpr std::uint64_t kDeltaBytesMin = std::uint64_t{32} << 20;
constexpr std::uint64_t kMemoryBytesMin = std::uint64_t{16} << 20;  // view::ViewMemory

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_without_effect(std::string_view option) {
  return contains(kWithoutEffect, option) ||
         std::any_of(kPrefixesWithoutEffect.begin(), kPrefixesWithoutEffect.end(),
                     [&](std::string_view prefix) { return option.starts_with(prefix); });
}

// Escapes commas, because libfuse splits at commas again.
std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == ',' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::optional<std::uint64_t> number_of(std::string_view text, int base) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number, base);
  if (failure != std::errc{} || rest != end) return std::nullopt;
  return number;
}

// "@SECONDS" or "@SECONDS.NANOSECONDS", with nine digits.
std::optional<Time> time_of(std::string_view text) {
  constexpr std::size_t kDigits = 9;
  if (!text.starts_with('@')) return std::nullopt;
  text.remove_prefix(1);
  const auto point = text.find('.');
  const auto seconds = number_of(text.substr(0, point), 10);
  if (!seconds || *seconds > INT64_MAX) return std::nullopt;
  Time time{static_cast<std::int64_t>(*seconds), 0};
  if (point == text.npos) return time;
  const auto fraction = text.substr(point + 1);
  const auto nanoseconds = number_of(fraction, 10);
  if (fraction.size() != kDigits || !nanoseconds) return std::nullopt;
  time.nanoseconds = static_cast<std::uint32_t>(*nanoseconds);
  return time;
}

// Parses a number with an optional unit.
std::optional<std::uint64_t> bytes_of(std::string_view text, std::uint64_t bytes_max) {
  constexpr std::string_view kUnits = "KMGT";
  const auto unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  const unsigned shift = unit == kUnits.npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  const auto number = number_of(text.substr(0, text.size() - (shift == 0 ? 0 : 1)), 10);
  if (!number || *number > bytes_max >> shift) return std::nullopt;
  return *number << shift;
}

// Parses a time with an optional unit.
std::optional<std::chrono::seconds> seconds_of(std::string_view text, std::uint64_t seconds_max) {
  constexpr std::string_view kUnits = "smh";
  constexpr std::uint64_t kSeconds[] = {1, 60, 3600};
  const auto unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  const auto factor = unit == kUnits.npos ? 1 : kSeconds[unit];
  const auto number = number_of(text.substr(0, text.size() - (unit == kUnits.npos ? 0 : 1)), 10);
  if (!number || *number > seconds_max / factor) return std::nullopt;
  return std::chrono::seconds(*number * factor);
}

Error bad_value(std::string_view name, std::string_view value, std::string_view wanted) {
  return Error(ErrorKind::kInvalidArgument, 5010,
               fmt::format("option {}={}: must be {}", name, value, wanted));
}

Error unknown(std::string_view name) {
  return Error(ErrorKind::kInvalidArgument, 5011,
               fmt::format("option {}: unknown to this mount", name));
}

struct Parser {
  MountArguments out;
  std::string source;
  std::string subtype = "dgfs";
  std::uint32_t user_id = 0;
  bool sloppy = false;
  bool is_read_write = false;  ///< the last of rw and ro was rw
  bool is_read_only = false;   ///< the last of rw and ro was ro
  bool is_sync = false;        ///< the last of sync and async was sync
  bool is_dirsync = false;
  std::string of_delta;  ///< a given option that only mounts with a delta have; empty: none

  Status take(std::string_view option) {
    if (option.empty() || is_without_effect(option)) return ok();
    if (option == "sloppy") return be_sloppy();
    if (option == "noprefetch") return leave_alone();
    if (option == "auto_unmount") return take_auto_unmount();
    if (option == "writeback" || option == "writethrough") return take_writing(option);
    if (contains(kPassedOn, option)) return pass_on(option);
    if (contains(kRootOnly, option)) {
      if (user_id == 0) return pass_on(option);
      return Error(ErrorKind::kPermission, 5014, fmt::format("option {}: only for root", option));
    }
    if (option == "rw" || option == "ro") return take_access(option);
    if (option == "remount") {
      return Error(ErrorKind::kInvalidArgument, 5013,
                   "option remount: not supported; unmount, and mount with the new options");
    }
    const auto equals = option.find('=');
    if (equals == option.npos || equals == 0) return sloppy ? Status(ok()) : unknown(option);
    return take_value(option.substr(0, equals), option.substr(equals + 1));
  }

  Status be_sloppy() {
    sloppy = true;
    return ok();
  }

  Status leave_alone() {
    out.prefetch = false;
    return ok();
  }

  Status take_auto_unmount() {
    out.unmounts_after_death = true;
    return ok();
  }

  Status take_writing(std::string_view option) {
    out.writes_back = option == "writeback";
    of_delta = option;
    return ok();
  }

  Status take_access(std::string_view option) {
    is_read_write = option == "rw";
    is_read_only = !is_read_write;
    return ok();
  }

  Status pass_on(std::string_view option) {
    if (option == "sync" || option == "async") is_sync = option == "sync";
    if (option == "dirsync") is_dirsync = true;
    if (option == "allow_root") out.allows_idmaps = false;
    out.arguments.push_back("-o" + std::string(option));
    return ok();
  }

  Status take_value(std::string_view name, std::string_view value) {
    const bool is_path = name == "index" || name == "volume" || name == "delta";
    if ((is_path || name == "fsname" || name == "subtype") && value.empty()) {
      return bad_value(name, value, is_path ? "the name of a file" : "a name");
    }
    if (name == "fsname") {
      source = value;
    } else if (name == "subtype") {
      subtype = value;
    } else if (name == "index") {
      out.index_path = value;
    } else if (name == "volume") {
      out.volume_paths.emplace_back(value);
    } else if (name == "delta") {
      out.delta_path = value;
    } else if (name == "as_of") {
      if (value.empty()) return bad_value(name, value, "a state of the delta, or a time");
      out.as_of = value;
      of_delta = name;
    } else if (name == "seal") {
      return take_seal(value);
    } else if (name == "merge") {
      return take_merge(value);
    } else if (name == "merge_rate") {
      const auto bytes = bytes_of(value, kOffsetBytesMax);
      if (!bytes || *bytes == 0) return bad_value(name, value, "bytes a second, with K, M or G");
      out.merge_rate = *bytes;
      of_delta = "merge_rate";
    } else if (name == "as_of_time") {
      out.as_of_time = time_of(value);
      if (!out.as_of_time) return bad_value(name, value, "@SECONDS");
    } else if (name == "check") {
      return take_check(value);
    } else if (contains(kSecurityContexts, name)) {
      return take_security_context(name, value);
    } else if (name == "transport") {
      const auto transport = parse_transport(value);
      if (!transport) return bad_value(name, value, "auto, uring or classic");
      out.transport = *transport;
    } else {
      return take_number(name, value);
    }
    return ok();
  }

  Status take_number(std::string_view name, std::string_view value) {
    if (name == "max_read") {
      const auto number = number_of(value, 10);
      if (!number || *number < kMaxReadBytesMin || *number > kMaxReadBytesMax) {
        return bad_value(name, value, "a number of bytes from 4096 up");
      }
      out.max_read_bytes = *number;
    } else if (name == "uid" || name == "gid") {
      const auto number = number_of(value, 10);
      if (!number || *number > kUserIdMax) return bad_value(name, value, "a numeric id");
      (name == "uid" ? out.overrides.uid : out.overrides.gid) = static_cast<std::uint32_t>(*number);
    } else if (name == "umask") {
      const auto number = number_of(value, 8);
      if (!number || *number > kUmaskMax) return bad_value(name, value, "octal, from 0 to 777");
      out.overrides.umask = static_cast<std::uint32_t>(*number);
    } else if (name == "threads") {
      const auto number = number_of(value, 10);
      if (!number || *number > kThreadsMax) return bad_value(name, value, "a number of threads");
      out.threads = static_cast<unsigned>(*number);
    } else if (name == "offset") {
      const auto bytes = bytes_of(value, kOffsetBytesMax);
      if (!bytes) return bad_value(name, value, "a number of bytes");
      out.offset_bytes = *bytes;
    } else if (name == "size") {
      const auto bytes = bytes_of(value, kOffsetBytesMax);
      if (!bytes || *bytes < kDeltaBytesMin) {
        return bad_value(name, value, "a number of bytes, from 32M up");
      }
      out.size_bytes_max = *bytes;
      of_delta = name;
    } else if (name == "commit") {
      const auto seconds = number_of(value, 10);
      if (!seconds || *seconds > kCommitSecondsMax) {
        return bad_value(name, value, "a number of seconds, up to 300");
      }
      out.commit_interval = std::chrono::seconds(*seconds);
      of_delta = name;
    } else if (name == "idle") {
      const auto seconds = seconds_of(value, kIdleSecondsMax);
      if (!seconds) return bad_value(name, value, "a time, up to a year: 90, 90s, 10m or 2h");
      out.idle = *seconds;
    } else if (name == "memory") {
      const auto bytes = bytes_of(value, kCacheBytesMax);
      if (!bytes || *bytes < kMemoryBytesMin) {
        return bad_value(name, value, "a number of bytes, from 16M up to 4T");
      }
      out.memory_bytes = static_cast<std::size_t>(*bytes);
      of_delta = name;
    } else if (name == "page_cache" || name == "frame_cache") {
      const auto bytes = bytes_of(value, kCacheBytesMax);
      if (!bytes) return bad_value(name, value, "a number of bytes, up to 4T");
      (name == "page_cache" ? out.page_cache_bytes : out.frame_cache_bytes) = *bytes;
    } else if (!sloppy) {
      return unknown(name);
    }
    return ok();
  }

  // A context may have commas, and then the kernel needs it in quotation marks.
  Status take_security_context(std::string_view name, std::string_view value) {
    const bool is_quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    const auto bare = is_quoted ? value.substr(1, value.size() - 2) : value;
    if (bare.empty() || bare.find('"') != bare.npos) {
      return bad_value(name, value, "a security context");
    }
    const bool has_commas = bare.find(',') != bare.npos;
    out.arguments.push_back(
        fmt::format("-o{}={}", name, escaped(has_commas ? fmt::format("\"{}\"", bare) : bare)));
    out.has_security_context = true;
    return ok();
  }

  // "24h" or "10G": the unit tells a time from a size.
  Status take_seal(std::string_view value) {
    constexpr const char* kMeaning = "a time (90s, 10m, 24h) or a size from 1M up (500M, 10G)";
    const char unit = value.empty() ? '\0' : value.back();
    if (unit == 's' || unit == 'm' || unit == 'h') {
      const auto seconds = seconds_of(value, kIdleSecondsMax);
      if (!seconds || *seconds == std::chrono::seconds(0)) {
        return bad_value("seal", value, kMeaning);
      }
      out.seal_interval = *seconds;
    } else {
      const bool is_size = unit == 'K' || unit == 'M' || unit == 'G' || unit == 'T';
      const auto bytes = is_size ? bytes_of(value, kOffsetBytesMax) : std::nullopt;
      if (!bytes || *bytes < kSealBytesMin) return bad_value("seal", value, kMeaning);
      out.seal_bytes = *bytes;
    }
    of_delta = "seal";
    return ok();
  }

  Status take_merge(std::string_view value) {
    of_delta = "merge";
    if (value == "off") {
      out.merge_bytes = 0;
      return ok();
    }
    const auto bytes = bytes_of(value, kOffsetBytesMax);
    if (!bytes || *bytes < kMergeBytesMin) {
      return bad_value("merge", value, "off, or a size from 1M up (500M, 10G)");
    }
    out.merge_bytes = *bytes;
    return ok();
  }

  Status take_check(std::string_view value) {
    if (value == "off") {
      out.check = Check::kOff;
    } else if (value == "data") {
      out.check = Check::kData;
    } else if (value == "all") {
      out.check = Check::kAll;
    } else {
      return bad_value("check", value, "off, data or all");
    }
    return ok();
  }

  // Each kind of mount refuses the options that only the other kind has.
  Status check_kind() const {
    if (out.delta_path) {
      const bool has_caches = out.page_cache_bytes || out.frame_cache_bytes;
      if (has_caches) return refused("page_cache, frame_cache", "with a delta, use memory=");
      const bool seals = out.seal_bytes != 0 || out.seal_interval.count() != 0;
      if (seals && (is_read_only || out.as_of)) {
        return refused("seal", "a read-only mount has nothing to seal");
      }
      if (out.merge_bytes != 0 && (is_read_only || out.as_of)) {
        return refused("merge", "a read-only mount has nothing to merge");
      }
      if (is_read_write && out.as_of) return refused("rw", "a state of the past cannot be changed");
      return ok();
    }
    if (is_read_write) {
      return refused("rw", "without a delta, a mount is read-only; leave rw out, or give delta=");
    }
    if (!of_delta.empty()) return refused(of_delta, "only with a delta");
    return ok();
  }

  static Error refused(std::string_view name, std::string_view reason) {
    return Error(ErrorKind::kInvalidArgument, 5012, fmt::format("option {}: {}", name, reason));
  }

  Result<MountArguments> finish() && {
    DGFS_CHECK(check_kind());
    out.is_read_only = !out.delta_path || is_read_only || out.as_of;
    if (is_sync || is_dirsync) out.commit_interval = {};
    auto& arguments = out.arguments;
    arguments.insert(arguments.end(), {"-odefault_permissions", "-osubtype=" + escaped(subtype),
                                       "-ofsname=" + escaped(source)});
    if (out.is_read_only) arguments.push_back("-oro");
    if (out.max_read_bytes != 0) {
      arguments.push_back("-omax_read=" + std::to_string(out.max_read_bytes));
    }
    return std::move(out);
  }
};

}  // namespace

Result<MountArguments> mount_arguments(std::span<const std::string> options,
                                       const std::string& source, std::uint32_t user_id) {
  Parser parser;
  parser.source = source;
  parser.user_id = user_id;
  for (const auto& option : options) {
    DGFS_CHECK(parser.take(option));
  }
  return std::move(parser).finish();
}

}  // namespace dgfs::fuse
