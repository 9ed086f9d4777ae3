// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ViewFile: a regular file of a view as the content of a build.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "delta/merge/view_reads.h"
#include "delta/view/view.h"
#include "storage/read_only.h"

namespace dgfs::merge {

/// Thread-safe. The view must outlive it, and must not change.
class ViewFile final : public storage::ReadOnlyFile {
 public:
  /// @param path    in the view, for messages
  /// @param reads  is set once the content cannot be read; must outlive it. null: not wanted
  ViewFile(const view::View& view, view::ObjectNumber object, std::string path, ViewReads* reads)
      : view_(view), object_(object), path_(std::move(path)), reads_(reads) {}

  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset_bytes,
                                            MutableBytes out) const override;
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset_bytes,
                                            std::span<const MutableBytes> outs) const override;
  [[nodiscard]] Result<std::uint64_t> size() const override;
  [[nodiscard]] Result<storage::FileStatus> status() const override;
  [[nodiscard]] Result<storage::DataSegment> next_data(std::uint64_t offset_bytes) const override;
  [[nodiscard]] Result<std::vector<Xattr>> xattrs() const override;
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  const view::View& view_;
  const view::ObjectNumber object_;
  const std::string path_;
  ViewReads* const reads_;
};

}  // namespace dgfs::merge
