// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/corrupt/sample_image.h"

#include "format/model.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

void add_special(PackedTree& tree) {
  tree.link("d/one", "d/three");
  tree.link("d/one", "e/f/four");
  tree.symlink("long", std::string(300, 'y'));
  tree.symlink("short", "d/one");
  auto root = tree.parent("x");
  expect_ok(root->make_node("fifo", 0010644, 0));
  expect_ok(root->set_xattr("empty", "user.a", as_bytes("value")));
  expect_ok(root->set_xattr("empty", "user.b", {}));
  auto holes = value_of(root->create_file("holes", 0644));
  expect_ok(holes->write_at(8192, pattern(4096, 4)));
  expect_ok(holes->write_at(20480, pattern(100, 5)));
  expect_ok(holes->truncate(32768));
}

Buffer pack(bool with_frames, bool with_tokens = false) {
  PackedTree tree;
  tree.directory("d");
  tree.directory("e");
  tree.directory("e/f");
  tree.directory("e/f/g");
  tree.file("d/one", "first content");
  tree.file("d/two", pattern(700, 2));
  tree.file("e/f/g/deep", "far down");
  tree.file("empty", "");
  add_special(tree);
  if (with_frames) tree.file("z", pattern(66'000, 3));
  builder::BuildOptions options;
  options.index_path = "";
  options.digest = format::DigestAlgorithm::kSha256;
  if (with_tokens) options.token_entries_min = 1;
  tree.pack(options);
  return read_file(tree.memory(), kImage);
}

Buffer assemble() {
  ImageAssembler assembler;
  assembler.entries_per_page = 7;
  std::vector<Buffer> samples;
  for (std::uint32_t i = 0; i < 200; ++i) samples.push_back(pattern(200, i % 20));
  assembler.models.push_back(value_of(format::Model::train(3, samples, 2048)));
  assembler.tables.emplace_back(7);
  assembler.add_directory("d");
  for (int i = 10; i < 40; ++i) {
    const auto name = "d/" + std::to_string(i);
    assembler.add_file(name, Buffer(static_cast<std::size_t>(i) * 9, 'c'),
                       i % 2 == 0 ? format::ExtentCodec::kZstd : format::ExtentCodec::kRaw);
  }
  assembler.add_file("frames", Buffer(140'000, 'f'), format::ExtentCodec::kZstd);
  const auto memory = storage::make_memory_env(1);
  assembler.write(*memory, "/i", "", true);
  return read_file(*memory, "/i");
}

}  // namespace

const Buffer& sample_image() {
  static const auto made = pack(true);
  return made;
}

const Buffer& tiny_image() {
  static const auto made = pack(false);
  return made;
}

const Buffer& token_image() {
  static const auto made = pack(true, true);
  return made;
}

const Buffer& assembled_image() {
  static const auto made = assemble();
  return made;
}

}  // namespace dgfs::test
