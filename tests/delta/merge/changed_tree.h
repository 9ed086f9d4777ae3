// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ChangedTree: a packed tree in memory, changes of it in a delta, and merges of both, made as
// dgfs merge makes them: image and delta are opened for reading only. The start for tests of the
// merge.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "delta/merge/merge.h"
#include "delta/view/view.h"
#include "tests/delta/view/stepping_env.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {

inline constexpr const char* kNew = "/out/new.dgfs";
inline constexpr const char* kNewer = "/out/newer.dgfs";  ///< of a second merge

/// What a merge reads. A value.
struct MergeSources {
  std::string image_path = kImage;
  std::string delta_path = "/delta";
  reader::OpenOptions open = {};  ///< of the image
};

/// An image and its delta, open for reading only. Moved, not copied.
struct OpenSources {
  std::shared_ptr<const reader::Image> image;  ///< below the stores: the base, if there is one
  std::unique_ptr<delta::DeltaDirectory> delta;
  std::unique_ptr<view::View> view;
};
[[nodiscard]] Result<OpenSources> open_sources(storage::Env& env, const MergeSources& sources);

/// What happens to the contents and numbers of the image.
enum class MergeKind : std::uint8_t { kKeeps, kRepacks, kRenumbers };

/// How to merge. A value.
struct MergePlan {
  MergeKind kind = MergeKind::kKeeps;
  merge::KeptTimes times = merge::KeptTimes::kAll;
  builder::BuildOptions build = {};  ///< without an image path: kNew
};

/// A plan that fits into little memory, on one thread.
[[nodiscard]] MergePlan plan_of(MergeKind kind = MergeKind::kKeeps);
[[nodiscard]] Result<builder::BuildReport> merge_open(const OpenSources& sources, storage::Env& env,
                                                      const MergePlan& plan);
/// Opens the sources, merges them, and closes them.
[[nodiscard]] Result<builder::BuildReport> merge_files(storage::Env& env,
                                                       const MergeSources& sources,
                                                       const MergePlan& plan);

/// For one thread.
class ChangedTree {
 public:
  ChangedTree();

  /// Fill it before pack().
  [[nodiscard]] PackedTree& tree() { return tree_; }
  [[nodiscard]] storage::MemoryEnv& memory() { return tree_.memory(); }
  [[nodiscard]] storage::CountingEnv& counting() { return tree_.counting(); }
  /// Of the image; set them before pack().
  [[nodiscard]] builder::BuildOptions& build_options() { return build_options_; }

  /// Packs the tree, and makes an empty delta over it.
  void pack();
  /// Changes the tree; the clock goes on by a second before.
  void change(const std::function<void(view::View&)>& change);
  /// The same for a caller that needs the delta, too.
  void change_delta(const std::function<void(delta::DeltaDirectory&, view::View&)>& change);
  [[nodiscard]] SteppingEnv& clock() { return clock_; }

  [[nodiscard]] MergeSources& sources() { return sources_; }
  [[nodiscard]] Result<builder::BuildReport> try_merge(const MergePlan& plan);
  /// Ends the test program if the merge fails.
  builder::BuildReport merge(const MergePlan& plan = plan_of());
  /// From now on the new image is the one that is changed, with an empty delta.
  void go_on(const std::string& image_path = kNew);

  /// Opens the result of a merge. Expects no damage in it, and that it shows what image and delta
  /// show together, with the same numbers. Only counts of blocks may differ, which a view counts
  /// twice where bytes were written again.
  std::unique_ptr<const reader::Image> merged(const std::string& image_path = kNew);
  /// The same without any check.
  std::unique_ptr<const reader::Image> open_image(const std::string& image_path = kNew);
  /// How image and delta differ from an image in names, numbers, attributes and contents; empty:
  /// not at all.
  [[nodiscard]] std::string difference_from(const reader::Image& image);

 private:
  void make_delta();

  PackedTree tree_;
  SteppingEnv clock_{tree_.counting()};
  builder::BuildOptions build_options_;
  delta::StoreOptions store_options_;
  MergeSources sources_;
  int deltas_ = 0;
};

/// The object at a path; ends the test program if there is none.
[[nodiscard]] view::ObjectNumber object_at(const view::View& view, std::string_view path);
/// Makes a file at a path, whose directory must exist, with a content.
view::ObjectNumber make_file(view::View& view, std::string_view path, std::string_view content);
void write_at(view::View& view, view::ObjectNumber file, std::uint64_t offset_bytes,
              std::string_view text);
/// Removes a name, and the object that has no other.
void remove_name(view::View& view, std::string_view path);
/// Removes a directory with all below it, as rm -r does.
void remove_tree(view::View& view, std::string_view path);
void move_name(view::View& view, std::string_view from, std::string_view to);

/// Content of the file at a path of an image.
[[nodiscard]] std::string content_at(const reader::Image& image, std::string_view path);

}  // namespace dgfs::test
