// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Removers: operations that remove names, and end objects without names.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "delta/view/writer.h"

namespace dgfs::view {

/// As of View. Thread-safe.
class Removers {
 public:
  /// Both must outlive it.
  Removers(Writer& writer, const Orphans& orphans) : writer_(writer), orphans_(orphans) {}

  [[nodiscard]] Result<Entry> unlink(ObjectNumber directory, std::string_view name);
  [[nodiscard]] Result<Entry> remove_directory(ObjectNumber directory, std::string_view name);
  /// Ends an object without a name; does nothing to others.
  [[nodiscard]] Status release(ObjectNumber object);
  /// Writes all records of an object without a name, but its contents, to the live store, so that
  /// it goes on when a merge has taken the layers with the others. Nothing if it has ended, or has
  /// a name again.
  [[nodiscard]] Status keep(ObjectNumber object);

  /// Removes one name from an object's record, in a change that has the object's lock; the caller
  /// drops the name itself. Returns the new attributes.
  /// @param state   of the name, before
  /// @param record  of the object, before
  [[nodiscard]] static Result<Attributes> lose_name(Change& change, const NameState& state,
                                                    AttributesRecord record);
  /// The same for a directory. Errors: kNotEmpty.
  [[nodiscard]] static Result<Attributes> lose_directory(Change& change, ObjectNumber directory,
                                                         AttributesRecord record);

 private:
  [[nodiscard]] static Result<std::optional<Entry>> unlink_in(Change& change,
                                                              const NamePlace& place);
  [[nodiscard]] static Result<std::optional<Entry>> remove_in(Change& change,
                                                              const NamePlace& place);
  [[nodiscard]] static Result<std::optional<bool>> end_in(Change& change, ObjectNumber object);
  [[nodiscard]] Result<std::optional<bool>> keep_in(Change& change, ObjectNumber object) const;

  Writer& writer_;
  const Orphans& orphans_;
};

/// The state of a name that exists. Errors: kNotFound.
[[nodiscard]] Result<NameState> taken_name(const Moment& moment, const NamePlace& place);

}  // namespace dgfs::view
