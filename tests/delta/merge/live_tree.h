// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LiveTree: a packed tree in memory and a view of its delta, whose layers are merged into a base
// step by step while the view is used. The start for tests of such merges.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/merge/base_merge.h"
#include "delta/view/view.h"
#include "storage/memory/crash_loss.h"
#include "tests/delta/merge/changed_tree.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {

/// For one thread, apart from what the view allows.
class LiveTree {
 public:
  static constexpr const char* kDelta = "/delta";

  LiveTree();
  ~LiveTree() { drop(); }
  LiveTree(const LiveTree&) = delete;
  LiveTree& operator=(const LiveTree&) = delete;

  /// Fill it before open().
  [[nodiscard]] PackedTree& tree() { return tree_; }
  /// Of the image; set them before open().
  [[nodiscard]] builder::BuildOptions& build_options() { return build_options_; }
  [[nodiscard]] delta::StoreOptions& store_options() { return store_options_; }
  [[nodiscard]] view::ViewOptions& view_options() { return view_options_; }
  [[nodiscard]] storage::MemoryEnv& memory() { return tree_.memory(); }
  /// All calls of the view and of merges go through it.
  [[nodiscard]] SteppingEnv& clock() { return clock_; }
  /// Called before each storage call; empty: none.
  /// A thread that closes a layer may be making calls.
  void set_hook(HookEnv::Hook hook) {
    auto next = std::make_shared<HookEnv::Hook>(std::move(hook));
    const std::lock_guard lock(hook_lock_);
    hook_ = std::move(next);
  }

  /// Packs the tree, and opens a view of it with an empty delta.
  void open();
  /// Opens again after a clean end.
  void reopen();
  /// The same, whether or not the view could be closed.
  void reopen_after_failure();
  /// The same after a power cut.
  void reopen_after_crash(storage::CrashLoss loss);

  [[nodiscard]] view::View& view() { return *view_; }
  [[nodiscard]] delta::DeltaDirectory& delta() { return *delta_; }
  [[nodiscard]] view::ObjectNumber object(std::string_view path) { return object_at(*view_, path); }

  /// Opens again after a clean end and a seal of the delta while it was not open.
  void reopen_sealed();
  /// The same with a merge in place of the seal.
  void reopen_merged();

  // The steps of a merge. The clock goes on by a second before each.

  /// Makes a layer, even of no changes, and waits until it is closed.
  void seal();
  /// Makes a base of all layers. Expects no damage in it.
  merge::MadeBase make();
  [[nodiscard]] Result<merge::MadeBase> try_make(const merge::RepackRules& rules = {});
  /// Of the oldest layers only.
  [[nodiscard]] Result<merge::MadeBase> try_make_of(std::size_t layers,
                                                    const merge::RepackRules& rules = {});
  /// Puts a base in place.
  [[nodiscard]] Status try_put(const merge::MadeBase& made);
  void put(const merge::MadeBase& made);
  /// Seals, makes a base, runs `meanwhile`, and puts the base in place. Expects that neither of the
  /// two steps around it changes what the view shows, and a sound namespace.
  merge::MadeBase merge(const std::function<void()>& meanwhile = {});

  /// Expects that the records of all stores and the base make a sound tree.
  void expect_sound();
  /// Expects the same tree as before and, after reopening, once more.
  void expect_same_after_reopening();
  /// Names of files and stores in the delta's directory that begin so.
  [[nodiscard]] std::size_t count_files(std::string_view prefix);
  /// Object numbers without a name in the image below the stores.
  [[nodiscard]] std::vector<view::ObjectNumber> nameless();

 private:
  [[nodiscard]] std::shared_ptr<HookEnv::Hook> present_hook() {
    const std::lock_guard lock(hook_lock_);
    return hook_;
  }
  void drop();
  void open_delta();
  [[nodiscard]] Result<std::shared_ptr<const reader::Image>> open_base(const merge::MadeBase& made);

  PackedTree tree_;
  std::mutex hook_lock_;
  std::shared_ptr<HookEnv::Hook> hook_;
  HookEnv hooked_{tree_.memory(), [this](storage::CallKind kind, const std::string& path) {
                    const auto hook = present_hook();
                    return hook && *hook ? (*hook)(kind, path) : ok();
                  }};
  SteppingEnv clock_{hooked_};
  builder::BuildOptions build_options_;
  delta::StoreOptions store_options_;
  view::ViewOptions view_options_{4, 64};
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::View> view_;
};

/// The kind of an error; none: the call succeeded.
template <class T>
[[nodiscard]] std::optional<ErrorKind> kind_of(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().kind());
}
/// All facts about an object but its blocks, which a merge counts anew, as text; also whether it
/// is gone.
[[nodiscard]] std::string facts_of(const view::View& view, view::ObjectNumber object);
/// Facts of all objects with a name, by path, with the counts of directories.
[[nodiscard]] std::map<std::string, std::string> facts_below(const view::View& view);
/// Whole content of a file.
[[nodiscard]] std::string content_of(const view::View& view, view::ObjectNumber file);

}  // namespace dgfs::test
