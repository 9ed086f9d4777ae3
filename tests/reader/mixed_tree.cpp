// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/reader/mixed_tree.h"

#include <algorithm>

#include "format/content/extent.h"
#include "format/section/digest_hasher.h"

namespace dgfs::test {
namespace {

// Like records and sources: each adds little to the others.
std::string text(Random& random, std::size_t bytes) {
  static constexpr const char* kWords[] = {"static ", "const ",  "return ", "value",  ";\n",
                                           "\"id\":", "\"at\":", "null,",   "name, ", "{}\n"};
  std::string out;
  while (out.size() < bytes) out += kWords[random.below(std::size(kWords))];
  return out.substr(0, bytes);
}

Buffer random_content(Random& random) {
  std::size_t bytes = random.below(6000);
  if (random.one_in(10)) bytes = random.below(3);
  if (random.one_in(15)) bytes = format::kFrameBytes - 1 + random.below(3);
  if (random.one_in(20)) bytes = format::kZstdFrameBytes - 1 + random.below(3);
  if (random.one_in(50)) bytes = 2'000'000 + random.below(1'000'000);
  if (random.one_in(4)) return random.bytes(bytes);
  const auto words = text(random, bytes);
  return {words.begin(), words.end()};
}

format::Digest digest_of(format::DigestAlgorithm algorithm, Bytes content) {
  auto hasher = value_of(format::DigestHasher::make(algorithm));
  hasher.update(content);
  return value_of(hasher.finish());
}

}  // namespace

MixedTree::MixedTree(std::uint64_t seed) : random_(seed) {
  for (int i = 0; i < 12; ++i) contents_.push_back(random_content(random_));
  for (int d = 0; d < 4; ++d) {
    const auto directory = "d" + std::to_string(d);
    tree_.directory(directory);
    for (int i = 0; i < 80; ++i) add_file(directory, i);
  }
  tree_.symlink("short", "d0/0.c");
  model_["short"].target = "d0/0.c";
  tree_.symlink("long", std::string(1500, 't'));
  model_["long"].target = std::string(1500, 't');
  mix_options();
  tree_.pack(options_);
}

void MixedTree::add_file(const std::string& directory, int number) {
  static constexpr const char* kEnds[] = {".c", ".json", "", ".jpg"};
  const auto path = directory + "/" + std::to_string(number) + kEnds[random_.below(4)];
  Expected& file = model_[path];
  // Usually a content that other files have twice or more; or one that no other has.
  file.content =
      random_.one_in(3) ? contents_[random_.below(contents_.size())] : random_content(random_);
  if (random_.one_in(12) && !file.content.empty()) {
    add_sparse(path, file);
  } else {
    tree_.file(path, file.content);
  }
  const auto parent = tree_.parent(path);
  const auto name = storage::base_name(path);
  if (random_.one_in(10)) {
    file.xattr = text(random_, 1 + random_.below(300));
    expect_ok(parent->set_xattr(name, "user.x", as_bytes(file.xattr)));
  }
  if (random_.one_in(3)) {
    file.permissions = static_cast<std::uint32_t>(random_.below(010000));
    expect_ok(parent->set_mode(name, file.permissions));
  }
  file.mtime = {static_cast<std::int64_t>(random_.below(std::uint64_t{1} << 33)) - (1LL << 32),
                random_.one_in(2) ? static_cast<std::uint32_t>(random_.below(1'000'000'000)) : 0};
  expect_ok(parent->set_times(name, std::nullopt, file.mtime));
  if (random_.one_in(10)) {
    file.is_linked = true;
    tree_.link(path, path + "-too");
    model_[path + "-too"] = file;
  }
}

// The content between two holes.
void MixedTree::add_sparse(const std::string& path, Expected& file) {
  const auto begin = 4096 * (1 + random_.below(300));
  auto out = value_of(tree_.parent(path)->create_file(storage::base_name(path), 0644));
  expect_ok(out->truncate(begin + file.content.size() + 100'000));
  expect_ok(out->write_at(begin, file.content));
  Buffer whole(static_cast<std::size_t>(begin));
  whole.insert(whole.end(), file.content.begin(), file.content.end());
  whole.resize(whole.size() + 100'000);
  file.content = std::move(whole);
  file.is_sparse = true;
}

void MixedTree::mix_options() {
  if (!random_.one_in(3)) {
    options_.compression = builder::Compression{1 + static_cast<int>(random_.below(7))};
    if (random_.one_in(3)) options_.compression->dictionary_bytes_max = 0;
    if (random_.one_in(2)) {
      options_.compression->fragment_frame_bytes = std::size_t{4096} << random_.below(5);
    }
  }
  options_.dedup = !random_.one_in(3);
  if (random_.one_in(2)) options_.digest = format::DigestAlgorithm::kSha256;
  options_.xattrs = !random_.one_in(4);
  options_.trailing_index = !random_.one_in(4);
  if (options_.trailing_index && random_.one_in(4)) options_.index_path = "";
  if (random_.one_in(2)) options_.token_entries_min = 1;
  if (random_.one_in(3)) options_.model_bytes_max = 0;
  if (random_.one_in(3)) options_.uid = 77;
  if (random_.one_in(3)) options_.permission_mask = 022;
  for (auto i = random_.below(4); i > 0; --i) {
    options_.volume_paths.push_back("/out/volume" + std::to_string(i));
  }
  options_.volume_groups =
      builder::GroupLimits{1 + random_.below(60), 1 + random_.below(1'000'000)};
  options_.jobs = 1 + static_cast<unsigned>(random_.below(8));
  options_.memory_bytes = builder::kMemoryBytesMin << random_.below(4);
}

void MixedTree::expect_same(const reader::Image& image, const std::string& path,
                            const Expected& expected) {
  const auto node = value_of(image.lookup(path));
  if (!expected.target.empty()) {
    EXPECT_EQ(value_of(image.read_link(node)), expected.target);
    return;
  }
  EXPECT_TRUE(value_of(contents(image, node)) == expected.content);
  for (int i = 0; i < 3 && !expected.content.empty(); ++i) {
    const auto begin = random_.below(expected.content.size());
    Buffer out(1 + random_.below(expected.content.size() - begin));
    EXPECT_EQ(value_of(image.read(node, begin, out)), out.size());
    EXPECT_TRUE(std::equal(out.begin(), out.end(),
                           expected.content.begin() + static_cast<std::ptrdiff_t>(begin)));
  }
  EXPECT_EQ(node.mode, 0100000U | (expected.permissions & ~options_.permission_mask.value_or(0)));
  EXPECT_EQ(node.mtime, expected.mtime);
  EXPECT_EQ(node.uid, options_.uid.value_or(node.uid));
  EXPECT_EQ(node.link_count, expected.is_linked ? 2U : 1U);
  const auto digest = image.digest(node);
  EXPECT_EQ(digest.has_value(), options_.digest.has_value());
  if (digest && options_.digest) {
    EXPECT_EQ(digest.value(), digest_of(*options_.digest, expected.content));
  }
  const auto xattrs = value_of(image.xattrs(node));
  if (expected.xattr.empty() || !options_.xattrs) {
    EXPECT_TRUE(xattrs.empty());
    return;
  }
  ASSERT_EQ(xattrs.size(), 1U);
  EXPECT_EQ(as_text(xattrs.front().value), expected.xattr);
}

void MixedTree::expect_all_the_same(const reader::Image& image) {
  for (const auto& [path, expected] : model_) {
    SCOPED_TRACE(path);
    expect_same(image, path, expected);
  }
}

}  // namespace dgfs::test
