// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Hand-made trees that each break one rule: the check names the rule and the place.
#include "delta/store/store_check.h"

#include <gtest/gtest.h>

#include "delta/store/filter/filter_table.h"
#include "delta/store/run/run_builder.h"
#include "delta/store/tree/tree_blocks.h"
#include "storage/memory/env.h"
#include "storage/testing/counting_env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

RunRef run_of(const std::vector<std::string>& keys) {
  RunBuilder points;
  for (const auto& key : keys) points.add_put(key, "value of " + key);
  return points.take();
}

RunRef run_of_tombstone(KeyRange range) {
  RangeTombstones tombstones;
  tombstones.add(std::move(range));
  return RunBuilder().take(std::move(tombstones));
}

RunRef run_of_value(const ValuePlace& place) {
  RunBuilder points;
  points.add("k", Message::put(std::make_shared<const LargeValue>(place)));
  return points.take();
}

// (Within a test, Run would name a member of gtest's.)
TreeRun::About about(const RunRef& run) {
  return {run->values(), KeyFilter(*run), !run->tombstones().empty()};
}

StoredRun stored_at(const Place& place, std::size_t size_bytes) {
  return std::make_shared<const TreeRun>(place, size_bytes, TreeRun::About());
}

Slot slot_of(std::string low, StoredRun basement, std::vector<StoredRun> runs = {}) {
  return {std::move(low), nullptr, std::move(basement), std::move(runs)};
}

Slot above(std::string low, StoredNode child) {
  return {std::move(low), std::move(child), nullptr, {}};
}

class StoreCheck : public testing::Test {
 protected:
  StoreCheck() {
    StoreOptions options;
    options.create = true;
    options.parameters = {4096, 8192, 8, 1 << 16};
    open_store(*env_, options);
    blocks_ = std::make_unique<BlockFile>(
        env_->open("/s/blocks", {storage::OpenOptions::Mode::kReadWrite}).value());
    EXPECT_TRUE(blocks_->mark({0, 512}));  // the place of the empty tree
  }

