// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Runs of random operations on a view and its model, with merges into bases at random points: step
// by step, in a thread and between openings, completed, given up or cut off; and with joins of
// layers likewise. None of them may change the tree. After a failure the test repeats the run
// without parts of it, and reports the shortest run that fails.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delta/layer/join.h"
#include "tests/delta/merge/based_tree.h"
#include "tests/delta/view/model/open_listings.h"
#include "tests/delta/view/model/view_operations.h"

namespace dgfs::test {

/// A step of a run. A value; another run can repeat it.
struct MergeStep {
  enum class Kind : std::uint8_t {
    kOperation,
    kRead,
    kCompare,
    kClose,  ///< and open again
    kDrop,   ///< the same, as after a kill
    kSeal,
    kLookBack,
    kKeepLook,
    kMakeBase,
    kGiveUp,
    kPutBase,
    kEndMerge,
    kMergeOffline,
    kStartThread,
    kJoinThread,
    kBeginJoin,
    kPutJoin,
    kGiveUpJoin,
    kJoinOffline
  };
  Kind kind = Kind::kOperation;
  Operation operation;       ///< with ids of the run that chose it
  ModelId made = 0;          ///< the id that the operation made in that run
  std::uint64_t choice = 0;  ///< of the others: chooses what their kind leaves open
};

/// One line, for messages.
[[nodiscard]] std::string to_string(const MergeStep& step);

/// What runs have done. A value.
struct MergeCounts {
  std::uint64_t operations = 0;
  std::uint64_t names_read = 0;  ///< of listings
  std::uint64_t switches = 0;    ///< to a base, of an open view
  std::uint64_t again = 0;       ///< of these, from another base
  std::uint64_t kept = 0;        ///< objects without a name at a switch
  std::uint64_t offline = 0;     ///< merges between openings
  std::uint64_t threads = 0;     ///< merges in a thread that were completed
  std::uint64_t given_up = 0;
  std::uint64_t looks = 0;       ///< at states
  std::uint64_t base_looks = 0;  ///< at the state that a base equals
  std::uint64_t joins = 0;       ///< of layers, of an open view
  std::uint64_t joins_given_up = 0;
  std::uint64_t offline_joins = 0;  ///< between openings

  MergeCounts& operator+=(const MergeCounts& other);
};

/// One line, for reports.
[[nodiscard]] std::string to_string(const MergeCounts& counts);

/// For one thread.
class MergeRun {
 public:
  /// @param seed    chooses the form of the image
  /// @param random  makes the steps; must outlive this
  MergeRun(std::uint64_t seed, Random& random);

  /// Chooses a step and does it. Each difference adds a failure.
  MergeStep step();
  /// Does a step of another run. Leaves it out if it is about an object that this run has not made,
  /// or nothing is there that it could go on with.
  void repeat(MergeStep step);
  [[nodiscard]] ViewOperations& operations() { return *operations_; }
  [[nodiscard]] MergeCounts counts() const;

 private:
  /// A sealed state, as it must be shown for ever.
  struct State {
    ModelTree model;
    ObjectPairs pairs;
  };

  [[nodiscard]] MergeStep::Kind next_kind();
  void run(const MergeStep& step);
  void open_again(MergeStep::Kind kind, std::uint64_t choice);
  void merge_offline(std::uint64_t choice);
  void seal(std::uint64_t choice);
  void make_base(std::uint64_t choice);
  void give_up(std::uint64_t choice);
  void put_base();
  void end_merge();
  void begin_join(std::uint64_t choice);
  void put_join(std::uint64_t choice);
  void give_up_join();
  void join_offline();
  void start_thread(std::uint64_t choice);
  void join_thread(std::uint64_t choice);
  void adopt_blocks();
  [[nodiscard]] const State* state_of(const format::StateId& id) const;
  void look_back(std::uint64_t choice);
  void keep_look(std::uint64_t choice);
  void expect_state(const view::View& shown, const State& state) const;
  void expect_base(const State& state);
  void expect_no_leftovers();
  /// Translates ids of another run into those of this one. Returns false if this run lacks the
  /// object.
  [[nodiscard]] bool translate(Operation& operation) const;

  Random& random_;
  BasedTree based_;
  std::optional<ViewOperations> operations_;
  std::optional<OpenListings> listings_;
  ModelId first_made_ = 0;           ///< ids below it are objects of the image
  std::map<ModelId, ModelId> made_;  ///< ids of another run to ids of this one
  std::map<format::StateId, State> states_;
  std::optional<merge::MadeBase> base_;  ///< not in place yet
  std::optional<layer::MadeJoin> join_;  ///< likewise
  bool is_put_ = false;  ///< a base or join is in place, and the merge has not ended
  std::unique_ptr<merge::LiveMerge> thread_;
  BasedTree::Past kept_look_;  ///< stays open over switches and openings
  format::StateId kept_state_{};
  bool has_held_files_ = false;  ///< files may be left that a look holds or has held
  MergeCounts counts_;
};

/// A random run. If it fails, it reports the failing steps, as few as it finds.
MergeCounts run_merges(std::uint64_t seed, std::size_t operations);

}  // namespace dgfs::test
