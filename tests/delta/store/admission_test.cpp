// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Which batches a store takes in: by their class on a full disk, by calls that do not wait, and
// after the store has made space early.
#include <gtest/gtest.h>

#include "delta/store/space_reserve.h"
#include "tests/delta/store/counted_store.h"
#include "tests/delta/store/random_batch.h"
#include "tests/support/hook_env.h"

namespace dgfs::test {
namespace {

using namespace delta;

// A reserve over a file of blocks and an empty tree.
class SpaceReserveTest : public testing::Test {
 protected:
  [[nodiscard]] static StoreOptions make_options() {
    StoreOptions options;
    options.table_bytes = std::size_t{1} << 18;
    return options;
  }
  [[nodiscard]] static std::unique_ptr<storage::File> make(storage::Env& env,
                                                           const std::string& path) {
    return std::move(env.open(path, {storage::OpenOptions::Mode::kCreateNew})).value();
  }
  // Draws batches of a class, of `bytes` each, until one is refused. Returns the bytes drawn.
  std::uint64_t draw(BatchClass batch_class, std::uint64_t bytes, std::uint64_t bytes_max) {
    std::uint64_t drawn = 0;
    while (drawn < bytes_max) {
      auto admission = reserve_.admit({batch_class, false, bytes, 0});
      if (!admission) break;
      admission.value()->note_taken_in();
      drawn += bytes;
    }
    return drawn;
  }
  [[nodiscard]] bool is_admitted(BatchClass batch_class, bool removes_only = false) {
    return static_cast<bool>(reserve_.admit({batch_class, removes_only, 1000, 0}));
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  const StoreOptions options_ = divided_memory(make_options());
  TreeFiles files_{make(*env_, "/blocks"), make(*env_, "/extents"), options_};
  Failure failure_;
  StoredNode root_ = Node::make_empty(0);
  PrefixFilter filter_{0};
  FilterBlocks filter_blocks_{files_.blocks, filter_};
  TableStack tables_{failure_, filter_, root_, 0};
  SpaceBlocks space_blocks_{files_};
  SpaceReserve reserve_{files_, tables_, filter_blocks_, space_blocks_, options_};
};

TEST_F(SpaceReserveTest, HasAnAllowanceForEachClass) {
  const std::uint64_t removing_bytes = options_.table_bytes;
  const auto internal_bytes = removing_bytes / kInternalReserveShare;
  ASSERT_TRUE(reserve_.keep(*root_).value());
  EXPECT_TRUE(reserve_.is_there());
  const auto kept = reserve_.reserved_bytes();
  EXPECT_GE(draw(BatchClass::kOrdinary, 1000, kept * 10), kept * 10)
      << "draws do not count while the whole reserve is there";
  // The disk becomes full, and writes take from the reserve.
  env_->set_capacity(1);
  std::vector<Place> written;
  while (reserve_.is_there()) {
    written.push_back(files_.blocks.write(Buffer(4096)).value());
    ASSERT_TRUE(reserve_.keep(*root_));
  }
  EXPECT_FALSE(is_admitted(BatchClass::kOrdinary));
  EXPECT_TRUE(is_admitted(BatchClass::kOrdinary, true)) << "a batch that only removes is taken in";
  EXPECT_TRUE(is_admitted(BatchClass::kRemoving)) << "an admission that is not used draws nothing";
  EXPECT_FALSE(reserve_.is_running_low());
  EXPECT_EQ(draw(BatchClass::kRemoving, 1000, UINT64_MAX), removing_bytes / 1000 * 1000);
  EXPECT_TRUE(reserve_.is_running_low());
  EXPECT_EQ(draw(BatchClass::kInternal, 1000, UINT64_MAX), internal_bytes / 1000 * 1000);
  EXPECT_TRUE(is_admitted(BatchClass::kRemoving, true));
  // The reserve on disk was not used; keep() finds this out and resets the allowances.
  ASSERT_TRUE(reserve_.keep(*root_).value());
  EXPECT_FALSE(reserve_.is_there());
  {
    // A batch that is not in a table yet stays counted when the allowances are reset.
    const auto admission = reserve_.admit({BatchClass::kRemoving, false, 5000, 0});
    ASSERT_TRUE(admission);
    ASSERT_TRUE(reserve_.keep(*root_).value());
    EXPECT_LE(draw(BatchClass::kRemoving, 1000, UINT64_MAX), removing_bytes - 5000);
  }
  ASSERT_TRUE(reserve_.keep(*root_).value());
  EXPECT_EQ(draw(BatchClass::kRemoving, 1000, UINT64_MAX), removing_bytes / 1000 * 1000);
  // The disk has no space at all.
  while (files_.blocks.write(Buffer(4096))) {
  }
  EXPECT_FALSE(reserve_.keep(*root_).value());
  EXPECT_FALSE(is_admitted(BatchClass::kRemoving));
  EXPECT_FALSE(is_admitted(BatchClass::kInternal));
  EXPECT_TRUE(is_admitted(BatchClass::kInternal, true));
  env_->set_capacity(UINT64_MAX);
  EXPECT_TRUE(reserve_.keep(*root_).value());
  EXPECT_TRUE(is_admitted(BatchClass::kOrdinary));
}

class Admission : public testing::Test {
 protected:
  Admission() {
    options_.create = true;
    options_.parameters = {4096, 16384, 8, 1 << 20, 2048};
    options_.table_bytes = std::size_t{1} << 18;
    options_.level = 0;
  }

