// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SourceTree: the directory that an update reads, scanned as a build scans it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "builder/losses.h"
#include "builder/options.h"
#include "builder/scan/directory_cursor.h"
#include "builder/scan/scanner.h"
#include "builder/scan/tree_choice.h"
#include "builder/spool/link_sorter.h"
#include "builder/spool/tree_path.h"
#include "builder/spool/tree_spool.h"
#include "builder/stop.h"
#include "delta/update/update_request.h"
#include "storage/env.h"

namespace dgfs::update {

/// For one thread. Memory: a quarter of that of the request, and some 100 bytes for each entry that
/// cannot be read.
class SourceTree {
 public:
  /// @param spools  a directory for temporary files without names
  SourceTree(storage::Env& env, const UpdateRequest& request,
             std::unique_ptr<storage::Directory> root, const std::string& spools);

  /// Reads all names and attributes. Errors: those of builder::Scanner.
  [[nodiscard]] Status scan();

  /// All entries, in key order.
  [[nodiscard]] const builder::TreeSpool& tree() const { return tree_; }
  /// The object of a name at a position in tree(); positions must rise from call to call.
  [[nodiscard]] Result<builder::LinkName> link_at(std::uint64_t position) {
    return names_->at(position);
  }
  [[nodiscard]] std::uint64_t entries() const { return totals_.entries; }
  [[nodiscard]] const storage::Directory& root() const { return *root_; }
  /// A directory by its prefix; valid until the next call.
  [[nodiscard]] Result<const storage::Directory*> enter(std::string_view prefix) {
    return cursor_.enter(prefix);
  }
  /// Whether the entry, or a part of it, could not be read. `path` is below the source.
  [[nodiscard]] bool is_lost(const std::string& path) const { return lost_.contains(path); }
  /// The same of a name in a directory.
  [[nodiscard]] bool is_lost(std::string_view prefix, std::string_view name) const {
    return !lost_.empty() && is_lost(builder::tree_path(prefix, name));
  }
  /// Whether the update is to look at an entry of this path, if it is to look at those above it.
  [[nodiscard]] bool includes(const std::string& path, bool is_directory) const {
    return choice_.is_everything() || choice_.includes(path, is_directory);
  }
  [[nodiscard]] bool includes_everything() const { return choice_.is_everything(); }
  [[nodiscard]] const builder::StopFlag& stop() const { return stop_; }
  /// Of what cannot be read, or changes while it is read. Fails unless the update is to keep going.
  [[nodiscard]] builder::LossLog& losses() { return losses_; }
  [[nodiscard]] bool keeps_going() const { return options_.keep_going; }

 private:
  storage::Env& env_;
  const UpdateRequest& request_;
  const std::unique_ptr<storage::Directory> root_;
  builder::BuildOptions options_;
  builder::SpoolPlace place_;
  builder::TreeChoice choice_;
  builder::StopFlag stop_;
  std::map<std::string, builder::LostPart> lost_;
  builder::LossLog losses_;
  builder::TreeSpool tree_;
  std::unique_ptr<builder::LinkSorter> sorter_;
  std::optional<builder::LinkNames> names_;
  builder::DirectoryCursor cursor_;
  builder::ScanTotals totals_;
};

}  // namespace dgfs::update
