// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Operation: one call of a View as a value, so that a test can do the same call on a view, a model
// and a real directory, and compare the results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tests/delta/view/model/model_tree.h"

namespace dgfs::test {

/// The methods of View that an operation can call.
enum class Verb : std::uint8_t {
  kLookup,
  kCreate,
  kCreateUnnamed,
  kMakeDirectory,
  kMakeSymlink,
  kLink,
  kUnlink,
  kRemoveDirectory,
  kRename,
  kAttributes,
  kSetAttributes,
  kReadLink,
  kPaths,
  kRelease,
  kXattr,
  kXattrNames,
  kSetXattr,
  kRemoveXattr,
  kList,
  kRead,
  kWrite,
  kAppend,
  kZero,
  kCopy,
};

/// A call, with ids of a ModelTree. Fields that its method does not use keep their defaults. A
/// value.
struct Operation {
  Verb verb = Verb::kLookup;
  const char* kind = "";  ///< the case of the maker that chose it
  ModelId directory = 0;  ///< directory of the name; rename(): of the old name
  /// Name in the directory; rename(): the old one; list(): the one to continue after.
  std::string name;
  ModelId to = 0;        ///< rename(): directory of the new name; copy(): the file
  std::string new_name;  ///< rename()
  ModelId object = 0;    ///< object of methods without a name; link(): the object that gets a name
  view::RenameMode rename_mode = view::RenameMode::kReplace;
  bool leaves_whiteout = false;
  view::NewObject made;           ///< create()
  std::uint32_t permissions = 0;  ///< for directories and unnamed files
  view::Credentials who;          ///< for methods that make an object
  std::string target;             ///< for symlinks
  view::AttributeChange change;
  std::string xattr;  ///< name of the extended attribute
  Buffer value;
  view::XattrMode xattr_mode = view::XattrMode::kSet;
  std::uint64_t offset_bytes = 0;  ///< in the contents of `object`
  std::uint64_t length_bytes = 0;  ///< to read, zero or copy; a write takes `value`
  view::ZeroMode zero_mode = view::ZeroMode::kKeepSize;
  std::uint64_t to_bytes = 0;  ///< copy(): offset in `to`
};

/// One line, for messages.
[[nodiscard]] std::string to_string(const Operation& operation);
[[nodiscard]] std::string to_string(ErrorKind kind);

/// A name in a listing. A value.
struct ListedObject {
  std::string name;
  std::uint64_t object = 0;
  std::uint32_t type = 0;
  friend bool operator==(const ListedObject&, const ListedObject&) = default;
};

/// The result of an operation; fields that its method does not return keep their defaults. Numbers
/// are those of the tree on which it was done. A value.
struct OperationResult {
  std::optional<ErrorKind> error;
  std::uint64_t object = 0;
  view::Attributes attributes;
  std::uint64_t replaced = 0;            ///< rename()
  view::Attributes replaced_attributes;  ///< rename()
  std::vector<std::string> texts;        ///< a target, paths, a value, xattr names or bytes read
  std::uint64_t offset_bytes = 0;        ///< append()
  std::uint64_t length_bytes = 0;        ///< bytes written
  std::vector<ListedObject> listed;
  friend bool operator==(const OperationResult&, const OperationResult&) = default;
};

/// Several lines, for messages.
[[nodiscard]] std::string to_string(const OperationResult& result);

}  // namespace dgfs::test
