// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/diff/directory_tree.h"

#include <algorithm>
#include <utility>

#include "reader/extract/directory_stack.h"
#include "reader/extract/paths.h"
#include "tools/paths/image_path.h"

namespace dgfs::tools {
namespace {

using reader::name_of;
using reader::parent_of;

DiffEntry entry_of(std::string_view name, const storage::FileStatus& status) {
  return {.name = std::string(name),
          .mode = status.mode,
          .uid = status.uid,
          .gid = status.gid,
          .link_count = status.link_count,
          .size_bytes = status.size_bytes,
          .rdev = status.rdev,
          .mtime = status.modify_time,
          .device = status.device,
          .inode = status.inode};
}

class FileContent final : public DiffContent {
 public:
  explicit FileContent(std::unique_ptr<storage::File> file) : file_(std::move(file)) {
    file_->advise(storage::Access::kSequential, 0, 0);
  }
  Result<std::size_t> read(std::uint64_t offset, MutableBytes out) const override {
    return file_->read_at(offset, out);
  }
  Result<storage::DataSegment> next_data(std::uint64_t offset) const override {
    return file_->next_data(offset);
  }

 private:
  std::unique_ptr<storage::File> file_;
};

class DirectoryTree final : public DiffTree {
 public:
  explicit DirectoryTree(reader::DirectoryPointer root) : stack_(std::move(root)) {}

  Result<DiffEntry> find(const std::string& path) override {
    DGFS_TRY(parent, stack_.open(parent_of(path)));
    DGFS_TRY(status, parent->status(name_of(path)));
    return entry_of(name_of(path), status);
  }
  Result<std::vector<DiffEntry>> list(const std::string& path, const Trouble& trouble) override {
    DGFS_TRY(directory, stack_.open(path));
    DGFS_TRY(names, directory->list());
    std::sort(names.begin(), names.end());
    std::vector<DiffEntry> entries;
    for (const auto& name : names) {
      const auto status = directory->status(name);
      if (status) {
        entries.push_back(entry_of(name, status.assume_value()));
      } else {
        trouble(joined_path(path, name), status.assume_error());
      }
    }
    return entries;
  }
  Result<std::string> read_link(const std::string& path) override {
    DGFS_TRY(parent, stack_.open(parent_of(path)));
    return parent->read_link(name_of(path));
  }
  Result<std::vector<Xattr>> xattrs(const std::string& path) override {
    DGFS_TRY(parent, stack_.open(parent_of(path)));
    return parent->xattrs(name_of(path));
  }
  Result<std::unique_ptr<DiffContent>> open(const std::string& path) override {
    DGFS_TRY(parent, stack_.open(parent_of(path)));
    DGFS_TRY(file, parent->open_file(name_of(path)));
    return std::make_unique<FileContent>(std::move(file));
  }

 private:
  reader::DirectoryStack stack_;
};

}  // namespace

Result<std::unique_ptr<DiffTree>> make_directory_tree(storage::Env& env, const std::string& path) {
  DGFS_TRY(root, env.open_directory(path));
  return std::make_unique<DirectoryTree>(std::move(root));
}

}  // namespace dgfs::tools
