// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A directory of a generated tree. Its files have attributes but cannot be opened, because
// zero_contents.h provides the contents. It cannot be changed.
#pragma once

#include <string>

#include "bench/hundred_million/generated_tree.h"
#include "storage/directory.h"

namespace dgfs::bench {

/// Immutable, thread-safe.
class GeneratedDirectory final : public storage::Directory {
 public:
  /// @param tree  must outlive the object
  GeneratedDirectory(const GeneratedTree& tree, const Place& place, std::string path)
      : tree_(tree), place_(place), path_(std::move(path)) {}

  Status each_name(const storage::NameSink& sink) const override;
  Result<storage::FileStatus> status(std::string_view name) const override;
  Result<std::unique_ptr<Directory>> open_directory(std::string_view name) const override;
  Result<std::vector<Xattr>> xattrs(std::string_view) const override { return no_xattrs(); }
  const std::string& path() const override { return path_; }

  Result<std::unique_ptr<storage::File>> open_file(std::string_view) const override {
    return refusal();
  }
  Result<std::string> read_link(std::string_view) const override { return refusal(); }
  Status make_directory(std::string_view, std::uint32_t) override { return refusal(); }
  Result<std::unique_ptr<storage::File>> create_file(std::string_view, std::uint32_t) override {
    return refusal();
  }
  Result<std::unique_ptr<storage::NewFile>> create_unnamed(std::string_view,
                                                           std::uint32_t) override {
    return refusal();
  }
  Status make_symlink(std::string_view, std::string_view) override { return refusal(); }
  Status make_link(const Directory&, std::string_view, std::string_view) override {
    return refusal();
  }
  Status make_node(std::string_view, std::uint32_t, std::uint64_t) override { return refusal(); }
  Status set_owner(std::string_view, std::uint32_t, std::uint32_t) override { return refusal(); }
  Status set_mode(std::string_view, std::uint32_t) override { return refusal(); }
  Status set_times(std::string_view, std::optional<Time>, Time) override { return refusal(); }
  Status set_xattr(std::string_view, std::string_view, Bytes) override { return refusal(); }
  Status remove_xattr(std::string_view, std::string_view) override { return refusal(); }
  Status remove(std::string_view) override { return refusal(); }
  Status sync() override { return ok(); }

 private:
  [[nodiscard]] static std::vector<Xattr> no_xattrs() { return {}; }
  [[nodiscard]] Error refusal() const;
  [[nodiscard]] Result<Place> find(std::string_view name) const;

  const GeneratedTree& tree_;
  Place place_;
  std::string path_;
};

}  // namespace dgfs::bench
