// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ObjectNumbers: gives numbers to new objects. A directory gets several consecutive numbers for its
// new objects, so that attributes of siblings lie together. Numbers are reserved durably before
// they are given out, so that none is given out again after a crash.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/result.h"
#include "delta/view/generations.h"
#include "delta/view/object.h"
#include "delta/view/view_options.h"

namespace dgfs::view {

/// Thread-safe.
class ObjectNumbers {
 public:
  /// @param generations  must outlive it
  /// @param next         the first free number
  ObjectNumbers(Generations& generations, ObjectNumber next, const ViewOptions& options)
      : generations_(generations), options_(options), next_(next), reserved_(next) {}

  /// A number for a new object in a directory. Waits for a sync once in
  /// ViewOptions::numbers_reserved numbers, so the caller must hold no lock. Errors: those of
  /// Store::apply() and Store::sync().
  [[nodiscard]] Result<ObjectNumber> take(ObjectNumber directory);
  /// Gives back an unused number. If it was the last one taken for a directory, it is used again;
  /// otherwise it is lost.
  void give_back(ObjectNumber directory, ObjectNumber number);
  /// No number from this one on was given out or is reserved.
  [[nodiscard]] ObjectNumber end() const;

  // A seal. The next store is born above all numbers that are given out before the switch.

  /// Fixes where the next store will be born, and reserves numbers below for the time until the
  /// switch, and the first ones from there on. If those below do not suffice, take() waits for one
  /// of the two following calls. Errors: those of take().
  [[nodiscard]] Result<ObjectNumber> begin_seal();
  /// From now on all new numbers come from the next store's. Numbers that are reserved and not
  /// given out are lost; one that was taken before may still be used. Needs no memory.
  void switch_over() noexcept;
  /// The seal is not made.
  void end_seal() noexcept;

 private:
  struct Row {
    ObjectNumber next = 0;
    ObjectNumber end = 0;
  };
  /// The most directories that have a row.
  static constexpr std::size_t kRowsMax = 4096;

  [[nodiscard]] ObjectNumber take_reserved(ObjectNumber directory);
  [[nodiscard]] Status reserve();
  /// With reserving_ held.
  [[nodiscard]] Status put_reserved(ObjectNumber end);

  Generations& generations_;
  const ViewOptions options_;
  std::mutex reserving_;      ///< one call at a time; before mutex_
  mutable std::mutex mutex_;  ///< innermost; guards what follows
  std::unordered_map<ObjectNumber, Row> rows_;
  ObjectNumber next_;      ///< in no row yet
  ObjectNumber reserved_;  ///< end of the durably reserved numbers
  /// Where the next store will be born, while a seal is prepared.
  std::optional<ObjectNumber> next_born_;
  std::condition_variable seal_ended_;
};

}  // namespace dgfs::view
