// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectFacts: what image and stores say of an object, with all that is counted counted again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// A value.
struct ObjectFacts {
  ObjectNumber object = 0;
  AttributesRecord record;
  std::vector<NamePlace> names;      ///< that lead to it, in order
  std::uint64_t unknown_names = 0;   ///< that the image may give it besides, at most
  bool is_untouched = false;         ///< no store says anything of its attributes
  bool is_marked = false;            ///< it waits for its end
  std::uint64_t children = 0;        ///< directories: names in it
  std::uint64_t subdirectories = 0;  ///< of those

  [[nodiscard]] bool is_directory() const { return format::is_directory(record.attributes.mode); }
  /// The link count that it has to have: the nearest one that goes with its names.
  [[nodiscard]] std::uint64_t right_links() const;
  /// Nothing leads to it, and nothing ends it. A file of the image that nobody has touched ends
  /// with its name.
  [[nodiscard]] bool is_lost() const;
};

/// nullopt: there is no such object. Errors: those of Moment; is_of_record() tells which of them
/// are of a damaged record.
/// Cost: that of its names, and of those in it.
[[nodiscard]] Result<std::optional<ObjectFacts>> facts_of(const Moment& moment,
                                                          ObjectNumber object);

/// The names that lead to an object, in order; records of others are left out. Errors: those of
/// Moment.
[[nodiscard]] Result<std::vector<NamePlace>> leading_names(const Moment& moment,
                                                           ObjectNumber object);

/// Whether it is a record that is damaged, and not the image or the store that holds it.
[[nodiscard]] bool is_of_record(const Error& error);

/// Whether the stores have a record: one that says something, other than that there is none.
[[nodiscard]] bool is_said(const delta::Message& message);
/// The same of a key. Errors: those of StackSnapshot::find().
[[nodiscard]] Result<bool> has_record(const Moment& moment, std::string_view key);
/// Whether a directory shows a name. Errors: those of DirectoryWalk.
[[nodiscard]] Result<bool> has_children(const Moment& moment, ObjectNumber directory);
/// The first number that no object may have. A record of it that is damaged says nothing.
[[nodiscard]] Result<ObjectNumber> reserved_end(const Moment& moment);

}  // namespace dgfs::view
