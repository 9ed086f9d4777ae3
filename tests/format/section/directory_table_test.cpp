// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/section/directory_table.h"

#include <map>
#include <set>

#include "tests/format/section/section_fixtures.h"

namespace dgfs::format {
namespace {

using test::expect_error;

/// A tree as plain maps: the model. A path is a list of names.
class TreeModel {
 public:
  using Path = std::vector<std::string>;

  TreeModel() { directories_[{}]; }

  void add(const Path& directory, const std::string& name, bool is_directory) {
    if (!directories_[directory].emplace(name, is_directory).second || !is_directory) return;
    auto path = directory;
    path.push_back(name);
    directories_[path];
  }

  [[nodiscard]] const std::map<Path, std::map<std::string, bool>>& directories() const {
    return directories_;
  }

  /// Ordinals by their definition: ranks of the path keys.
  [[nodiscard]] std::map<Path, Ordinal> ordinals() const {
    std::map<std::string, Path> by_key{{std::string(1, '\0'), {}}};
    for (const auto& [directory, children] : directories_) {
      std::string prefix;
      for (const auto& name : directory) prefix += name + '\0';
      for (const auto& [name, is_directory] : children) {
        auto path = directory;
        path.push_back(name);
        by_key[prefix + '\0' + name] = path;
      }
    }
    std::map<Path, Ordinal> ordinals;
    // The root's key is a prefix of the first child's, so it comes first.
    for (const auto& [key, path] : by_key) ordinals.emplace(path, ordinals.size());
    return ordinals;
  }

  /// Encodes the lists depth first, as the format requires.
  void encode(Buffer& body, const Path& directory = {}) const {
    std::vector<std::uint64_t> positions;
    std::vector<Path> subdirectories;
    std::uint64_t count = 0;
    for (const auto& [name, is_directory] : directories_.at(directory)) {
      if (is_directory) {
        positions.push_back(count);
        subdirectories.push_back(directory);
        subdirectories.back().push_back(name);
      }
      ++count;
    }
    encode_directory_list(body, count, positions);
    for (const auto& subdirectory : subdirectories) encode(body, subdirectory);
  }

 private:
  std::map<Path, std::map<std::string, bool>> directories_;
};

TreeModel random_tree(test::Random& random, std::size_t entries) {
  TreeModel tree;
  std::vector<TreeModel::Path> directories{{}};
  for (std::size_t i = 0; i < entries; ++i) {
    const auto directory = directories[test::below(random, directories.size())];
    std::string name;
    for (std::uint64_t n = test::below(random, 3) + 1; n > 0; --n) {
      name += static_cast<char>(1 + test::below(random, 255));
    }
    const bool is_directory = test::below(random, 3) == 0;
    tree.add(directory, name, is_directory);
    auto path = directory;
    path.push_back(name);
    if (tree.directories().contains(path)) directories.push_back(path);
  }
  return tree;
}

Result<DirectoryTable> load_directories(Bytes body, Ordinal entry_count) {
  DirectoryTable::Loader loader(entry_count);
  DGFS_CHECK(loader.add(body));
  return std::move(loader).finish();
}

void expect_equal(const DirectoryTable& table, const TreeModel& tree) {
  const auto ordinals = tree.ordinals();
  EXPECT_EQ(table.entry_count(), ordinals.size());
  EXPECT_EQ(table.directory_count(), tree.directories().size());
  for (const auto& [path, ordinal] : ordinals) {
    auto parent = path;
    if (!parent.empty()) parent.pop_back();
    EXPECT_EQ(table.parent(ordinal), ordinals.at(parent));
    const auto directory = tree.directories().find(path);
    const auto range = table.children(ordinal);
    ASSERT_EQ(range.has_value(), directory != tree.directories().end());
    if (!range) continue;
    EXPECT_EQ(range->count, directory->second.size());
    std::uint64_t subdirectories = 0;
    Ordinal next = range->first;
    for (const auto& [name, is_directory] : directory->second) {
      auto child = path;
      child.push_back(name);
      EXPECT_EQ(ordinals.at(child), next++);
      subdirectories += is_directory ? 1 : 0;
    }
    EXPECT_EQ(range->subdirectory_count, subdirectories);
  }
  EXPECT_EQ(table.parent(ordinals.size()), std::nullopt);
  EXPECT_EQ(table.children(ordinals.size()), std::nullopt);
}

TEST(DirectoryTableTest, AgreesWithATreeModel) {  // F-050
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto tree = random_tree(random, test::below(random, 120));
    Buffer body;
    tree.encode(body);
    const auto table = load_directories(body, tree.ordinals().size());
    ASSERT_TRUE(table) << table.error().message();
    expect_equal(table.value(), tree);
  }
}

TEST(DirectoryTableTest, LoadsListsFromSeveralBodies) {  // F-054
  test::Random random(5);
  const auto tree = random_tree(random, 100);
  // Puts every list into a body of its own; recursion visits them in order.
  Buffer all;
  tree.encode(all);
  DirectoryTable::Loader loader(tree.ordinals().size());
  Decoder decoder(all);
  while (!decoder.at_end()) {
    const auto begin = decoder.offset();
    ASSERT_TRUE(decoder.varint());
    for (auto n = decoder.varint().value(); n > 0; --n) ASSERT_TRUE(decoder.varint());
    ASSERT_TRUE(loader.add(Bytes(all).subspan(begin, decoder.offset() - begin)));
  }
  expect_equal(std::move(loader).finish().value(), tree);
}

TEST(DirectoryTableTest, HoldsAnEmptyRoot) {
  Buffer body;
  encode_directory_list(body, 0, {});
  const auto table = load_directories(body, 1);
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table.value().children(0), (ChildRange{1, 0, 0}));
  EXPECT_EQ(table.value().parent(0), 0U);
  EXPECT_EQ(table.value().parent(1), std::nullopt);
}

