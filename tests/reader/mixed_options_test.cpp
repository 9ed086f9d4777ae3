// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree of everything built with options mixed at random: it comes back, a small file is one read
// of the index and one of the data, damage is found, and the bytes depend on no thread.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "format/extent.h"
#include "format/mode.h"
#include "reader/verify.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

/// What must come back of a name.
struct Expected {
  Buffer content;
  std::string target;
  std::string xattr;       ///< value of user.x; empty: it has none
  bool is_linked = false;  ///< has several names
  bool is_sparse = false;
};

// Like records and sources are: each says little that others have not said.
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

class MixedOptions : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
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
    options_ = random_options();
    tree_.pack(options_);
  }

  void add_file(const std::string& directory, int number) {
    static constexpr const char* kEnds[] = {".c", ".json", "", ".jpg"};
    const auto path = directory + "/" + std::to_string(number) + kEnds[random_.below(4)];
    Expected& file = model_[path];
    // What another file has, as a rule twice or more; or what no other has.
    file.content =
        random_.one_in(3) ? contents_[random_.below(contents_.size())] : random_content(random_);
    if (random_.one_in(12) && !file.content.empty()) {
      add_sparse(path, file);
    } else {
      tree_.file(path, file.content);
    }
    if (random_.one_in(10)) {
      file.xattr = text(random_, 1 + random_.below(300));
      const auto parent = tree_.parent(path);
      expect_ok(parent->set_xattr(storage::base_name(path), "user.x", as_bytes(file.xattr)));
    }
    if (random_.one_in(10)) {
      file.is_linked = true;
      tree_.link(path, path + "-too");
      model_[path + "-too"] = file;
    }
  }

  /// The content between two holes.
  void add_sparse(const std::string& path, Expected& file) {
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

  builder::BuildOptions random_options() {
    builder::BuildOptions options;
    if (!random_.one_in(3)) {
      options.compression = builder::Compression{1 + static_cast<int>(random_.below(7))};
      if (random_.one_in(3)) options.compression->dictionary_bytes_max = 0;
      if (random_.one_in(2)) {
        options.compression->joint_bytes = std::size_t{4096} << random_.below(5);
      }
    }
    options.dedup = !random_.one_in(3);
    options.xattrs = !random_.one_in(4);
    options.trailing_index = !random_.one_in(4);
    if (random_.one_in(2)) options.token_entries_min = 1;
    if (random_.one_in(3)) options.model_bytes_max = 0;
    if (random_.one_in(3)) options.uid = 77;
    if (random_.one_in(3)) options.permission_mask = 022;
    for (auto i = random_.below(4); i > 0; --i) {
      options.volume_paths.push_back("/out/volume" + std::to_string(i));
    }
    options.volume_groups =
        builder::GroupLimits{1 + random_.below(60), 1 + random_.below(1'000'000)};
    options.jobs = 1 + static_cast<unsigned>(random_.below(8));
    return options;
  }

  void expect_same(const reader::Image& image, const std::string& path, const Expected& expected) {
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
    EXPECT_EQ(node.uid, options_.uid.value_or(node.uid));
    EXPECT_EQ(node.link_count, expected.is_linked ? 2U : 1U);
    const auto xattrs = value_of(image.xattrs(node));
    if (expected.xattr.empty() || !options_.xattrs) {
      EXPECT_TRUE(xattrs.empty());
      return;
    }
    ASSERT_EQ(xattrs.size(), 1U);
    EXPECT_EQ(as_text(xattrs.front().value), expected.xattr);
  }

  Random random_{GetParam()};
  PackedTree tree_;
  std::vector<Buffer> contents_;
  std::map<std::string, Expected> model_;
  builder::BuildOptions options_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, MixedOptions, testing::Range<std::uint64_t>(1, 13));

TEST_P(MixedOptions, EverythingComesBack) {
  const auto image = tree_.open();
  for (const auto& [path, expected] : model_) {
    SCOPED_TRACE(path);
    expect_same(*image, path, expected);
  }
  EXPECT_TRUE(value_of(reader::verify(*image, {})).sound());
  EXPECT_EQ(image->superblock().namespace_entries, model_.size() + 5);
}

