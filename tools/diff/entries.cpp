// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/diff/entries.h"

#include <fmt/format.h>

#include <utility>

#include "base/json.h"
#include "format/entry/mode.h"
#include "tools/diff/contents.h"
#include "tools/text/mode_text.h"
#include "tools/text/quoting.h"
#include "tools/text/time_text.h"

namespace dgfs::tools {
namespace {

constexpr std::size_t kValueBytesShown = 40;

std::string permissions_text(std::uint32_t mode) {
  return fmt::format("{:04o}", mode & format::kPermissionMask);
}

std::string device_text(std::uint64_t rdev) {
  return fmt::format("{}:{}", device_major(rdev), device_minor(rdev));
}

std::string value_text(const Buffer& value) {
  auto text = shell_quoted(as_text(value).substr(0, kValueBytesShown), {.always = true});
  return value.size() > kValueBytesShown ? text + "..." : text;
}

// The comparison of two entries.
class EntryComparison {
 public:
  EntryComparison(DiffTree& first_tree, const DiffEntry& first, DiffTree& second_tree,
                  const DiffEntry& second, const std::string& path, const DiffIgnore& ignore)
      : first_tree_(first_tree),
        first_(first),
        second_tree_(second_tree),
        second_(second),
        path_(path),
        ignore_(ignore) {}

  Result<std::vector<Difference>> run(const std::atomic<bool>& stop) {
    if (format::type_of(first_.mode) != format::type_of(second_.mode)) {
      note("type", std::string(type_word(first_.mode)), std::string(type_word(second_.mode)));
      return std::move(found_);
    }
    compare_attributes();
    if (format::is_symlink(first_.mode)) {
      DGFS_CHECK(compare_targets());
    }
    if (!ignore_.xattrs) {
      DGFS_CHECK(compare_xattrs());
    }
    if (format::is_regular(first_.mode)) {
      DGFS_CHECK(compare_contents(stop));
    }
    return std::move(found_);
  }

 private:
  /// Adds a difference whose texts are the same for people and programs.
  void note(std::string what, const std::string& first, const std::string& second) {
    found_.push_back({std::move(what), first, second, json_string(first), json_string(second)});
  }
  void note_number(std::string what, std::uint64_t first, std::uint64_t second) {
    const std::string a = std::to_string(first);
    const std::string b = std::to_string(second);
    found_.push_back({std::move(what), a, b, a, b});
  }
  /// @param first  nullptr if the first side lacks the attribute
  void note_xattr(const std::string& name, const Xattr* first, const Xattr* second) {
    const auto text = [](const Xattr* xattr) {
      return xattr == nullptr ? "none" : value_text(xattr->value);
    };
    const auto json = [](const Xattr* xattr) {
      return xattr == nullptr ? "null" : json_string(as_text(xattr->value));
    };
    found_.push_back({"xattr " + name, text(first), text(second), json(first), json(second)});
  }

  void compare_attributes() {
    const bool is_link = format::is_symlink(first_.mode);
    if (!ignore_.mode && !is_link && (first_.mode ^ second_.mode) != 0) {
      note("mode", permissions_text(first_.mode), permissions_text(second_.mode));
    }
    if (!ignore_.owner && first_.uid != second_.uid) {
      note_number("uid", first_.uid, second_.uid);
    }
    if (!ignore_.owner && first_.gid != second_.gid) {
      note_number("gid", first_.gid, second_.gid);
    }
    if (!ignore_.times && first_.mtime != second_.mtime) {
      note("mtime", utc_time(first_.mtime), utc_time(second_.mtime));
    }
    if (format::is_device(first_.mode) && first_.rdev != second_.rdev) {
      note("device", device_text(first_.rdev), device_text(second_.rdev));
    }
  }

  Status compare_targets() {
    DGFS_TRY(first, first_tree_.read_link(path_));
    DGFS_TRY(second, second_tree_.read_link(path_));
    if (first != second) {
      found_.push_back({"target", shell_quoted(first), shell_quoted(second), json_string(first),
                        json_string(second)});
    }
    return ok();
  }

  Status compare_xattrs() {
    DGFS_TRY(first, first_tree_.xattrs(path_));
    DGFS_TRY(second, second_tree_.xattrs(path_));
    auto a = first.begin();
    auto b = second.begin();
    while (a != first.end() || b != second.end()) {
      if (b == second.end() || (a != first.end() && a->name < b->name)) {
        note_xattr(a->name, &*a, nullptr);
        ++a;
      } else if (a == first.end() || b->name < a->name) {
        note_xattr(b->name, nullptr, &*b);
        ++b;
      } else {
        if (a->value != b->value) note_xattr(a->name, &*a, &*b);
        ++a;
        ++b;
      }
    }
    return ok();
  }

  Status compare_contents(const std::atomic<bool>& stop) {
    if (first_.size_bytes != second_.size_bytes) {
      note_number("size", first_.size_bytes, second_.size_bytes);
      return ok();
    }
    if (ignore_.contents || first_.size_bytes == 0) return ok();
    DGFS_TRY(first, first_tree_.open(path_));
    DGFS_TRY(second, second_tree_.open(path_));
    DGFS_TRY(difference, first_difference(*first, *second, first_.size_bytes, stop));
    if (difference) note_number("contents", *difference, *difference);
    return ok();
  }

  DiffTree& first_tree_;
  const DiffEntry& first_;
  DiffTree& second_tree_;
  const DiffEntry& second_;
  const std::string& path_;
  const DiffIgnore& ignore_;
  std::vector<Difference> found_;
};

}  // namespace

Result<std::vector<Difference>> differences_of(DiffTree& first_tree, const DiffEntry& first,
                                               DiffTree& second_tree, const DiffEntry& second,
                                               const std::string& path, const DiffIgnore& ignore,
                                               const std::atomic<bool>& stop) {
  return EntryComparison(first_tree, first, second_tree, second, path, ignore).run(stop);
}

std::string text_of(const Difference& difference) {
  if (difference.what == "contents") {
    return fmt::format("contents differ from byte {}", difference.first);
  }
  return fmt::format("{} {} -> {}", printable(difference.what), difference.first,
                     difference.second);
}

}  // namespace dgfs::tools
