// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectNumbers: gives numbers to new objects. A directory gets several in a row for what is made
// in it, so that attributes of siblings stand together. No number is given before it is durable
// that it may be: a crash gives none again that anybody has seen.
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
  /// @param store  that is written to; must outlive it
  /// @param next   the first that may be given
  ObjectNumbers(delta::Store& store, ObjectNumber next, const ViewOptions& options)
      : store_(store), options_(options), next_(next), reserved_(next) {}

  /// For an object that is made in a directory. Waits for a sync, once in
  /// ViewOptions::numbers_reserved numbers, so not for callers that have a lock. Errors: those of
  /// Store::apply() and Store::sync().
  [[nodiscard]] Result<ObjectNumber> take(ObjectNumber directory);
  /// The number that was taken last for a directory, and that nobody has seen; another one is lost.
  void give_back(ObjectNumber directory, ObjectNumber number);
  /// No number from this one on was given, or is reserved.
  [[nodiscard]] ObjectNumber end() const;

 private:
  struct Row {
    ObjectNumber next = 0;
    ObjectNumber end = 0;
  };
  /// Directories that have a row, at most.
  static constexpr std::size_t kRowsMax = 4096;

  [[nodiscard]] ObjectNumber take_reserved(ObjectNumber directory);
  [[nodiscard]] Status reserve();

  delta::Store& store_;
  const ViewOptions options_;
  std::mutex reserving_;      ///< one at a time; the first of both
  mutable std::mutex mutex_;  ///< innermost; what follows
  std::unordered_map<ObjectNumber, Row> rows_;
  ObjectNumber next_;      ///< of no row yet
  ObjectNumber reserved_;  ///< durably; those before it
};

}  // namespace dgfs::view
