// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Removers: operations that take names away, and end objects that have none.
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
  /// Ends an object that no name leads to; of any other nothing happens.
  [[nodiscard]] Status release(ObjectNumber object);

  /// In a change that has the object's lock: it loses a name that the caller drops. Returns its
  /// attributes afterwards.
  /// @param state   of the name before
  /// @param record  of the object before
  [[nodiscard]] static Result<Attributes> lose_name(Change& change, const NameState& state,
                                                    AttributesRecord record);
  /// Likewise of a directory. Errors: kNotEmpty.
  [[nodiscard]] static Result<Attributes> lose_directory(Change& change, ObjectNumber directory,
                                                         AttributesRecord record);

 private:
  [[nodiscard]] static Result<std::optional<Entry>> unlink_in(Change& change,
                                                              const NamePlace& place);
  [[nodiscard]] static Result<std::optional<Entry>> remove_in(Change& change,
                                                              const NamePlace& place);
  [[nodiscard]] static Result<std::optional<bool>> end_in(Change& change, ObjectNumber object);

  Writer& writer_;
  const Orphans& orphans_;
};

/// Of a name that something has. Errors: kNotFound.
[[nodiscard]] Result<NameState> taken_name(const Moment& moment, const NamePlace& place);

}  // namespace dgfs::view
