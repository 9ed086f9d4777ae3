// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Runs of random operations on a view and its model, with listings in progress; the stores are
// sealed, between two openings and while the view is used, and states are looked at. A failed run
// is repeated without parts of it, and the shortest failing one is reported.
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

/// A step of a run. A value; another run can repeat it.
struct RunStep {
  enum class Kind : std::uint8_t {
    kOperation,
    kRead,
    kCompare,
    kReopen,
    kSeal,
    kSealLive,
    kLookBack,
    kJoin
  };
  Kind kind = Kind::kOperation;
  Operation operation;  ///< with ids of the run that chose it
  ModelId made = 0;     ///< the id that the operation made in that run
  /// kRead: argument of OpenListings::act(); kLookBack, kJoin: chooses states.
  std::uint64_t choice = 0;
};

/// One line, for messages.
[[nodiscard]] std::string to_string(const RunStep& step);

/// A small image, a delta, and a model of both. For one thread.
class ViewRun {
 public:
  /// @param random  makes the steps; must outlive this
  explicit ViewRun(Random& random);

  /// Chooses a step and does it. Each difference adds a failure.
  RunStep step();
  /// Does a step of another run. Leaves it out if it is about an object that this run has not made.
  void repeat(RunStep step);

  [[nodiscard]] ViewedTree& viewed() { return viewed_; }
  [[nodiscard]] ViewOperations& operations() { return *operations_; }
  [[nodiscard]] const OpenListings& listings() const { return *listings_; }
  /// How many were sealed.
  [[nodiscard]] std::size_t states() const { return sealed_; }
  /// How many joins of layers were made.
  [[nodiscard]] std::uint64_t joins() const { return joins_; }
  /// How many states were looked at.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  /// In how many names two of these differed.
  [[nodiscard]] std::uint64_t differences() const { return differences_; }

 private:
  void run(const RunStep& step);
  void open_again(RunStep::Kind kind);
  void seal_live();
  void look_back(std::uint64_t choice);
  void join(std::uint64_t choice);
  /// Compares the changes between two states with those of their models.
  /// @param lower  layers that it shows; 0: the image alone
  void expect_changes_between(std::size_t lower, std::size_t upper);
  void note_state();
  /// Translates ids of another run into those of this one. Returns false if this run lacks the
  /// object.
  [[nodiscard]] bool translate(Operation& operation) const;

  Random& random_;
  ViewedTree viewed_;
  std::optional<ViewOperations> operations_;
  std::optional<OpenListings> listings_;
  ModelId first_made_ = 0;           ///< ids below it are objects of the image
  std::map<ModelId, ModelId> made_;  ///< ids of another run to ids of this one
  /// A sealed state, as it must be shown for ever.
  struct State {
    ModelTree model;
    ObjectPairs pairs;
  };
  std::vector<State> states_;  ///< that joins have left
  std::size_t sealed_ = 0;
  std::uint64_t joins_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t differences_ = 0;
};

/// The number of operations, and of other steps of a run. A value.
struct RunCounts {
  std::uint64_t operations = 0;
  std::uint64_t names_read = 0;
  std::size_t states = 0;         ///< sealed
  std::uint64_t looks = 0;        ///< at states
  std::uint64_t joins = 0;        ///< of layers
  std::uint64_t differences = 0;  ///< between two of these
};

/// A random run. If it fails, it reports the failing steps, as few as it finds.
RunCounts run_view(std::uint64_t seed, std::size_t operations);

/// Whether an operation may fail for another reason than in the model.
enum class Errors : std::uint8_t {
  kAlike,
  kAny,  ///< allowed for a part of a run, which may have two reasons
};

/// The failures of steps in a run of their own, which do not count for the test; empty: none.
[[nodiscard]] std::string failures_of(const std::vector<RunStep>& steps, Errors errors);

}  // namespace dgfs::test