  void open() {
    store_ = nullptr;
    store_ = open_store(hooked_, options_);
  }
  // Applies the batch; if there is no space, makes space once, as a thread of the store does.
  [[nodiscard]] Status apply_or_make_space(const Batch& batch) {
    const auto first = applied(*store_, batch);
    if (first || first.error().kind() != ErrorKind::kNoSpace) return first;
    EXPECT_TRUE(store_->make_space());
    return applied(*store_, batch);
  }
  void expect_no_space(const Batch& batch) {
    calls_ = 0;
    const auto refused = store_->apply(batch);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace) << refused.error().message();
    EXPECT_EQ(calls_, 0U);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  std::uint64_t calls_ = 0;
  HookEnv hooked_{*env_, [this](storage::CallKind, const std::string&) {
                    ++calls_;
                    return Status(ok());
                  }};
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

// A small file system: directories, names in them, records of files, and contents.
class FullDiskOfFiles : public Admission {
 protected:
  FullDiskOfFiles() {
    env_->set_capacity(std::uint64_t{8} << 20);
    open();
  }

  static std::string directory_of(int file) { return "dir" + std::to_string(file % 10); }
  static std::string contents_of(int file) { return "data" + numbered_key(file); }
  static Batch create(int file) {
    Batch batch;
    batch.put("name" + numbered_key(file), numbered_key(file));
    batch.put("node" + numbered_key(file), std::string(100, 'n'));
    batch.put(contents_of(file) + "a", std::string(1000, 'a'));
    batch.patch(directory_of(file), 8, "time of " + std::to_string(file));
    return batch;
  }
  static Batch unlink(int file, BatchClass batch_class = BatchClass::kRemoving) {
    Batch batch;
    batch.remove("name" + numbered_key(file));
    batch.patch("node" + numbered_key(file), 8, "no name");
    batch.put("orphan" + numbered_key(file), "");
    batch.remove_range({contents_of(file), contents_of(file) + "~"});
    batch.patch(directory_of(file), 8, "time of " + std::to_string(-file));
    batch.set_class(batch_class);
    return batch;
  }
  // Creates files until the store is full and takes in nothing more.
  void fill() {
    for (Batch batch = create(files_); apply_or_make_space(batch); batch = create(files_)) {
      model_.apply(batch);
      ++files_;
      ASSERT_LT(files_, 100000);
    }
    expect_no_space(create(files_));
  }
  void expect_all() {
    EXPECT_TRUE(values_of(*store_) == model_.values());
    const auto done = store_->checkpoint();
    ASSERT_TRUE(done) << done.error().message();
    open();
    EXPECT_TRUE(values_of(*store_) == model_.values());
    expect_sound(*env_);
  }

