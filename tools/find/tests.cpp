// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/find/tests.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "format/entry/mode.h"
#include "tools/paths/image_path.h"
#include "tools/text/mode_text.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

Error bad_value(std::uint16_t code, std::string text) {
  return Error(ErrorKind::kInvalidArgument, code, std::move(text));
}

/// Unit of a -size suffix in bytes, 0 for an unknown one.
std::uint64_t size_unit(char suffix) {
  switch (suffix) {
    case 'c':
      return 1;
    case 'w':
      return 2;
    case 'b':
      return 512;
    case 'k':
      return std::uint64_t{1} << 10;
    case 'M':
      return std::uint64_t{1} << 20;
    case 'G':
      return std::uint64_t{1} << 30;
    default:
      return 0;
  }
}

}  // namespace

bool Comparison::holds(std::uint64_t value) const {
  if (sign == '+') return value > number;
  return sign == '-' ? value < number : value == number;
}

Result<Comparison> parse_comparison(std::string_view text) {
  Comparison comparison;
  if (text.starts_with('+') || text.starts_with('-')) {
    comparison.sign = text[0];
    text.remove_prefix(1);
  }
  DGFS_TRY(number, parse_number(text));
  comparison.number = number;
  return comparison;
}

Result<FindTest> size_test(std::string_view text) {
  const bool has_suffix = !text.empty() && (text.back() < '0' || text.back() > '9');
  const std::uint64_t unit = size_unit(has_suffix ? text.back() : 'b');
  if (unit == 0) return bad_value(6080, fmt::format("'{}': units are c w b k M G", text));
  DGFS_TRY(wanted, parse_comparison(text.substr(0, text.size() - (has_suffix ? 1 : 0))));
  return FindTest([wanted = wanted, unit](const FindItem& item) {
    const std::uint64_t size = item.node.size_bytes;
    return wanted.holds(size / unit + (size % unit != 0 ? 1 : 0));
  });
}

Result<FindTest> age_test(std::string_view text, TimeMember member, AgeUnit unit, const Time& now) {
  const char sign = text.starts_with('+') || text.starts_with('-') ? text[0] : '=';
  const std::string digits(text.substr(sign == '=' ? 0 : 1));
  char* end = nullptr;
  const double units = std::strtod(digits.c_str(), &end);
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789.") == digits.npos;
  if (!number || *end != '\0') return bad_value(6085, fmt::format("'{}' is not a number", text));
  const double unit_seconds = unit == AgeUnit::kDays ? 86400 : 60;
  // Ages in [from, from + 1 unit) count as equal to `units`.
  const double from = (unit == AgeUnit::kDays ? units : units - 1) * unit_seconds;
  return FindTest([=](const FindItem& item) {
    const Time& time = item.node.*member;
    const double age = static_cast<double>(now.seconds - time.seconds) +
                       (static_cast<double>(now.nanoseconds) - time.nanoseconds) / 1e9;
    if (sign == '-') return age < units * unit_seconds;
    if (sign == '+') return age > from + unit_seconds;
    return age >= from && age < from + unit_seconds;
  });
}

Time end_of_day(const Time& now) {
  std::tm parts{};
  const std::time_t seconds = now.seconds;
  if (::localtime_r(&seconds, &parts) == nullptr) return now;
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  parts.tm_mday += 1;
  parts.tm_isdst = -1;
  return {::mktime(&parts), 0};
}

Result<FindTest> permission_test(std::string_view text) {
  const char how = text.empty() ? '=' : text[0];
  DGFS_TRY(mode, parse_mode(how == '-' || how == '/' ? text.substr(1) : text));
  return FindTest([mode = mode, how](const FindItem& item) {
    const std::uint32_t bits = item.node.mode & format::kPermissionMask;
    if (how == '-') return (bits & mode) == mode;
    if (how == '/') return mode == 0 || (bits & mode) != 0;
    return bits == mode;
  });
}

Result<FindTest> type_test(std::string_view text, FindRun* run) {
  std::string letters;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool comma = i % 2 == 1;
    const bool valid = comma ? text[i] == ',' && i + 1 < text.size()
                             : std::string_view("fdlpscb").find(text[i]) != text.npos;
    if (!valid) break;
    if (!comma) letters += text[i];
  }
  if (letters.empty() || letters.size() * 2 - 1 != text.size()) {
    return bad_value(6081, fmt::format("'{}': types are f d l p s c b, separated by commas", text));
  }
  return FindTest([letters, run](const FindItem& item) {
    if (run != nullptr && run->follows(item)) {
      // -type sees the target of a link then, so -xtype looks at the link.
      const Result<FoundNode> link = find_node(run->image, item.path, Follow::kNo);
      return link && letters.find(find_type_letter(link.value().node.mode)) != std::string::npos;
    }
    const char plain = find_type_letter(item.node.mode);
    char letter = run == nullptr ? plain : followed_type(*run, item);
    if (letter == 'N' || letter == 'L') letter = plain;  // a link without a target counts as a link
    return letters.find(letter) != std::string::npos;
  });
}

FindTest name_test(const std::string& pattern, WildcardCase letters) {
  return [pattern, letters](const FindItem& item) {
    const std::string name(last_component(item.path));
    return fits_wildcards(pattern, name, letters);
  };
}

FindTest path_test(const std::string& pattern, WildcardCase letters) {
  return [pattern, letters](const FindItem& item) {
    return fits_wildcards(pattern, std::string(item.path), letters);
  };
}

FindTest link_test(FindRun& run, const std::string& pattern, WildcardCase letters) {
  return [&run, pattern, letters](const FindItem& item) {
    if (!format::is_symlink(item.node.mode)) return false;
    const Result<std::string> target = run.image.read_link(item.node);
    if (!target) run.complain(item.path, target.error());
    return target && fits_wildcards(pattern, target.value(), letters);
  };
}

FindTest empty_test(FindRun& run) {
  return [&run](const FindItem& item) {
    if (format::is_regular(item.node.mode)) return item.node.size_bytes == 0;
    if (!format::is_directory(item.node.mode)) return false;
    bool any = false;
    const auto stop_at_one = [&](const reader::ListedName&) {
      any = true;
      return false;
    };
    // A lost entry still exists.
    const auto lose = [&](const reader::LostNames&) { return any = true; };
    const Status listed = run.image.list(item.node.inode, 0, stop_at_one, lose);
    if (!listed) run.complain(item.path, listed.error());
    return listed && !any;
  };
}

FindTest access_test(FindRun& run, Access wanted) {
  return [&run, wanted, caller = run.session.env().caller()](const FindItem& item) {
    if (!format::is_symlink(item.node.mode)) {
      return may_access(run.image, item.node, caller, wanted);
    }
    const Result<FoundNode> target = find_node(run.image, item.path, Follow::kYes);
    return target && may_access(run.image, target.value().node, caller, wanted);
  };
}

}  // namespace dgfs::tools
