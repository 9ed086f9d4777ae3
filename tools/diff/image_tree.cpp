// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/diff/image_tree.h"

#include <utility>

#include "format/entry/mode.h"
#include "tools/paths/image_path.h"

namespace dgfs::tools {
namespace {

DiffEntry entry_of(std::string_view name, const reader::Node& node) {
  return {.name = std::string(name),
          .mode = node.mode,
          .uid = node.uid,
          .gid = node.gid,
          .link_count = node.link_count,
          .size_bytes = node.size_bytes,
          .rdev = node.rdev,
          .mtime = node.mtime,
          .device = 0,
          .inode = node.inode};
}

class ImageContent final : public DiffContent {
 public:
  ImageContent(const reader::Image& image, reader::Node node)
      : image_(image), node_(std::move(node)) {}
  Result<std::size_t> read(std::uint64_t offset, MutableBytes out) const override {
    return image_.read(node_, offset, out);
  }
  Result<storage::DataSegment> next_data(std::uint64_t offset) const override {
    const storage::DataSegment none = {node_.size_bytes, node_.size_bytes};
    if (offset >= node_.size_bytes) return none;
    const auto begin = image_.next_data(node_, offset);
    // The only possible wrong argument is an offset without data after it.
    if (!begin && begin.error().kind() == ErrorKind::kInvalidArgument) return none;
    if (!begin) return begin.error();
    DGFS_TRY(end, image_.next_hole(node_, begin.value()));
    return storage::DataSegment{begin.value(), end};
  }

 private:
  const reader::Image& image_;
  reader::Node node_;
};

class ImageTree final : public DiffTree {
 public:
  explicit ImageTree(const reader::Image& image) : image_(image) {}

  Result<DiffEntry> find(const std::string& path) override {
    DGFS_TRY(node, image_.lookup(path));
    return entry_of(storage::base_name(path), node);
  }
  Result<std::vector<DiffEntry>> list(const std::string& path, const Trouble& trouble) override {
    DGFS_TRY(directory, image_.lookup(path));
    std::vector<DiffEntry> entries;
    const auto add = [&](const reader::ListedName& listed, const reader::Node& node) {
      entries.push_back(entry_of(listed.name, node));
      return true;
    };
    const auto lose = [&](const reader::LostNames& lost) {
      trouble(lost.name == nullptr ? path : joined_path(path, lost.name->name), lost.error);
      return true;
    };
    DGFS_CHECK(image_.list_nodes(directory.inode, 0, add, lose));
    return entries;
  }
  Result<std::string> read_link(const std::string& path) override {
    DGFS_TRY(node, image_.lookup(path));
    return image_.read_link(node);
  }
  Result<std::vector<Xattr>> xattrs(const std::string& path) override {
    if ((image_.superblock().compat & format::feature::kCompatXattrs) == 0) {
      return std::vector<Xattr>();
    }
    DGFS_TRY(node, image_.lookup(path));
    return image_.xattrs(node);
  }
  Result<std::unique_ptr<DiffContent>> open(const std::string& path) override {
    DGFS_TRY(node, image_.lookup(path));
    return std::make_unique<ImageContent>(image_, std::move(node));
  }

 private:
  const reader::Image& image_;
};

}  // namespace

std::unique_ptr<DiffTree> make_image_tree(const reader::Image& image) {
  return std::make_unique<ImageTree>(image);
}

}  // namespace dgfs::tools
