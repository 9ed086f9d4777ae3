// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Mender: repairs findings one by one.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "delta/view/check/lost_and_found.h"
#include "delta/view/check/namespace_finding.h"
#include "delta/view/check/record_mender.h"
#include "delta/view/check/repair_writer.h"

namespace dgfs::view {

/// For one thread. Errors of all calls: those of RepairWriter.
class Mender {
 public:
  Mender(const GenerationRef& layers, const Time& now)
      : writer_(layers, now), lost_and_found_(writer_), records_(writer_) {}

  /// Returns in plain words what was done. Does nothing if the repair of an earlier finding has
  /// fixed this one.
  [[nodiscard]] Result<std::string> mend(const Finding& finding);

 private:
  [[nodiscard]] Result<std::string> mend_name(const Finding& finding);
  [[nodiscard]] Result<std::string> mend_object(const Finding& finding);
  [[nodiscard]] Result<std::string> reserve(ObjectNumber object);
  [[nodiscard]] Result<std::string> lead_to_something(const Finding& finding);
  [[nodiscard]] Result<std::string> set_type(const Finding& finding);
  [[nodiscard]] Result<std::string> drop_further_names(const Finding& finding);
  [[nodiscard]] Result<std::string> break_circle(ObjectNumber directory);
  [[nodiscard]] Result<std::string> save(ObjectNumber object);
  [[nodiscard]] Result<std::string> tell_what_is_hidden(const NamePlace& place);
  [[nodiscard]] Result<std::string> show_xattrs(ObjectNumber object);

  RepairWriter writer_;
  LostAndFound lost_and_found_;
  RecordMender records_;
};

}  // namespace dgfs::view
