// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/find/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "format/entry/mode.h"
#include "tools/paths/node_facts.h"
#include "tools/text/mode_text.h"
#include "tools/text/quoting.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

// A time is recent if it lies in the last six months of 30 days, or in the coming hour.
constexpr std::int64_t kRecentSeconds = 6 * 30 * 24 * 3600;
constexpr std::int64_t kComingSeconds = 3600;
constexpr std::size_t kNumberInPlaceOfTimeColumns = 12;

/// As -ls of GNU find prints names: anything but printable ASCII is escaped.
std::string listed_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c > ' ' && c < '\x7f') {
      out += c;
    } else if (c == '\a' || c == '\v') {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));  // as GNU find does
    } else {
      out += escaped_byte(c);
    }
  }
  return out;
}

std::string time_text(const Time& time, const Time& now) {
  const std::time_t seconds = time.seconds;
  std::tm parts{};
  if (::localtime_r(&seconds, &parts) == nullptr) {
    return fmt::format("{:>{}}", time.seconds, kNumberInPlaceOfTimeColumns);
  }
  const bool recent =
      now.seconds - kRecentSeconds <= time.seconds && time.seconds <= now.seconds + kComingSeconds;
  return format_time(time, recent ? "%b %e %H:%M" : "%b %e  %Y");
}

class Lister {
 public:
  Lister(FindRun& run, const Time& now) : run_(run), now_(now), widths_(run.list_widths) {}

  void print(const FindItem& item) {
    const reader::Node& node = item.node;
    std::string line = right(node.inode, widths_.inode) + " ";
    line += right((allocated_bytes(node) + 1023) / 1024, widths_.blocks);
    line += fmt::format(" {} {:3} ", mode_text(node.mode), node.link_count);
    line += owner(node.uid) + group(node.gid) + size(node) + " ";
    line += time_text(node.mtime, now_) + " " + listed_name(item.path);
    if (format::is_symlink(node.mode)) {
      const Result<std::string> target = run_.image.read_link(node);
      if (!target) run_.complain(item.path, target.error());
      if (target) line += " -> " + listed_name(target.value());
    }
    run_.session.print(line + "\n");
  }

 private:
  static std::string right(std::uint64_t number, std::size_t& width) {
    std::string text = fmt::format("{:{}}", number, width);
    width = text.size();
    return text;
  }

  static std::string left(const std::string& text, std::size_t& width) {
    const std::size_t columns = display_width(text);
    width = std::max(width, columns);
    return text + std::string(width - columns + 1, ' ');
  }

  std::string owner(std::uint32_t uid) {
    const auto& name = run_.users.user(uid);
    if (name) return left(*name, widths_.owner);
    // Like find: the space after a number counts to the column, but numbers do not widen it.
    std::string text = fmt::format("{:<8} ", uid);
    widths_.owner = std::max(widths_.owner, text.size());
    return text;
  }

  std::string group(std::uint32_t gid) { return left(run_.users.group_text(gid), widths_.group); }

  std::string size(const reader::Node& node) {
    if (!format::is_device(node.mode)) return right(node.size_bytes, widths_.size);
    const std::string major = right(device_major(node.rdev), widths_.major);
    return major + ", " + right(device_minor(node.rdev), widths_.minor);
  }

  FindRun& run_;
  const Time& now_;
  ListWidths& widths_;
};

}  // namespace

FindTest list_action(FindRun& run) {
  return [&run, now = run.session.env().now()](const FindItem& item) {
    Lister(run, now).print(item);
    return true;
  };
}

}  // namespace dgfs::tools
