// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/corrupt/sample_image.h"

#include "format/content/extent.h"
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

void add_files(PackedTree& tree) {
  tree.directory("d");
  tree.directory("e");
  tree.directory("e/f");
  tree.directory("e/f/g");
  tree.file("d/one", "first content");
  tree.file("d/two", pattern(700, 2));
  tree.file("e/f/g/deep", "far down");
  tree.file("empty", "");
  add_special(tree);
}

Buffer pack(bool with_frames, bool with_tokens = false) {
  PackedTree tree;
  add_files(tree);
  if (with_frames) tree.file("z", pattern(66'000, 3));
  builder::BuildOptions options;
  options.index_path = "";
  options.digest = format::DigestAlgorithm::kSha256;
  if (with_tokens) options.token_entries_min = 1;
  tree.pack(options);
  return read_file(tree.memory(), kImage);
}

// Enough bytes of one class for a dictionary, in few files and few stored bytes: a start that all
// files share, a part that differs, and many dots.
void add_class(PackedTree& tree) {
  constexpr std::uint32_t kFiles = 10;
  constexpr std::size_t kFileBytes = 27'000;
  for (std::uint32_t i = 0; i < kFiles; ++i) {
    auto content = pattern(900, 11);
    const auto own = pattern(60, i % 7);  // the last three are copies
    content.insert(content.end(), own.begin(), own.end());
    content.resize(kFileBytes, '.');
    tree.file("d/" + std::to_string(i) + ".log", content);
  }
}

Buffer pack_compressed() {
  PackedTree tree;
  add_files(tree);
  add_class(tree);
  Buffer frames = pattern(500, 5);
  frames.resize(format::kZstdFrameBytes + 1000, 'f');
  tree.file("frames", frames);
  tree.file("e/frames", frames);
  builder::BuildOptions options;
  options.index_path = "";
  options.compression = builder::Compression{3, 1024};
  tree.pack(options);
  return read_file(tree.memory(), kImage);
}

Buffer pack_fragments() {
  PackedTree tree;
  add_files(tree);
  for (std::uint32_t i = 0; i < 24; ++i) {
    auto content = pattern(30 + i, i);
    content.resize(300 + i * 20, '.');
    tree.file("d/letter " + std::to_string(i), content);
  }
  builder::BuildOptions options;
  options.index_path = "";
  options.compression = builder::Compression{3, 0, builder::kFragmentFrameBytesMin};
  tree.pack(options);
  return read_file(tree.memory(), kImage);
}

ImageFiles pack_volumes() {
  PackedTree tree;
  add_files(tree);
  tree.file("words", Buffer(3000, 'w'));
  tree.file("e/words", Buffer(3000, 'w'));
  builder::BuildOptions options;
  options.index_path = "";
  options.digest = format::DigestAlgorithm::kSha256;
  options.compression = builder::Compression{3};
  options.volume_paths = {"/out/one.volume", "/out/two.volume"};
  options.volume_groups = builder::GroupLimits{1, 10'000};
  tree.pack(options);
  ImageFiles files{read_file(tree.memory(), kImage), {}};
  for (const auto& path : options.volume_paths) {
    files.volumes[storage::base_name(path)] = read_file(tree.memory(), path);
  }
  return files;
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
  static const auto made = pack(false, true);
  return made;
}

const Buffer& assembled_image() {
  static const auto made = assemble();
  return made;
}

const Buffer& compressed_image() {
  static const auto made = pack_compressed();
  return made;
}

const Buffer& fragments_image() {
  static const auto made = pack_fragments();
  return made;
}

const ImageFiles& volumes_image() {
  static const auto made = pack_volumes();
  return made;
}

}  // namespace dgfs::test
