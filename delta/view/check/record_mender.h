// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RecordMender: restores a damaged record if other records tell its content.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "delta/view/check/namespace_finding.h"
#include "delta/view/check/repair_writer.h"

namespace dgfs::view {

/// For one thread. Errors of all calls: those of RepairWriter. The calls return in plain words what
/// was done.
class RecordMender {
 public:
  /// @param writer  must outlive it
  explicit RecordMender(RepairWriter& writer) : writer_(writer) {}

  /// Restores a damaged record.
  [[nodiscard]] Result<std::string> mend(const Finding& finding);
  /// Drops records of a class whose object does not exist.
  [[nodiscard]] Result<std::string> drop_stray(RecordClass record, ObjectNumber object);
  /// Sets a directory's parent to the directory of its name; without a name it gets no parent.
  [[nodiscard]] Result<std::string> set_parent(ObjectNumber directory);

 private:
  [[nodiscard]] Result<std::string> mend_attributes(ObjectNumber object);
  [[nodiscard]] Status mend_size(ObjectNumber file);
  [[nodiscard]] Result<std::uint32_t> guess_type(ObjectNumber object) const;
  [[nodiscard]] Result<std::uint32_t> type_by_names(ObjectNumber object) const;
  [[nodiscard]] Result<bool> has_any(const delta::KeyRange& keys) const;
  [[nodiscard]] Result<std::string> mend_dentry(const NamePlace& place);
  [[nodiscard]] Result<ObjectNumber> find_owner(const NamePlace& place) const;
  [[nodiscard]] Result<std::string> drop_damaged(RecordClass record, ObjectNumber object);
  [[nodiscard]] Result<std::string> mend_end();

  RepairWriter& writer_;
};

}  // namespace dgfs::view
