// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Untouched: answers from the image alone, for objects that no store has records of.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "delta/view/moment.h"

namespace dgfs::view {

/// A value. Thread-safe. The generation must outlive it. It needs no snapshot: a store that has no
/// records of an object now has never had any, so the answer was already true when the call began.
/// Cost: that of the image, and a filter lookup in each store for each object and class.
class Untouched {
 public:
  explicit Untouched(const Generation& layers) : layers_(layers) {}

  /// nullopt: a store may have a record, so a moment must be read; also for "." and "..". Errors:
  /// kNotFound (a live directory without this name), kIo, kCorrupt.
  [[nodiscard]] Result<std::optional<Entry>> lookup(ObjectNumber directory,
                                                    std::string_view name) const;
  /// The same; nullopt also if there is no such object. The record also says whether the object may
  /// have extended attributes, because each change of these changes the record. Errors: kIo,
  /// kCorrupt.
  [[nodiscard]] Result<std::optional<AttributesRecord>> record(ObjectNumber object) const;

 private:
  const Generation& layers_;
};

}  // namespace dgfs::view
