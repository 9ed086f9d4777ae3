// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/model/operation.h"

#include <array>
#include <sstream>

#include "base/printable.h"

namespace dgfs::test {
namespace {

constexpr std::array kVerbs = {"lookup",       "create",       "create_unnamed", "make_directory",
                               "make_symlink", "link",         "unlink",         "remove_directory",
                               "rename",       "attributes",   "set_attributes", "read_link",
                               "paths",        "release",      "xattr",          "xattr_names",
                               "set_xattr",    "remove_xattr", "list",           "read",
                               "write",        "append",       "zero",           "copy"};
constexpr std::array kErrors = {
    "kIo",          "kCorrupt",      "kUnsupported",  "kInvalidArgument",
    "kNotFound",    "kExists",       "kNotDirectory", "kIsDirectory",
    "kPermission",  "kLimit",        "kNoSpace",      "kChanged",
    "kInterrupted", "kLoop",         "kBusy",         "kNotEmpty",
    "kNameTooLong", "kTooManyLinks", "kNotPermitted", "kNoAttribute",
    "kTooLarge",    "kOutOfRange",   "kFileTooLarge", "kNoData"};
static_assert(kErrors.size() == std::size_t(ErrorKind::kNoData) + 1);
static_assert(kVerbs.size() == std::size_t(Verb::kCopy) + 1);

constexpr std::size_t kTextBytesMax = 40;

// Shows long names and values by their beginning and length.
std::string shown(std::string_view text) {
  if (text.size() <= kTextBytesMax) return "'" + printable(text) + "'";
  return "'" + printable(text.substr(0, kTextBytesMax)) + "'... of " + std::to_string(text.size());
}

void show_change(std::ostream& out, const view::AttributeChange& change) {
  if (change.permissions) out << " permissions 0" << std::oct << *change.permissions << std::dec;
  if (change.size_bytes) out << " size " << *change.size_bytes;
  if (change.uid) out << " uid " << *change.uid;
  if (change.gid) out << " gid " << *change.gid;
  if (change.mtime) out << " mtime " << change.mtime->seconds << "." << change.mtime->nanoseconds;
  if (change.atime) out << " atime " << change.atime->seconds << "." << change.atime->nanoseconds;
}

void show_range(std::ostream& out, const Operation& operation) {
  out << " at " << operation.offset_bytes << " "
      << (operation.value.empty() ? operation.length_bytes : operation.value.size()) << " bytes";
  if (operation.verb == Verb::kCopy) {
    out << " to #" << operation.to << " at " << operation.to_bytes;
  }
  if (operation.zero_mode == view::ZeroMode::kGrow) out << " and grow";
}

void show_made(std::ostream& out, const Operation& operation) {
  const bool is_whole = operation.verb == Verb::kCreate;
  out << std::oct << " 0" << (is_whole ? operation.made.mode : operation.permissions) << " umask 0"
      << operation.who.umask << std::dec << " for " << operation.who.uid << ":"
      << operation.who.gid;
}

void show(std::ostream& out, const view::Attributes& attributes) {
  out << std::oct << "0" << attributes.mode << std::dec << " " << attributes.uid << ":"
      << attributes.gid << " links " << attributes.link_count << " size " << attributes.size_bytes
      << " blocks " << attributes.blocks << " rdev " << attributes.rdev << " children "
      << attributes.children;
  for (const Time& time : {attributes.mtime, attributes.ctime, attributes.atime}) {
    out << " " << time.seconds << "." << time.nanoseconds;
  }
}

}  // namespace

std::string to_string(ErrorKind kind) { return kErrors.at(std::size_t(kind)); }

std::string to_string(const Operation& operation) {
  std::ostringstream out;
  out << kVerbs.at(std::size_t(operation.verb));
  if (operation.object != 0) out << " #" << operation.object;
  if (operation.directory != 0) out << " #" << operation.directory << "/" << shown(operation.name);
  if (operation.verb == Verb::kList) out << " behind " << shown(operation.name);
  if (operation.verb == Verb::kRename) {
    constexpr std::array kModes = {"", " no-replace", " exchange"};
    out << " to #" << operation.to << "/" << shown(operation.new_name)
        << kModes.at(std::size_t(operation.rename_mode))
        << (operation.leaves_whiteout ? " whiteout" : "");
  }
  if (operation.verb >= Verb::kCreate && operation.verb <= Verb::kMakeDirectory) {
    show_made(out, operation);
  }
  if (!operation.target.empty()) out << " -> " << shown(operation.target);
  show_change(out, operation.change);
  if (operation.verb >= Verb::kRead) show_range(out, operation);
  if (!operation.xattr.empty()) {
    constexpr std::array kModes = {"", " create", " replace"};
    out << " " << shown(operation.xattr) << " of " << operation.value.size() << " bytes"
        << kModes.at(std::size_t(operation.xattr_mode));
  }
  out << " (" << operation.kind << ")";
  return out.str();
}

std::string to_string(const OperationResult& result) {
  if (result.error) return to_string(*result.error);
  std::ostringstream out;
  out << "done";
  if (result.object != 0) out << " #" << result.object;
  if (result.attributes.mode != 0) show(out << " ", result.attributes);
  if (result.replaced != 0)
    show(out << "\n  replaced #" << result.replaced << " ", result.replaced_attributes);
  if (result.length_bytes != 0) {
    out << " " << result.length_bytes << " bytes at " << result.offset_bytes;
  }
  for (const auto& text : result.texts) out << "\n  " << shown(text);
  for (const auto& listed : result.listed) {
    out << "\n  " << shown(listed.name) << " #" << listed.object << " 0" << std::oct << listed.type
        << std::dec;
  }
  return out.str();
}

}  // namespace dgfs::test
