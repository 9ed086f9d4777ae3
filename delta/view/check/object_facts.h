// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectFacts: the record of an object, with everything that can be counted counted again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "delta/view/moment.h"
#include "delta/view/stop_flag.h"

namespace dgfs::view {

/// A value.
struct ObjectFacts {
  ObjectNumber object = 0;
  AttributesRecord record;
  std::vector<NamePlace> names;      ///< names of the object, in order
  std::uint64_t unknown_names = 0;   ///< at most so many more names in the image
  bool is_untouched = false;         ///< no store has its attributes record
  bool is_marked = false;            ///< as an orphan
  bool is_nameless_below = false;    ///< the image has it without a name, as a merge keeps it
  std::uint64_t children = 0;        ///< directories: names in it
  std::uint64_t subdirectories = 0;  ///< of the children

  [[nodiscard]] bool is_directory() const { return format::is_directory(record.attributes.mode); }
  /// The right link count: the nearest one that fits its names.
  [[nodiscard]] std::uint64_t right_links() const;
  /// Whether no name leads to it and nothing will end it: it is not marked, or is a directory with
  /// children. An untouched file of the image ends with its name. What the image has without a name
  /// was marked when it became the base; that mark may be in a later layer.
  [[nodiscard]] bool is_lost() const;
};

/// nullopt: there is no such object. Errors: those of Moment; is_of_record() is true of those that
/// come from a damaged record; kInterrupted.
/// Cost: that of its names, and of the names in it.
[[nodiscard]] Result<std::optional<ObjectFacts>> facts_of(const Moment& moment, ObjectNumber object,
                                                          StopFlag stop = StopFlag());

/// The names that lead to an object, in order; without records that lead elsewhere. Errors: those
/// of Moment; kInterrupted.
[[nodiscard]] Result<std::vector<NamePlace>> leading_names(const Moment& moment,
                                                           ObjectNumber object,
                                                           StopFlag stop = StopFlag());

/// Whether an error comes from a damaged record, and not from the image or the store that holds it.
[[nodiscard]] bool is_of_record(const Error& error);

/// Whether the message means that the stores have a record.
[[nodiscard]] bool is_said(const delta::Message& message);
/// The same for a key. Errors: those of StackSnapshot::find().
[[nodiscard]] Result<bool> has_record(const Moment& moment, std::string_view key);
/// Whether a directory shows a name. Errors: those of DirectoryWalk.
[[nodiscard]] Result<bool> has_children(const Moment& moment, ObjectNumber directory,
                                        StopFlag stop = StopFlag());
/// The first number that no object may have. Ignores damaged records of it.
[[nodiscard]] Result<ObjectNumber> reserved_end(const Moment& moment);

}  // namespace dgfs::view
