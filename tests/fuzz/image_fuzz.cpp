// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Whole images: opened, walked, listed, read and verified. Input: a recipe (image_recipe.h).
#include <string>

#include "format/limits.h"
#include "format/mode.h"
#include "reader/image.h"
#include "storage/memory_env.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/image_recipe.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kReadBytesMax = 4096;
constexpr int kNodesMax = 500;

void use_contents(const reader::Image& image, const reader::Node& node) {
  (void)image.xattrs(node);
  (void)image.verify_records(node);
  if (format::is_symlink(node.mode)) {
    const auto target = image.read_link(node);
    if (target) require(!target.value().empty() && target.value().size() < kReadBytesMax);
  }
  if (!format::is_regular(node.mode)) return;
  Buffer out(kReadBytesMax);
  for (const auto at : {std::uint64_t{0}, node.size_bytes / 2, node.size_bytes}) {
    const auto read = image.read(node, at, out);
    if (read) require(read.value() == std::min<std::uint64_t>(out.size(), node.size_bytes - at));
  }
  const auto hole = image.next_hole(node, 0);
  if (hole) require(hole.value() <= node.size_bytes);
  (void)image.next_data(node, 0);
  (void)image.locate(node, 0);
}

void use_directory(const reader::Image& image, reader::InodeNumber inode) {
  std::string last;
  int count = 0;
  (void)image.list_nodes(inode, 0, [&](const reader::ListedName& name, const reader::Node&) {
    require(name.name.find('/') == name.name.npos && name.name != "..");
    require(last < name.name);  // sorted, so none is there twice
    last = name.name;
    const auto child = image.lookup(inode, name.name);
    if (child) require(child.value().size_bytes <= format::kFileBytesMax);
    return ++count < kNodesMax;
  });
  (void)image.list(inode, ~std::uint64_t{0}, [](const auto&) -> bool { std::abort(); });
}

void use(const reader::Image& image) {
  int count = 0;
  const auto visit = [&](std::string_view path, const reader::Node& node) {
    require(node.inode != 0 && (node.inode == 1) == path.empty());
    use_contents(image, node);
    if (format::is_directory(node.mode)) use_directory(image, node.inode);
    (void)image.lookup(path);
    (void)image.by_inode(node.inode);
    (void)image.path_of(node.inode);
    return ++count < kNodesMax;
  };
  (void)image.walk("", visit, [](const Error& error) { return !error.section().empty(); });
  (void)image.verify_index([](const Error& error) {
    require(error.kind() == ErrorKind::kNotFound || !error.section().empty());  // a missing volume
  });
}

}  // namespace
}  // namespace dgfs::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  using namespace dgfs;
  const auto image = test::bake({data, size_bytes});
  const auto env = storage::make_memory_env(1);
  auto file = env->open("/i", {.mode = storage::OpenOptions::Mode::kCreateNew});
  test::require(file && file.value()->write_at(0, image));
  const auto opened = reader::Image::open(*env, "/i");
  if (opened) test::use(*opened.value());
  return 0;
}
