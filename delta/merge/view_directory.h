// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ViewDirectory: a directory of a view, through which a build reads the view as it reads a tree.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "delta/merge/view_reads.h"
#include "delta/view/view.h"
#include "storage/read_only.h"

namespace dgfs::merge {

/// Opens objects without a name by nameless_name(). Thread-safe. The view must outlive it, and must
/// not change.
class ViewDirectory final : public storage::ReadOnlyDirectory {
 public:
  /// The root.
  /// @param reads  learns of the reads of contents; must outlive it. null: not wanted
  explicit ViewDirectory(const view::View& view, ViewReads* reads = nullptr)
      : ViewDirectory(view, view::kRoot, {}, reads) {}
  /// @param path  in the view, for messages; empty for the root
  ViewDirectory(const view::View& view, view::ObjectNumber object, std::string path,
                ViewReads* reads)
      : view_(view), object_(object), path_(std::move(path)), reads_(reads) {}

  [[nodiscard]] Status each_name(const storage::NameSink& sink) const override;
  [[nodiscard]] Result<storage::FileStatus> status(std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<storage::Directory>> open_directory(
      std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<storage::File>> open_file(
      std::string_view name) const override;
  [[nodiscard]] Result<std::string> read_link(std::string_view name) const override;
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(std::string_view name) const override;
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const;
  /// The object of a name; of this directory if the name is empty.
  [[nodiscard]] Result<view::Entry> entry(std::string_view name) const;

  const view::View& view_;
  const view::ObjectNumber object_;
  const std::string path_;
  ViewReads* const reads_;
};

}  // namespace dgfs::merge