  StoreModel model_;
  int files_ = 0;
};

// The owner makes space from time to time, as a thread would. So does an owner who opens the full
// store again.
TEST_F(FullDiskOfFiles, AreUnlinkedByThousands) {
  fill();
  EXPECT_GT(files_, 2000);
  for (int file = 0; file < files_; ++file) {
    const auto batch = unlink(file);
    const auto done = store_->apply(batch);
    ASSERT_TRUE(done) << file << " of " << files_ << ": " << done.error().message();
    model_.apply(batch);
    if (file % 16 == 0) {
      ASSERT_TRUE(store_->sync());
    }
    if (file % 300 == 299) {
      ASSERT_TRUE(store_->make_space());
    }
    if (file == files_ / 3) {
      ASSERT_TRUE(store_->sync());
      open();
    }
  }
  // Small removals wait in the tree until it is worth rewriting a basement. A removal that covers
  // much of a basement frees space at once.
  Batch removal;
  removal.remove_range({"data", "date"});
  removal.patch(directory_of(0), 8, "time of this");
  removal.set_class(BatchClass::kRemoving);
  ASSERT_TRUE(store_->apply(removal));
  model_.apply(removal);
  ASSERT_TRUE(store_->make_space());
  const auto batch = create(files_);
  ASSERT_TRUE(store_->apply(batch)) << "the store takes in ordinary batches again";
  model_.apply(batch);
  expect_all();
}

// The test draws half of the allowance before maintenance is due. Batches that only remove are
// still taken in. The crash at the end shows that all of it gets into the tree on the full disk.
TEST_F(FullDiskOfFiles, HaveAnAllowance) {
  fill();
  std::uint64_t bytes_each = 0;
  const auto first = unlink(0);
  for (const auto& operation : first.operations()) {
    bytes_each += Memtable::bytes_of(operation) + kBlockAlignmentBytes;
  }
  const auto allowance = std::min<std::uint64_t>(kRemovingReserveBytes, options_.table_bytes);
  int file = 0;
  while (true) {
    const auto batch = unlink(file);
    const auto taken = store_->try_apply(batch);
    if (!taken) {
      EXPECT_EQ(taken.error().kind(), ErrorKind::kBusy) << taken.error().message();
      break;
    }
    model_.apply(batch);
    ++file;
  }
  EXPECT_GE((static_cast<std::uint64_t>(file) + 1) * bytes_each, allowance / 2);
  expect_no_space(create(files_));
  for (; file < files_; file += 10) {
    Batch removal;
    removal.remove("name" + numbered_key(file));
    ASSERT_TRUE(store_->apply(removal));
    model_.apply(removal);
  }
  ASSERT_TRUE(store_->sync());
  store_ = nullptr;
  env_->crash(storage::CrashLoss::kDropUnsynced, 1);
  open();
  expect_all();
}

// Large values find no more space in a removing batch than in others.
TEST_F(FullDiskOfFiles, GiveLargeValuesNoAllowance) {
  const std::string value(std::size_t{100} << 10, 'v');
  int count = 0;
  for (bool is_full = false; !is_full; ++count) {
    Batch batch;
    batch.put(numbered_key(count), value);
    is_full = !apply_or_make_space(batch);
  }
  Batch batch;
  batch.put("large", value);
  batch.set_class(BatchClass::kRemoving);
  expect_no_space(batch);
}

// try_apply() never calls the storage. When it reports kBusy and the caller has waited, the batch
// is taken in.
TEST(TryApply, NeverCallsTheStorage) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const auto options = tiny_options(random);
    const auto env = storage::make_memory_env(1);
    std::uint64_t calls = 0;
    HookEnv hooked(*env, [&](storage::CallKind, const std::string&) {
      ++calls;
      return Status(ok());
    });
    const auto store = open_store(hooked, options);
    StoreModel model;
    int busy = 0;
    for (int i = 0; i < 300; ++i) {
      const auto batch = random_batch(random, {60, 120, 6});
      bool is_in = false;
      for (int tries = 0; !is_in; ++tries) {
        ASSERT_LT(tries, 10);
        const auto calls_before = calls;
        const auto taken = store->try_apply(batch);
        ASSERT_EQ(calls, calls_before);
        is_in = static_cast<bool>(taken);
        if (is_in) break;
        ++busy;
        ASSERT_EQ(taken.error().kind(), ErrorKind::kBusy) << taken.error().message();
        ASSERT_TRUE(store->wait_for_room(batch));
      }
      model.apply(batch);
    }
    EXPECT_GT(busy, 0);
    EXPECT_TRUE(values_of(*store) == model.values());
  }
}

// Batches that are taken in must fit into a group of the log, however long no thread makes room.
TEST(TryApply, IsBusyAsSoonAsAGroupIsFull) {
  const auto env = storage::make_memory_env(1);
  StoreOptions options;
  options.create = true;
  options.parameters.segment_bytes = 65536;
  const auto store = open_store(*env, options);
  std::uint64_t taken_bytes = 0;
  for (int i = 0;; ++i) {
    Batch batch;
    batch.put("k" + std::to_string(i), std::string(100, 'v'));
    const auto taken = store->try_apply(batch);
    if (!taken) {
      EXPECT_EQ(taken.error().kind(), ErrorKind::kBusy);
      ASSERT_TRUE(store->wait_for_room(batch));
      EXPECT_TRUE(store->try_apply(batch));
      break;
    }
    taken_bytes += 100;
    ASSERT_LE(taken_bytes, options.parameters.segment_bytes / kGroupShare);
  }
  EXPECT_GT(taken_bytes, 1000U);
}

// The test overwrites values, in all ten times as many bytes as there is space for. Dead values
// wait only for a checkpoint, which comes before space runs out: no batch is refused.
TEST_F(Admission, SpaceIsMadeBeforeItIsLacking) {
  for (const std::uint64_t max_bytes : {std::uint64_t{0}, std::uint64_t{12} << 20}) {
    options_.max_bytes = max_bytes;
    options_.table_bytes = std::size_t{1} << 20;  // a checkpoint for each 8 MiB of values
    env_->set_capacity(max_bytes == 0 ? std::uint64_t{12} << 20 : std::uint64_t{1} << 30);
    open();
    for (int i = 0; i < 50000; ++i) {
      Batch batch;
      batch.put(numbered_key(i % 100), std::string(3000, 'v'));
      const auto taken = store_->apply(batch);
      ASSERT_TRUE(taken) << i << ": " << taken.error().message();
      if (i % 20 == 0) {
        ASSERT_TRUE(store_->sync());
      }
    }
    store_ = nullptr;
    ASSERT_TRUE(env_->remove("/s/store"));
  }
}

// A store opened with a limit below its size takes in nothing more, and shrinks as far as it can.
TEST_F(Admission, AStoreThatIsLargerThanItMayBeGetsShorterAlone) {
  open();
  std::map<std::string, std::string> values;
  for (int i = 0; i < 3000; ++i) {
    Batch batch;
    values[numbered_key(i)] = std::string(3000, 'v');
    batch.put(numbered_key(i), values[numbered_key(i)]);
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->close());
  const auto taken = [&] {
    return (std::uint64_t{1} << 40) - env_->open("/s/store").value()->free_bytes().value();
  };
  env_->set_capacity(std::uint64_t{1} << 40);
  options_.max_bytes = std::uint64_t{5} << 20;
  open();
  const auto before = taken();
  EXPECT_GT(before, options_.max_bytes);
  const auto put_more = [&](int number) {
    Batch batch;
    batch.put("more" + numbered_key(number), std::string(3000, 'v'));
    return static_cast<bool>(apply_or_make_space(batch));
  };
  int more = 0;
  for (; put_more(more) && more < 10000; ++more) {
    EXPECT_LE(taken(), before);
  }
  EXPECT_LT(more, 10000);
  EXPECT_EQ(values_of(*store_).size(), values.size() + static_cast<std::size_t>(more));
  Batch removal;
  removal.remove_range({"", std::nullopt});
  ASSERT_TRUE(store_->apply(removal));
  EXPECT_LE(taken(), before);
  ASSERT_TRUE(store_->make_space());
  EXPECT_TRUE(put_more(0));
  EXPECT_LE(taken(), options_.max_bytes);
}

TEST_F(Admission, SaysWhatIsUsedFreeAndPending) {
  constexpr std::uint64_t kDisk = std::uint64_t{64} << 20;
  env_->set_capacity(kDisk);
  open();
  const auto empty = store_->space();
  EXPECT_EQ(empty.max_bytes, 0U);
  EXPECT_EQ(empty.held_bytes, 0U);
  EXPECT_GT(empty.reserved_bytes, 2 * options_.table_bytes);
  EXPECT_LE(empty.used_bytes, 2 * options_.parameters.segment_bytes + 8192 + 512);
  for (int i = 0; i < 1000; ++i) {
    Batch batch;
    batch.put(numbered_key(i), std::string(5000, 'v'));
    ASSERT_TRUE(store_->apply(batch));
  }
  ASSERT_TRUE(store_->checkpoint());
  const auto full = store_->space();
  EXPECT_GE(full.used_bytes, empty.used_bytes + 5'000'000);
  EXPECT_LE(full.used_bytes, empty.used_bytes + 6'000'000);
  EXPECT_LE(full.free_bytes, empty.free_bytes - 5'000'000);
  EXPECT_LE(full.used_bytes + full.free_bytes + full.reserved_bytes + full.pending_bytes, kDisk);
  EXPECT_GE(full.used_bytes + full.free_bytes + full.reserved_bytes + full.pending_bytes,
            kDisk - 3 * 4096);
  auto cursor = std::make_unique<Cursor>(store_->cursor());
  Batch removal;
  removal.remove_range({"", std::nullopt});
  ASSERT_TRUE(store_->apply(removal));
  ASSERT_TRUE(store_->checkpoint());
  const auto pending = store_->space();
  EXPECT_GE(pending.pending_bytes, 5'000'000U);
  EXPECT_LE(pending.used_bytes, empty.used_bytes + 4096);
  cursor.reset();
  ASSERT_TRUE(store_->checkpoint());
  const auto after = store_->space();
  EXPECT_LE(after.pending_bytes, 4096U);
  EXPECT_GE(after.free_bytes, full.free_bytes + 5'000'000);
}

}  // namespace
}  // namespace dgfs::test