  StoredRun written(const RunRef& run) {
    Buffer bytes;
    run->encode(bytes);
    const auto place = blocks_->write(packer_.pack(bytes).value()).value();
    return std::make_shared<const TreeRun>(place, run->size_bytes(), about(run));
  }
  /// Makes `root` the tree of the store; returns its place.
  Place set_root(const StoredNode& root) {
    TreeWriter writer(*blocks_, packer_, 512, {blocks_.get(), &cache_, nullptr});
    EXPECT_TRUE(writer.write(root));
    const auto file = env_->open("/s/store", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto superblock = read_superblock(*file).value();
    superblock.root = *root->place();
    EXPECT_TRUE(write_superblock(*file, superblock));
    return superblock.root;
  }
  Place set_slots(std::vector<Slot> slots) { return set_root(make_node(0, std::move(slots))); }

  /// Sets the superblock's place of the filter, for a store over objects below 1,000.
  void set_filter(const Place& table) {
    const auto file = env_->open("/s/store", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto superblock = read_superblock(*file).value();
    superblock.parameters.born_object = 1000;
    superblock.filter = table;
    EXPECT_TRUE(write_superblock(*file, superblock));
  }
  Place set_filter(const FilterTable& table) {
    const auto place = blocks_->write(encode_filter_table(table)).value();
    set_filter(place);
    return place;
  }
  FilterTable::Stage stage_of(const std::vector<ObjectPrefix>& prefixes) {
    FilterStage stage(32);
    for (const ObjectPrefix& prefix : prefixes) stage.add(FilterStage::hash(prefix));
    return {32, stage.count(), blocks_->write(stage.encode()).value()};
  }

  StoreReport check(StoreCheckOptions options = {}) {
    found_.clear();
    options.damaged = [this](const Error& error) { found_.push_back(error.message()); };
    auto report = check_store(*env_, "/s", options);
    EXPECT_TRUE(report) << report.error().message();
    if (!report) return {};
    EXPECT_EQ(report.value().damaged_places, found_.size());
    const auto first = check_store(*env_, "/s", {.reads_runs = options.reads_runs});
    EXPECT_EQ(first.has_value(), found_.empty());
    if (!first && !found_.empty()) {
      EXPECT_EQ(first.error().message(), found_.front());
    }
    return report.value();
  }
  void expect_found(const Place& place, const std::string& text) {
    check();
    const auto offset = std::to_string(place.offset_bytes);
    EXPECT_EQ(found_,
              std::vector<std::string>{"/s/blocks: blocks, offset " + offset + ": " + text});
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::unique_ptr<BlockFile> blocks_;
  BlockCache cache_{0};
  BlockPacker packer_{0};
  std::vector<std::string> found_;
};

TEST_F(StoreCheck, CountsWhatASoundTreeIsMadeOf) {
  const auto low = make_node(0, {slot_of("", written(run_of({"a", "b"})), {written(run_of({"c"}))}),
                                 slot_of("k", written(run_of({"k"})))});
  const auto high = make_node(0, {slot_of("", nullptr, {written(run_of({"z"}))})});
  set_root(make_node(1, {above("", low), above("p", high)}));
  const auto report = check();
  EXPECT_EQ(found_, std::vector<std::string>());
  EXPECT_EQ(report.height, 1U);
  EXPECT_EQ(report.nodes, 3U);
  EXPECT_EQ(report.basements, 2U);
  EXPECT_EQ(report.waiting_runs, 2U);
  EXPECT_EQ(report.basement_points, 3U);
  EXPECT_EQ(report.waiting_points, 2U);
  EXPECT_EQ(report.unread_nodes, 0U);
  EXPECT_EQ(report.used_bytes, 7 * kBlockAlignmentBytes);
  EXPECT_EQ(report.free_bytes, kBlockAlignmentBytes);  // the block of the empty tree
}

TEST_F(StoreCheck, FindsSlotsThatAreNotOfTheirNode) {
  const auto child = make_node(0, {slot_of("", nullptr), slot_of("m", nullptr)});
  set_root(make_node(1, {above("", Node::make_empty(0)), above("p", child)}));
  expect_found(*child->place(), "slots out of order");
}

TEST_F(StoreCheck, FindsKeysThatAreNotOfTheirSlot) {
  const auto run = written(run_of({"a", "m"}));
  set_slots({slot_of("", nullptr, {run}), slot_of("m", nullptr)});
  expect_found(*run->place(), "a run has keys outside of its slot");
  const auto tombstone = written(run_of_tombstone({"a", "mm"}));
  set_slots({slot_of("", nullptr, {tombstone}), slot_of("m", nullptr)});
  expect_found(*tombstone->place(), "a run has keys outside of its slot");
}

TEST_F(StoreCheck, FindsBlocksThatLieOverOthers) {
  const auto run = written(run_of({"a"}));
  set_slots({slot_of("", run, {run})});
  expect_found(*run->place(), "a block is referred to twice, or overlaps another");
  const auto large = written(run_of({"a", std::string(2000, 'b')}));
  auto inside = *large->place();
  inside.offset_bytes += kBlockAlignmentBytes;
  inside.length_bytes = 10;
  set_slots({slot_of("", large, {stored_at(inside, run->size_bytes())})});
  check();
  ASSERT_EQ(found_.size(), 2U);
  EXPECT_TRUE(found_[0].ends_with("checksum mismatch")) << found_[0];
  EXPECT_TRUE(found_[1].ends_with("a block is referred to twice, or overlaps another"));
}

TEST_F(StoreCheck, WalksWhatIsReferredToTwiceOnce) {
  auto node = make_node(0, {slot_of("", written(run_of({"a"})))});
  for (unsigned height = 1; height <= 32; ++height) {
    node = make_node(height, {above("", node), above(std::string(height, 'm'), node)});
  }
  set_root(node);
  const auto report = check();
  EXPECT_EQ(report.nodes, 33U);
  EXPECT_EQ(report.unread_nodes, 32U);
  EXPECT_EQ(found_.size(), 32U);
}

TEST_F(StoreCheck, FindsChildrenOfAnotherHeight) {
  const auto child = Node::make_empty(0);
  set_root(make_node(2, {above("", child)}));
  expect_found(*child->place(), "a node has a child of another height");
}

TEST_F(StoreCheck, FindsRunsOfAnotherSize) {
  const auto run = written(run_of({"a"}));
  set_slots({slot_of("", stored_at(*run->place(), run->size_bytes() + 1))});
  expect_found(*run->place(), "a run is not as large as its node says");
}

TEST_F(StoreCheck, FindsFiltersThatHideKeys) {
  const auto run = written(run_of({"a", "b"}));
  auto hiding = about(run_of({"a", "b"}));
  hiding.filter = KeyFilter(*run_of({"a"}));
  set_slots({slot_of(
      "", std::make_shared<const TreeRun>(*run->place(), run->size_bytes(), std::move(hiding)))});
  expect_found(*run->place(), "a run has keys that its filter denies");
}

TEST_F(StoreCheck, FindsTombstonesThatItsNodeHides) {
  const auto run = written(run_of_tombstone({"a", "b"}));
  auto hiding = about(run_of_tombstone({"a", "b"}));
  hiding.has_tombstones = false;
  set_slots({slot_of(
      "", nullptr,
      {std::make_shared<const TreeRun>(*run->place(), run->size_bytes(), std::move(hiding))})});
  expect_found(*run->place(), "a run and its node disagree on range tombstones");
}

// Pages are read one by one, so their node must have their keys right.
TEST_F(StoreCheck, FindsPagesThatAreOthers) {
  std::vector<std::string> keys;
  for (char key = 'a'; key <= 'z'; ++key) keys.emplace_back(20, key);
  const auto run = run_of(keys);
  Buffer stored;
  const auto pages = pack_run(*run, run->size_bytes() / 5, packer_, stored).value();
  ASSERT_EQ(pages.size(), 5U);
  const auto place = blocks_->write(stored).value();
  const auto check_with = [&](const RunPages& others) {
    set_slots({slot_of(
        "", std::make_shared<const TreeRun>(place, run->size_bytes(), about(run), others))});
  };
  const auto changed = [&](const auto& change) {
    std::vector<RunPages::Page> all;
    for (std::size_t i = 0; i < pages.size(); ++i) all.push_back(pages[i]);
    change(all);
    return RunPages(all);
  };
  check_with(pages);
  check();
  EXPECT_EQ(found_, std::vector<std::string>());

  check_with(changed([](auto& all) { all[2].low += "z"; }));
  expect_found(place, "a run has other pages than its node says");
  check_with(changed([](auto& all) { all[3].has_tombstones = true; }));
  expect_found(place, "a run has other pages than its node says");
  check_with(changed([](auto& all) { all.pop_back(); }));
  expect_found(place, "a run has other pages than its node says");
  check_with(changed([](auto& all) { ++all[1].checksum; }));
  expect_found({place.offset_bytes + pages[1].offset_bytes, 0, 0},
               "a block is not the one that was written: checksum mismatch");
}

// The check reads a run with pages as a whole, and checks the pages in it.
TEST_F(StoreCheck, ReadsEachBlockOnce) {
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back("key" + std::to_string(10000 + i));
  const auto basement = make_run(run_of(keys));
  set_slots({slot_of("", basement, {make_run(run_of_tombstone({"a", "b"}))})});
  ASSERT_GT(basement->pages().size(), 20U);
  const auto counting = storage::make_counting_env(*env_);
  const auto report = check_store(*counting, "/s");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(counting->counts("/s/blocks").reads, 3U);
  EXPECT_EQ(counting->counts("/s/blocks").read_bytes, report.value().block_bytes());
}

// A run that is larger than its node says is not decoded.
TEST_F(StoreCheck, FindsRunsThatAreLargerThanTheirNodeSays) {
  const auto run = written(run_of({"a", "b"}));
  set_slots({slot_of("", stored_at(*run->place(), run->size_bytes() - 1))});
  expect_found(*run->place(), "a run takes more memory than announced");
}

TEST_F(StoreCheck, FindsBlocksThatAreNowhere) {
  const auto run = written(run_of({"a"}));
  const auto size = env_->status("/s/blocks").value().size_bytes;
  for (const Place& place : {Place{size / 512 * 512 + (1 << 20), 10, 0},
                             Place{0, kBlockBytesMax, 0}, Place{UINT64_MAX / 512 * 512, 10, 0}}) {
    set_slots({slot_of("", stored_at(place, run->size_bytes()))});
    expect_found(place, "a block lies beyond the end of the file");
  }
  const Place none{run->place()->offset_bytes, 0, 0};
  set_slots({slot_of("", stored_at(none, run->size_bytes()))});
  expect_found(none, "a block has an impossible place");
}

TEST_F(StoreCheck, FindsBlocksThatAreOthers) {
  const auto run = written(run_of({"a"}));
  auto place = *run->place();
  ++place.checksum;
  set_slots({slot_of("", stored_at(place, run->size_bytes()))});
  expect_found(place, "a block is not the one that was written: checksum mismatch");
  // The checksum is right, but the bytes are no run.
  place = blocks_->write(Buffer{0, 1, 0, 0, 1, 'k', 9}).value();
  set_slots({slot_of("", stored_at(place, run->size_bytes()))});
  expect_found(place, "a message of no known kind");
}

TEST_F(StoreCheck, FindsLargeValuesThatAreNotWhereTheyShouldBe) {
  BlockFile volume(env_->open("/s/extents", {storage::OpenOptions::Mode::kReadWrite}).value());
  const Buffer value(5000, 'v');
  const auto place = ValuePlace::of(volume.write(value).value().offset_bytes, value);
  const auto run = written(run_of_value(place));
  set_slots({slot_of("", run)});
  auto report = check();
  EXPECT_EQ(found_, std::vector<std::string>());
  EXPECT_EQ(report.large_values, 1U);
  EXPECT_EQ(report.large_value_bytes, 5000U);

  set_slots({slot_of("", run, {written(run_of_value(place))})});
  check();
  EXPECT_EQ(found_, std::vector<std::string>{"/s/extents: extents, offset 0: a block is referred "
                                             "to twice, or overlaps another"});

  set_slots({slot_of("", stored_at(*run->place(), run->size_bytes()))});
  expect_found(*run->place(), "a run has other large values than its node says");

  auto other = place;
  ++other.sums.front();
  set_slots({slot_of("", written(run_of_value(other)))});
  check();
  EXPECT_EQ(found_, std::vector<std::string>{"/s/extents: extents, offset 0: a block is not the "
                                             "one that was written: checksum mismatch"});

  other = place;
  other.offset_bytes = 1 << 20;
  set_slots({slot_of("", written(run_of_value(other)))});
  check();
  ASSERT_EQ(found_.size(), 2U);  // one about the node, one about reading the value
  EXPECT_EQ(found_[0],
            "/s/extents: extents, offset 1048576: a large value lies beyond the end of "
            "the file");
  ASSERT_TRUE(env_->remove("/s/extents"));
  check();
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_TRUE(found_[0].starts_with("/s/extents: ")) << found_[0];
}

TEST_F(StoreCheck, FindsObjectsThatTheFilterDenies) {
  const auto denied = "a run has keys of objects that the filter denies";
  const auto run = written(run_of({object_key(1, 5, "name"), object_key(1, 1000)}));
  set_slots({slot_of("", run)});
  set_filter(Place());
  expect_found(*run->place(), denied);
  set_filter(FilterTable{{stage_of({{1, 6}})}, {}});
  expect_found(*run->place(), denied);
  set_filter(FilterTable{{stage_of({{1, 5}})}, {}});
  auto report = check();
  EXPECT_EQ(found_, std::vector<std::string>());
  EXPECT_EQ(report.filter_stages, 1U);
  EXPECT_EQ(report.filter_prefixes, 1U);
  EXPECT_EQ(report.filter_bytes, 64 + report.superblock.filter.length_bytes);

  const auto tombstone = written(run_of_tombstone({object_key(2, 7), object_key(2, 10)}));
  set_slots({slot_of("", nullptr, {tombstone})});
  set_filter(FilterTable{{stage_of({{2, 7}, {2, 9}})}, {}});
  expect_found(*tombstone->place(), denied);
  set_filter(FilterTable{{stage_of({{2, 7}, {2, 9}})}, {{{2, 8}, {2, 8}}}});
  report = check();
  EXPECT_EQ(found_, std::vector<std::string>());
  EXPECT_EQ(report.filter_ranges, 1U);
}

TEST_F(StoreCheck, FindsBlocksOfTheFilterThatAreNotTheirs) {
  const auto run = written(run_of({"a"}));
  set_slots({slot_of("", run)});
  set_filter(*run->place());
  check();
  ASSERT_EQ(found_.size(), 2U);  // it is no table, and overlaps the run
  EXPECT_TRUE(found_[0].starts_with("/s/blocks: blocks, offset ")) << found_[0];
  EXPECT_TRUE(found_[1].ends_with("a block is referred to twice, or overlaps another"));

  auto stage = stage_of({prefix_of("a")});
  const auto table = set_filter(FilterTable{{stage}, {}});
  set_slots({slot_of("", run, {stored_at({stage.place.offset_bytes, 10, 0}, 100)})});
  check();
  ASSERT_EQ(found_.size(), 2U);
  EXPECT_TRUE(found_[0].ends_with("checksum mismatch")) << found_[0];
  EXPECT_TRUE(found_[1].ends_with("a block is referred to twice, or overlaps another"));

  set_slots({slot_of("", run)});
  ++stage.place.checksum;
  set_filter(FilterTable{{stage}, {}});
  expect_found(stage.place, "a block is not the one that was written: checksum mismatch");
  stage.place.offset_bytes = 1 << 20;
  set_filter(FilterTable{{stage}, {}});
  check();
  ASSERT_EQ(found_.size(), 2U);
  EXPECT_TRUE(found_[1].ends_with("a block lies beyond the end of the file")) << found_[1];
  set_filter({table.offset_bytes, FilterTable::kBytesMax + 1, 0});
  check();
  EXPECT_EQ(found_.size(), 2U);
  EXPECT_TRUE(found_[0].ends_with("a table of the filter is too long")) << found_[0];
}

TEST_F(StoreCheck, GoesOnBehindADamagedNode) {
  const auto lost = make_node(0, {slot_of("", written(run_of({"a"})))});
  const auto foreign = written(run_of({"a"}));
  const auto high = make_node(0, {slot_of("", foreign)});
  set_root(make_node(1, {above("", lost), above("p", high)}));
  const auto file = env_->open("/s/blocks", {storage::OpenOptions::Mode::kReadWrite}).value();
  ASSERT_TRUE(file->write_at(lost->place()->offset_bytes, Buffer{77}));
  const auto report = check();
  EXPECT_EQ(report.nodes, 2U);
  EXPECT_EQ(report.unread_nodes, 1U);
  EXPECT_EQ(report.basements, 1U);
  ASSERT_EQ(found_.size(), 2U);
  EXPECT_TRUE(found_[0].ends_with("checksum mismatch"));
  EXPECT_TRUE(found_[1].ends_with("a run has keys outside of its slot"));
}

TEST_F(StoreCheck, ReadsNoRunsWhereNodesAreEnough) {
  const auto run = written(run_of({"a"}));
  const auto root = set_slots({slot_of("", stored_at(*run->place(), 1))});
  const auto counting = storage::make_counting_env(*env_);
  const auto report = check_store(*counting, "/s", {.reads_runs = false});
  ASSERT_TRUE(report);
  EXPECT_EQ(report.value().basements, 1U);
  EXPECT_EQ(report.value().basement_bytes, run->place()->length_bytes);
  EXPECT_EQ(report.value().basement_points, 0U);
  EXPECT_EQ(counting->counts("/s/blocks").read_bytes, root.length_bytes);
  EXPECT_EQ(counting->counts("/s/blocks").writes, 0U);
}

}  // namespace
}  // namespace dgfs::test
