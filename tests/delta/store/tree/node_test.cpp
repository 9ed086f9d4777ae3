// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/tree/node.h"

#include <gtest/gtest.h>

#include "delta/store/run/run_builder.h"
#include "delta/store/tree/tree_blocks.h"
#include "storage/memory/env.h"

namespace dgfs::test {
namespace {

using namespace delta;

// Encodes a node of height 0 with one slot for each key.
Buffer encoded(const std::vector<std::string>& lows) {
  std::vector<Slot> slots(lows.size());
  for (std::size_t i = 0; i < lows.size(); ++i) slots[i].low = lows[i];
  Buffer bytes;
  Node(0, std::move(slots)).encode(bytes);
  return bytes;
}

TEST(Node, SlotsRiseFromTheSecondOn) {
  for (const auto& lows : std::vector<std::vector<std::string>>{{""}, {"z", "a", "b"}}) {
    const auto node = Node::decode(encoded(lows));
    ASSERT_TRUE(node) << node.error().message();
    EXPECT_EQ(node.value()->slots().size(), lows.size());
    EXPECT_EQ(node.value()->find(""), 0U);
  }
  for (const auto& lows :
       std::vector<std::vector<std::string>>{{"", "b", "a"}, {"", "b", "b"}, {"", "a", ""}}) {
    const auto node = Node::decode(encoded(lows));
    ASSERT_FALSE(node);
    EXPECT_EQ(node.error().kind(), ErrorKind::kCorrupt);
  }
}

// The fuzzer found this: the second slot had the empty key, and no comparison with the slot before
// showed it.
TEST(Node, ASecondSlotThatBeginsAtTheEmptyKeyIsRefused) {
  EXPECT_FALSE(Node::decode(encoded({"", ""})));
}

RunRef run_of_names() {
  RunBuilder points;
  for (int i = 1000; i < 1500; ++i) {
    points.add("directory/name" + std::to_string(i), Message::put("value"));
  }
  return points.take();
}

// The same holds if the pages were not written yet when the node was made.
TEST(Node, IsCachedAtItsSizeWithThePagesOfItsRuns) {
  const auto env = storage::make_memory_env(1);
  BlockFile file(env->open("/blocks", {storage::OpenOptions::Mode::kCreateNew}).value());
  BlockPacker packer(0);
  BlockCache cache(std::size_t{1} << 20);
  const auto run = run_of_names();
  const StoredRun stored = make_run(run);
  const StoredNode root = make_node(0, {{"", nullptr, stored, {}}});
  const auto before = root->load({&file, &cache, nullptr}).value()->size_bytes();
  ASSERT_TRUE(TreeWriter(file, packer, 512, {&file, &cache, nullptr}).write(root));
  const auto node = root->load({&file, &cache, nullptr}).value();
  ASSERT_GT(stored->pages().size(), 20U);
  EXPECT_GE(node->size_bytes(), before + stored->pages().size_bytes());
  EXPECT_EQ(cache.size_bytes(), node->size_bytes() + run->size_bytes());

  const Stored<Node> again(*root->place(), 1);
  BlockCache other(std::size_t{1} << 20);
  ASSERT_TRUE(again.load({&file, &other, nullptr}));
  EXPECT_EQ(other.size_bytes(), node->size_bytes());
}

}  // namespace
}  // namespace dgfs::test