TEST(DirectoryTableTest, HoldsAVeryDeepTree) {
  constexpr Ordinal kDepth = 100000;
  const std::uint64_t first[] = {0};
  Buffer body;
  for (Ordinal i = 0; i < kDepth; ++i) encode_directory_list(body, 1, first);
  encode_directory_list(body, 0, {});
  const auto table = load_directories(body, kDepth + 1);
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table.value().parent(kDepth), kDepth - 1);
  EXPECT_EQ(table.value().children(kDepth), (ChildRange{kDepth + 1, 0, 0}));
  EXPECT_LT(table.value().memory_bytes(), 25 * kDepth);
}

// Ordinals, and then first children, cross 2^32 in the middle of lists that the table decodes many
// at once.
TEST(DirectoryTableTest, HoldsMoreThanFourThousandMillionEntries) {
  constexpr Ordinal kHigh = Ordinal{1} << 32;
  std::vector<std::uint64_t> positions;
  for (Ordinal i = 0; i < 8; ++i) positions.push_back(kHigh - 5 + i);
  Buffer body;
  encode_directory_list(body, kHigh + 6, positions);
  for (Ordinal i = 0; i < 8; ++i) encode_directory_list(body, 2, {});
  const auto wide = load_directories(body, kHigh + 7 + 16);
  ASSERT_TRUE(wide) << wide.error().message();
  for (Ordinal i = 0; i < 8; ++i) {
    EXPECT_EQ(wide.value().children(kHigh - 4 + i), (ChildRange{kHigh + 7 + 2 * i, 2, 0}));
    EXPECT_EQ(wide.value().parent(kHigh + 8 + 2 * i), kHigh - 4 + i);
  }

  body.clear();
  encode_directory_list(body, 10, std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  encode_directory_list(body, kHigh - 50, {});
  for (Ordinal i = 1; i < 10; ++i) encode_directory_list(body, 10, {});
  const auto long_list = load_directories(body, 11 + kHigh - 50 + 90);
  ASSERT_TRUE(long_list) << long_list.error().message();
  for (Ordinal i = 1; i < 10; ++i) {
    const auto first = 11 + kHigh - 50 + 10 * (i - 1);
    EXPECT_EQ(long_list.value().children(i + 1), (ChildRange{first, 10, 0}));
    EXPECT_EQ(long_list.value().parent(first + 9), i + 1);
  }
}

TEST(DirectoryTableTest, RefusesWrongTotals) {  // F-051, F-052
  Buffer body;
  encode_directory_list(body, 3, {});
  expect_error(load_directories(body, 3), ErrorKind::kCorrupt, 2641);
  expect_error(load_directories(body, 5), ErrorKind::kCorrupt, 2646);
  expect_error(load_directories(body, 0), ErrorKind::kCorrupt, 2641);
  expect_error(load_directories({}, 1), ErrorKind::kCorrupt, 2645);
  encode_directory_list(body, 0, {});
  expect_error(load_directories(body, 4), ErrorKind::kCorrupt, 2640);
}

TEST(DirectoryTableTest, RefusesWrongSubdirectories) {  // F-002, F-053
  const auto refuse = [](const std::vector<std::uint64_t>& varints, unsigned code) {
    Buffer body;
    for (const auto value : varints) Encoder(body).varint(value);
    const auto refused = load_directories(body, 10);
    expect_error(refused, ErrorKind::kCorrupt, code);
    EXPECT_EQ(refused.error().section(), "directory table");
  };
  refuse({2, 3, 0, 0, 0}, 2642);            // more than children
  refuse({9, 9}, 2642);                     // more than bytes
  refuse({2, 1, 2}, 2644);                  // behind the last child
  refuse({2, 2, 1, 0}, 2644);               // the second one is
  refuse({2, 1, ~std::uint64_t{0}}, 2644);  // wraps
  refuse({~std::uint64_t{0}, 0}, 2641);     // wraps
  refuse({5, 1, 0, ~std::uint64_t{0} - 4, 0}, 2641);
}

TEST(DirectoryTableTest, RefusesEveryTruncation) {
  test::Random random(6);
  const auto tree = random_tree(random, 60);
  Buffer body;
  tree.encode(body);
  const auto entries = tree.ordinals().size();
  test::expect_no_prefix_decodes(
      body, test::kind_of([entries](Bytes bytes) { return load_directories(bytes, entries); }));
}

TEST(DirectoryTableTest, SurvivesRandomBytes) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    auto body = test::random_bytes(random, test::below(random, 40));
    for (auto& byte : body) byte %= 4;
    const auto entries = test::below(random, 30);
    const auto table = load_directories(body, entries);
    if (!table) continue;
    std::uint64_t children = 1;
    for (Ordinal i = 0; i < entries; ++i) {
      EXPECT_LT(table.value().parent(i).value_or(entries), entries);
      if (const auto range = table.value().children(i)) children += range->count;
    }
    EXPECT_EQ(children, entries);
  }
}

}  // namespace
}  // namespace dgfs::format
