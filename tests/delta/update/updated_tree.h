// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// UpdatedTree: a directory in memory, an image of it as it once was, and a delta that is updated
// from it. The start for tests of updates.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "delta/update/update.h"
#include "tests/delta/merge/changed_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {

/// A request for everything, on one thread.
[[nodiscard]] update::UpdateRequest request_of();

/// All paths that a delta shows, with attributes, contents of files and targets of links. Expects a
/// sound tree.
[[nodiscard]] std::map<std::string, std::string> tree_shown(storage::Env& env,
                                                            const MergeSources& sources = {});

/// For one thread.
class UpdatedTree {
 public:
  static constexpr const char* kDelta = "/delta";
  static constexpr const char* kSource = "/tree";

  /// Fill it before pack(), and change it afterwards.
  [[nodiscard]] PackedTree& source() { return changed_.tree(); }
  [[nodiscard]] ChangedTree& changed() { return changed_; }
  [[nodiscard]] storage::MemoryEnv& memory() { return changed_.memory(); }
  /// Packs the source, and makes an empty delta over it.
  void pack() { changed_.pack(); }

  /// The clock of the file system goes on before each change of the source.
  void step();
  /// Replaces a file, or makes one.
  void file(const std::string& path, Bytes content);
  void file(const std::string& path, std::string_view content) { file(path, as_bytes(content)); }
  /// Writes into a file that is there.
  void write(const std::string& path, std::uint64_t offset_bytes, std::string_view bytes);
  void remove(const std::string& path);

  [[nodiscard]] Result<update::UpdateReport> try_update(
      const update::UpdateRequest& request = request_of(), storage::Env* env = nullptr);
  /// Ends the test program if the update fails. Expects a sound tree afterwards.
  update::UpdateReport update(const update::UpdateRequest& request = request_of());
  /// Updates. Expects that the delta shows what a build of the source has, and that a second update
  /// changes no file.
  update::UpdateReport update_whole(const update::UpdateRequest& request = request_of());

  /// How the tree of the delta differs from that of a build of the source; empty: not at all.
  [[nodiscard]] std::string difference_from_source();
  [[nodiscard]] delta::Manifest manifest();
  /// Names in the directory of the delta, in order.
  [[nodiscard]] std::vector<std::string> names_in_delta();
  /// All files of the delta but its manifest, which each opening writes.
  [[nodiscard]] std::map<std::string, std::string> files_of_delta();
  /// All paths that the delta shows, with contents of files and targets of links.
  [[nodiscard]] std::map<std::string, std::string> shown();
  void expect_sound();

 private:
  ChangedTree changed_;
  std::int64_t seconds_ = 0;
  int builds_ = 0;
};

/// Random changes of the source. For one thread.
class RandomSource {
 public:
  RandomSource(UpdatedTree& tree, Random& random) : tree_(tree), random_(random) {}
  void change();

 private:
  [[nodiscard]] std::string directory();
  [[nodiscard]] std::string name();
  [[nodiscard]] std::vector<std::string> paths();
  [[nodiscard]] Buffer content();
  void make(const std::string& path);
  void edit(const std::string& path);
  void set_attributes(const std::string& path);

  UpdatedTree& tree_;
  Random& random_;
};

}  // namespace dgfs::test
