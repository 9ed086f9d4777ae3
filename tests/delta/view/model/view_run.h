// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Runs of random operations on a view and its model, with listings in progress, sealed and opened
// again in between. A run that fails is done again without parts of it, and told as short as it
// becomes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/delta/view/model/open_listings.h"
#include "tests/delta/view/model/view_operations.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {

/// A step of a run. A value; it can be done in another run.
struct RunStep {
  enum class Kind : std::uint8_t { kOperation, kRead, kCompare, kReopen, kSeal };
  Kind kind = Kind::kOperation;
  Operation operation;       ///< its ids are those of the run that chose it
  ModelId made = 0;          ///< by the operation, in that run
  std::uint64_t choice = 0;  ///< kRead: for OpenListings::act()
};

/// One line, for messages.
[[nodiscard]] std::string to_string(const RunStep& step);

/// A small image, a delta, and a model of both. For one thread.
class ViewRun {
 public:
  /// @param random  makes the steps; must outlive this
  explicit ViewRun(Random& random);

  /// Chooses a step and does it. What differs adds failures.
  RunStep step();
  /// Does a step of another run. One that is about an object which this run has not made is left
  /// out.
  void repeat(RunStep step);

  [[nodiscard]] ViewOperations& operations() { return *operations_; }
  [[nodiscard]] const OpenListings& listings() const { return *listings_; }

 private:
  void run(const RunStep& step);
  void open_again(RunStep::Kind kind);
  /// Ids of another run to those of this one. False: it has no such object.
  [[nodiscard]] bool translate(Operation& operation) const;

  Random& random_;
  ViewedTree viewed_;
  std::optional<ViewOperations> operations_;
  std::optional<OpenListings> listings_;
  ModelId first_made_ = 0;           ///< objects of the image are below it
  std::map<ModelId, ModelId> made_;  ///< of another run, of this one
};

/// A number of operations and what a run did besides. A value.
struct RunCounts {
  std::uint64_t operations = 0;
  std::uint64_t names_read = 0;
};

/// A random run. One that fails adds the steps that fail, as few as were found.
RunCounts run_view(std::uint64_t seed, std::size_t operations);

/// Whether an operation may fail for another reason than the model tells.
enum class Errors : std::uint8_t {
  kAlike,
  kAny,  ///< for a part of a run, in which there may be two reasons
};

/// The failures that steps add in a run of their own, which do not count; empty: none.
[[nodiscard]] std::string failures_of(const std::vector<RunStep>& steps, Errors errors);

}  // namespace dgfs::test
