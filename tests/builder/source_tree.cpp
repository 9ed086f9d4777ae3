// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/builder/source_tree.h"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

#include "format/entry/mode.h"

namespace dgfs::test {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message().c_str());
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace

SourceTree::SourceTree(storage::Env& env, std::string path) : env_(env), path_(std::move(path)) {
  must(env_.make_directory(path_, 0755));
}

std::unique_ptr<storage::Directory> SourceTree::parent(const std::string& name) {
  return must(env_.open_directory(storage::parent_path(path_ + "/" + name)));
}

void SourceTree::directory(const std::string& name, std::uint32_t mode) {
  must(env_.make_directory(path_ + "/" + name, mode));
}

void SourceTree::file(const std::string& name, const std::string& content, std::uint32_t mode) {
  const auto file = must(parent(name)->create_file(storage::base_name(name), mode));
  must(file->write_at(0, as_bytes(content)));
}

void SourceTree::sparse(const std::string& name, std::uint64_t size_bytes,
                        std::uint64_t offset_bytes, const std::string& data) {
  const auto file = must(parent(name)->create_file(storage::base_name(name), 0644));
  must(file->truncate(size_bytes));
  if (!data.empty()) must(file->write_at(offset_bytes, as_bytes(data)));
}

void SourceTree::symlink(const std::string& name, const std::string& target) {
  must(parent(name)->make_symlink(storage::base_name(name), target));
}

void SourceTree::link(const std::string& existing, const std::string& name) {
  const auto from = parent(existing);
  must(parent(name)->make_link(*from, storage::base_name(existing), storage::base_name(name)));
}

void SourceTree::node(const std::string& name, std::uint32_t mode, std::uint64_t rdev) {
  must(parent(name)->make_node(storage::base_name(name), mode, rdev));
}

void SourceTree::xattr(const std::string& name, const std::string& key, const std::string& value) {
  must(parent(name)->set_xattr(storage::base_name(name), key, as_bytes(value)));
}

void SourceTree::time(const std::string& name, Time modify_time) {
  must(parent(name)->set_times(storage::base_name(name), std::nullopt, modify_time));
}

void SourceTree::owner(const std::string& name, std::uint32_t uid, std::uint32_t gid) {
  must(parent(name)->set_owner(storage::base_name(name), uid, gid));
}

void make_feature_tree(SourceTree& tree) {
  tree.file("empty", "");
  tree.file("hello", "hello\n", 0600);
  tree.time("hello", {-5, 123456789});
  tree.owner("hello", 1000, 70000);
  tree.file("frame", noise(65536, 1));
  tree.file("frames", noise(65536 * 3 + 1, 2));
  tree.directory("a");
  tree.directory("a/b");
  tree.directory("a/b/c");
  tree.file("a/b/c/deep", "deep");
  tree.directory("a!");  // sorts between "a" and its children
  tree.file("a!/x", "x");
  tree.directory("bare");
  tree.file("bytes \xff\x01\n", "odd");
  tree.symlink("short", "hello");
  tree.symlink("long", std::string(300, 't'));
  tree.node("fifo", format::kTypeFifo | 0644);
  tree.node("socket", format::kTypeSocket | 0755);
  tree.node("null", format::kTypeCharacterDevice | 0666, 0x103);
  tree.file("zfirst", "linked");
  tree.link("zfirst", "a/name");
  tree.link("zfirst", "bare/name");
  tree.link("fifo", "a/fifo");
  tree.link("short", "a!/link");
  tree.xattr("hello", "user.one", "1");
  tree.xattr("frames", "user.one", "1");
  tree.xattr("a", "user.dir", std::string(3000, 'v'));
  tree.sparse("hole", 1 << 20, 0, "");
  tree.sparse("sparse", (1 << 20) + 77, 300000, noise(100000, 3));
  tree.time("a/b", {1700000000, 1});
}

builder::BuildOptions options_for(const SourceTree& tree, const std::string& image_path) {
  builder::BuildOptions options;
  options.source = tree.path();
  options.image_path = image_path;
  options.jobs = 2;
  return options;
}

std::string noise(std::size_t size_bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size_bytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

}  // namespace dgfs::test
