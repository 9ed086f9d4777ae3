// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectNumbers: gives numbers to new objects. A directory gets several consecutive numbers for its
// new objects, so that attributes of siblings lie together. Numbers are reserved durably before
// they are given out, so that none is given out again after a crash.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/result.h"
#include "delta/store/store.h"
#include "delta/view/object.h"
#include "delta/view/view_options.h"

namespace dgfs::view {

/// Thread-safe.
class ObjectNumbers {
 public:
  /// @param store  the live store; must outlive it
  /// @param next   the first free number
  ObjectNumbers(delta::Store& store, ObjectNumber next, const ViewOptions& options)
      : store_(store), options_(options), next_(next), reserved_(next) {}

  /// A number for a new object in a directory. Waits for a sync once in
  /// ViewOptions::numbers_reserved numbers, so the caller must hold no lock. Errors: those of
  /// Store::apply() and Store::sync().
  [[nodiscard]] Result<ObjectNumber> take(ObjectNumber directory);
  /// Gives back an unused number. If it was the last one taken for a directory, it is used again;
  /// otherwise it is lost.
  void give_back(ObjectNumber directory, ObjectNumber number);
  /// No number from this one on was given out or is reserved.
  [[nodiscard]] ObjectNumber end() const;

 private:
  struct Row {
    ObjectNumber next = 0;
    ObjectNumber end = 0;
  };
  /// The most directories that have a row.
  static constexpr std::size_t kRowsMax = 4096;

  [[nodiscard]] ObjectNumber take_reserved(ObjectNumber directory);
  [[nodiscard]] Status reserve();

  delta::Store& store_;
  const ViewOptions options_;
  std::mutex reserving_;      ///< one call at a time; before mutex_
  mutable std::mutex mutex_;  ///< innermost; guards what follows
  std::unordered_map<ObjectNumber, Row> rows_;
  ObjectNumber next_;      ///< in no row yet
  ObjectNumber reserved_;  ///< end of the durably reserved numbers
};

}  // namespace dgfs::view