TEST_P(MixedOptions, ManyAtOnceComeBack) {
  const auto image = tree_.open();
  std::vector<std::string> paths;
  for (const auto& [path, expected] : model_) {
    if (expected.target.empty()) paths.push_back(path);
  }
  for (auto i = paths.size() - 1; i > 0; --i) std::swap(paths[i], paths[random_.below(i + 1)]);
  std::vector<Buffer> read(paths.size());
  image->read_many(paths, [&](std::size_t index, const Result<reader::FilePiece>& piece) {
    EXPECT_TRUE(piece) << piece.error().message();
    if (!piece) return false;
    const auto& bytes = piece.value().bytes;
    read[index].insert(read[index].end(), bytes.begin(), bytes.end());
    return true;
  });
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_TRUE(read[i] == model_[paths[i]].content) << paths[i];
  }
}

TEST_P(MixedOptions, ASmallFileIsOneReadOfEach) {
  std::size_t measured = 0;
  for (const auto& [path, expected] : model_) {
    const bool is_small = !expected.content.empty() && !expected.is_sparse &&
                          expected.content.size() <= format::kFrameBytes;
    if (!is_small || !random_.one_in(8)) continue;
    SCOPED_TRACE(path);
    const auto image = tree_.open();
    static_cast<void>(image->files());  // opens the volumes, which reads their headers
    tree_.counting().reset();
    EXPECT_TRUE(value_of(contents(*image, value_of(image->lookup(path)))) == expected.content);
    EXPECT_EQ(tree_.index_counts().reads, expected.is_linked ? 2U : 1U);
    EXPECT_EQ(tree_.volume_reads(), 1U);
    ++measured;
  }
  EXPECT_GT(measured, 10U);
}

TEST_P(MixedOptions, DamageIsFoundAndNeverServed) {
  const auto records = tree_.open()->volumes();
  for (int round = 0; round < 6; ++round) {
    const auto& volume = records[random_.below(records.size())];
    if (volume.data_end == format::kPageBytes) continue;
    const auto file = value_of(tree_.memory().open(tree_.volume_paths()[volume.number],
                                                   {storage::OpenOptions::Mode::kReadWrite}));
    const auto place = format::kPageBytes + random_.below(volume.data_end - format::kPageBytes);
    Buffer byte(1);
    value_of(file->read_at(place, byte));
    const auto sound = byte;
    byte[0] ^= static_cast<std::uint8_t>(1U << random_.below(8));
    expect_ok(file->write_at(place, byte));
    const auto image = tree_.open();
    const auto report = value_of(reader::verify(*image, {}));
    EXPECT_GE(report.damaged_files, 1U) << place;
    EXPECT_EQ(report.damaged_index_places, 0U);
    std::size_t refused = 0;
    for (const auto& [path, expected] : model_) {
      if (!expected.target.empty()) continue;
      const auto read = contents(*image, value_of(image->lookup(path)));
      EXPECT_TRUE(!read || read.value() == expected.content) << path << ", byte " << place;
      if (!read) ++refused;
    }
    EXPECT_GE(refused, report.damaged_files);
    expect_ok(file->write_at(place, sound));
  }
}

TEST_P(MixedOptions, TheBytesDependOnNoThread) {
  const auto bytes_of = [&](const std::string& path) {
    const auto file = value_of(tree_.memory().open(path));
    Buffer bytes(static_cast<std::size_t>(value_of(file->size())));
    expect_ok(storage::read_exactly(*file, 0, bytes));
    return bytes;
  };
  std::vector<Buffer> volumes;
  for (const auto& path : tree_.volume_paths()) volumes.push_back(bytes_of(path));
  const auto index = bytes_of(kIndex);
  for (const unsigned jobs : {1U, 5U}) {
    options_.jobs = jobs;
    tree_.pack(options_);
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      EXPECT_TRUE(bytes_of(tree_.volume_paths()[i]) == volumes[i]) << jobs << ", volume " << i;
    }
    EXPECT_TRUE(bytes_of(kIndex) == index) << jobs;
  }
}

}  // namespace
}  // namespace dgfs::test
