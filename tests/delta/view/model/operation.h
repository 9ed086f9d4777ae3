// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Operation: one call of a View as a value, so that the same one can be done to a view, a model and
// a real directory; and what came of it, to be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tests/delta/view/model/model_tree.h"

namespace dgfs::test {

/// The methods of View that are called.
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

/// A call, with ids of a ModelTree; what its method does not take stays as it is. A value.
struct Operation {
  Verb verb = Verb::kLookup;
  const char* kind = "";  ///< the case that it was chosen for
  ModelId directory = 0;  ///< of a name; of rename(): the old one
  std::string name;       ///< in the directory; rename(): the old one; list(): after which
  ModelId to = 0;         ///< rename(): directory of the new name; copy(): the file
  std::string new_name;   ///< rename()
  ModelId object = 0;     ///< of what is no name; of link(): what gets a name
  view::RenameMode rename_mode = view::RenameMode::kReplace;
  bool leaves_whiteout = false;
  view::NewObject made;           ///< create()
  std::uint32_t permissions = 0;  ///< of directories and unnamed files
  view::Credentials who;          ///< of whatever makes something
  std::string target;             ///< of symlinks
  view::AttributeChange change;
  std::string xattr;  ///< its name
  Buffer value;
  view::XattrMode xattr_mode = view::XattrMode::kSet;
  std::uint64_t offset_bytes = 0;  ///< in `object`, of its contents
  std::uint64_t length_bytes = 0;  ///< of what is read, zeroed or copied; `value` is written
  view::ZeroMode zero_mode = view::ZeroMode::kKeepSize;
  std::uint64_t to_bytes = 0;  ///< copy(): in `to`
};

/// One line, for messages.
[[nodiscard]] std::string to_string(const Operation& operation);
[[nodiscard]] std::string to_string(ErrorKind kind);

/// A name of a listing. A value.
struct ListedObject {
  std::string name;
  std::uint64_t object = 0;
  std::uint32_t type = 0;
  friend bool operator==(const ListedObject&, const ListedObject&) = default;
};

/// What an operation returned; what its method does not tell stays as it is. Numbers are those of
/// the tree that it was done to. A value.
struct OperationResult {
  std::optional<ErrorKind> error;
  std::uint64_t object = 0;
  view::Attributes attributes;
  std::uint64_t replaced = 0;            ///< rename()
  view::Attributes replaced_attributes;  ///< likewise
  std::vector<std::string> texts;        ///< target; paths; value; names of xattrs; bytes read
  std::uint64_t offset_bytes = 0;        ///< append()
  std::uint64_t length_bytes = 0;        ///< that were written
  std::vector<ListedObject> listed;
  friend bool operator==(const OperationResult&, const OperationResult&) = default;
};

/// Several lines, for messages.
[[nodiscard]] std::string to_string(const OperationResult& result);

}  // namespace dgfs::test
