// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/reader/packed_tree.h"

#include <cstdlib>

#include "format/entry/mode.h"

namespace dgfs::test {
namespace {

std::string content_of(const storage::Directory& directory, const std::string& name) {
  const auto status = value_of(directory.status(name));
  if (format::is_symlink(status.mode)) return value_of(directory.read_link(name));
  if (!format::is_regular(status.mode)) return {};
  Buffer bytes(status.size_bytes);
  expect_ok(storage::read_exactly(*value_of(directory.open_file(name)), 0, bytes));
  return std::string(as_text(bytes));
}

}  // namespace

void expect_ok(const Status& status) {
  EXPECT_TRUE(status.has_value()) << status.assume_error().message();
}

PackedTree::PackedTree()
    : memory_(storage::make_memory_env(1)), counting_(storage::make_counting_env(*memory_)) {
  expect_ok(memory_->make_directory("/tree", 0755));
  expect_ok(memory_->make_directory("/out", 0755));
}

std::unique_ptr<storage::Directory> PackedTree::parent(const std::string& path) {
  return value_of(memory_->open_directory(storage::parent_path("/tree/" + path)));
}

void PackedTree::directory(const std::string& path) {
  expect_ok(parent(path)->make_directory(storage::base_name(path), 0755));
}

void PackedTree::file(const std::string& path, Bytes content) {
  auto file = value_of(parent(path)->create_file(storage::base_name(path), 0644));
  if (!content.empty()) expect_ok(file->write_at(0, content));
}

void PackedTree::symlink(const std::string& path, std::string_view target) {
  expect_ok(parent(path)->make_symlink(storage::base_name(path), target));
}

void PackedTree::link(const std::string& existing, const std::string& path) {
  expect_ok(parent(path)->make_link(*parent(existing), storage::base_name(existing),
                                    storage::base_name(path)));
}

void PackedTree::pack(builder::BuildOptions options) {
  options.source = "/tree";
  options.image_path = kImage;
  volume_paths_ = {kImage};
  for (const auto& path : options.volume_paths) volume_paths_.push_back(path);
  if (options.jobs == 0) options.jobs = 1;
  if (options.memory_bytes == builder::BuildOptions().memory_bytes) {
    options.memory_bytes = std::size_t{16} << 20;
  }
  static_cast<void>(value_of(builder::build(*memory_, options)));
}

std::uint64_t PackedTree::volume_reads() const {
  std::uint64_t reads = 0;
  for (const auto& path : volume_paths_) reads += counting_->counts(path).reads;
  return reads;
}

std::unique_ptr<const reader::Image> PackedTree::open(reader::OpenOptions options) {
  return value_of(reader::Image::open(*counting_, kImage, std::move(options)));
}

Result<Buffer> contents(const reader::Image& image, const reader::Node& node) {
  Buffer out(node.size_bytes);
  DGFS_TRY(count, image.read(node, 0, out));
  EXPECT_EQ(count, out.size());
  return out;
}

std::map<std::string, std::string> tree_below(const storage::Directory& directory) {
  std::map<std::string, std::string> tree;
  for (const auto& name : value_of(directory.list())) {
    tree[name] = content_of(directory, name);
    if (!format::is_directory(value_of(directory.status(name)).mode)) continue;
    for (auto& [path, content] : tree_below(*value_of(directory.open_directory(name)))) {
      tree[name + "/" + path] = std::move(content);
    }
  }
  return tree;
}

Buffer pattern(std::size_t size, std::uint32_t seed) {
  Buffer bytes(size);
  std::uint32_t state = seed * 2654435761U + 1;
  for (auto& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

}  // namespace dgfs::test
