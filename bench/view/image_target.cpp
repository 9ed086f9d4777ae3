// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An image without a view, which cannot be changed: the minimum cost of lookups and listings.
#include "bench/view/target.h"
#include "reader/image.h"

namespace dgfs::bench {
namespace {

class ImageTarget final : public Target {
 public:
  explicit ImageTarget(std::unique_ptr<const reader::Image> image) : image_(std::move(image)) {}

  Result<Handle> directory(const std::string& path) override {
    DGFS_TRY(node, image_->lookup(path));
    return node.inode;
  }

  Result<bool> has(Handle directory, const std::string& name) override {
    const auto node = image_->lookup(directory, name);
    if (node) return true;
    if (node.error().kind() == ErrorKind::kNotFound) return false;
    return node.error();
  }

  Result<std::uint64_t> list(Handle directory) override {
    std::uint64_t count = 0;
    DGFS_CHECK(
        image_->list_nodes(directory, 0, [&](const reader::ListedName&, const reader::Node&) {
          ++count;
          return true;
        }));
    return count;
  }

  Result<Handle> file(Handle directory, const std::string& name) override {
    DGFS_TRY(node, image_->lookup(directory, name));
    return node.inode;
  }
  Status read(Handle file, std::uint64_t offset_bytes, MutableBytes out) override {
    DGFS_TRY(node, image_->by_inode(file));
    DGFS_TRY(count, image_->read(node, offset_bytes, out));
    return count == out.size() ? ok() : Status(Error(ErrorKind::kIo, 9038, "a short read"));
  }

  Status write(Handle, std::uint64_t, Bytes) override { return refusal(); }
  Status append(Handle, Bytes) override { return refusal(); }
  Status create(Handle, const std::string&) override { return refusal(); }
  Status make_directory(Handle, const std::string&) override { return refusal(); }
  Status change_mode(Handle, const std::string&, std::uint32_t) override { return refusal(); }
  Status set_xattr(Handle, const std::string&, const std::string&, Bytes) override {
    return refusal();
  }
  Status link(Handle, const std::string&, Handle, const std::string&) override { return refusal(); }
  Status rename(Handle, const std::string&, Handle, const std::string&) override {
    return refusal();
  }
  Status unlink(Handle, const std::string&) override { return refusal(); }
  Status sync() override { return ok(); }
  Status settle() override { return ok(); }

 private:
  static Error refusal() { return {ErrorKind::kPermission, 9030, "an image cannot be changed"}; }

  std::unique_ptr<const reader::Image> image_;
};

}  // namespace

Result<std::unique_ptr<Target>> open_image(storage::Env& env, const TargetOptions& options) {
  DGFS_TRY(image, reader::Image::open(env, image_path(options.directory)));
  return std::make_unique<ImageTarget>(std::move(image));
}

}  // namespace dgfs::bench
