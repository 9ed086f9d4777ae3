// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Layers of a delta: files after a seal, openings after an interrupted one, and states
// that are opened beside a writer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "delta/store/copied_store.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/states.h"
#include "delta/store/store_check.h"
#include "delta/store/store_files.h"
#include "storage/forwarding_env.h"
#include "storage/memory/env.h"
#include "storage/posix/env.h"
#include "tests/delta/store/crash/stopping_env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"
#include "tests/support/hook_env.h"
#include "tests/support/sealed_delta.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

using namespace delta;
using storage::CrashLoss;

constexpr std::uint64_t kBorn = 1000;

StoreOptions layer_options() {
  Random random(3);
  auto options = tiny_options(random);
  options.create = false;
  return options;
}

StoreOptions read_options() {
  auto options = layer_options();
  options.access = StoreAccess::kReadOnly;
  return options;
}

void put(Store& store, const std::string& key, const std::string& value) {
  Batch batch;
  batch.put(key, value);
  ASSERT_TRUE(store.apply(batch));
}

std::function<Result<std::size_t>(const Manifest&)> state(const std::string& text) {
  return [text](const Manifest& manifest) { return find_state(manifest, text, "/d"); };
}

class LayersTest : public testing::Test {
 protected:
  LayersTest() {
    format::Uuid image{};
    image.fill(0x42);
    EXPECT_TRUE(DeltaDirectory::create(*disk_, "/d", image, kBorn, layer_options()));
  }
  std::unique_ptr<DeltaDirectory> open(const StoreOptions& options = layer_options()) {
    auto opened = DeltaDirectory::open(*disk_, "/d", options);
    EXPECT_TRUE(opened) << opened.error().message();
    return opened ? std::move(opened).value() : nullptr;
  }
  Result<std::unique_ptr<DeltaDirectory>> open_state(const std::string& text) {
    return DeltaDirectory::open_state(*disk_, "/d", state(text), read_options());
  }
  void change(const std::string& key, const std::string& value) {
    const auto delta = open();
    put(delta->newest(), key, value);
    ASSERT_TRUE(delta->newest().sync());
  }
  Status seal(const std::string& name, std::uint64_t end = kBorn) {
    return seal_delta(*disk_, "/d", end, layer_options(), name);
  }
  // The first two steps of a seal; then the process ends.
  void seal_without_closing() {
    const auto delta = open();
    put(delta->newest(), "group", "logged");
    const auto last = delta->newest().sequence();
    auto plan = delta->prepare_seal({"cut-off", {}}, kBorn, last).value();
    ASSERT_TRUE(delta->newest().sync());
    ASSERT_TRUE(delta->commit_seal(plan, last));
  }
  void make_stack_without_states();
  [[nodiscard]] std::vector<std::string> names_in(const std::string& path) {
    auto names = disk_->open_directory(path).value()->list().value();
    std::sort(names.begin(), names.end());
    return names;
  }

  std::unique_ptr<storage::MemoryEnv> disk_ = storage::make_memory_env(1);
};

TEST_F(LayersTest, ASealMakesALayerAndAStateOfIt) {
  change("key", "first");
  ASSERT_TRUE(seal("one", 2000));
  change("key", "second");
  ASSERT_TRUE(seal("", 3000));
  const auto delta = open();
  const auto& manifest = delta->manifest();
  ASSERT_EQ(manifest.version, kStatesManifestVersion);
  ASSERT_EQ(manifest.stores.size(), 3U);
  ASSERT_EQ(layers_of(manifest), 2U);
  const auto& first = manifest.stores[0];
  const auto& second = manifest.stores[1];
  EXPECT_EQ(first.layer.name, "one");
  EXPECT_TRUE(is_base(first.layer.parent));
  EXPECT_EQ(second.layer.parent, first.layer.state);
  EXPECT_EQ(manifest.stores[2].layer.parent, second.layer.state);
  EXPECT_EQ(first.layer.end_of_objects, 2000U);
  EXPECT_EQ(second.born_object, 2000U);
  EXPECT_EQ(first.layer.last_sequence, 1U);
  EXPECT_EQ(second.first_sequence, 2U);
  EXPECT_EQ(manifest.next_number, 4U);
  EXPECT_EQ(*delta->stores()[1]->get("key").value(), "second");
  for (const char* layer : {"/d/0001", "/d/0002"}) {
    EXPECT_EQ(names_in(layer), (std::vector<std::string>{"blocks", "extents", "lock", "store"}));
    const auto superblock = read_store_superblock(*disk_, layer).value();
    ASSERT_TRUE(superblock.sealed);
    EXPECT_TRUE(check_store(*disk_, layer));
  }
  EXPECT_EQ(read_store_superblock(*disk_, "/d/0002").value().sealed->parent, first.layer.state);
}

TEST_F(LayersTest, ALayerIsNeverOpenedForWriting) {
  change("key", "first");
  ASSERT_TRUE(seal("one"));
  const auto opened = Store::open(*disk_, "/d/0001", layer_options());
  EXPECT_EQ(opened.error().code(), 7510);
}

// A clock that was set back does not change the order of states.
TEST_F(LayersTest, TimesOfStatesNeverFall) {
  change("key", "first");
  ASSERT_TRUE(seal("one"));
  {
    auto file = disk_->open("/d/MANIFEST", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto manifest = read_manifest(*file).value();
    manifest.stores[0].layer.sealed_at.seconds += 1'000'000;
    ++manifest.generation;
    ASSERT_TRUE(write_both_slots(*file, manifest));
  }
  change("key", "second");
  ASSERT_TRUE(seal("two"));
  const auto manifest = open()->present_manifest();
  EXPECT_EQ(manifest.stores[1].layer.sealed_at, manifest.stores[0].layer.sealed_at);
}

TEST_F(LayersTest, ARefusedSealChangesNothing) {
  change("key", "value");
  ASSERT_TRUE(seal("one"));
  change("key", "more");
  const auto before = names_in("/d");
  EXPECT_EQ(seal("one").error().code(), 7518);
  EXPECT_EQ(seal("abc").error().code(), 7535);
  {
    const auto reader = open(read_options());
    EXPECT_EQ(reader->seal({}, kBorn).error().code(), 7517);
  }
  auto options = layer_options();
  options.max_bytes = 100'000;
  const auto capped = seal_delta(*disk_, "/d", kBorn, options);
  EXPECT_EQ(capped.error().code(), 7520) << capped.error().message();
  EXPECT_NE(capped.error().message().find("sealing needs "), std::string::npos);
  EXPECT_EQ(names_in("/d"), before);
  EXPECT_EQ(layers_of(open()->manifest()), 1U);
}

TEST_F(LayersTest, TheSeventeenthSealIsRefused) {
  for (int i = 0; i < 16; ++i) {
    change("key", std::to_string(i));
    ASSERT_TRUE(seal("state-" + std::to_string(i)));
  }
  change("key", "last");
  const auto refused = seal("state-16");
  EXPECT_EQ(refused.error().code(), 7519);
  EXPECT_NE(refused.error().message().find("all named"), std::string::npos);
  EXPECT_EQ(*open()->newest().get("key").value(), "last");
  EXPECT_EQ(*open_state("state-3").value()->newest().get("key").value(), "3");
}

TEST_F(LayersTest, AnEmptyLayerIsSmall) {
  const TempDir folder;
  const auto posix = storage::make_posix_env();
  storage::Env& env = *posix;
  const auto path = folder.path() + "/d";
  StoreOptions options;
  options.parameters.segment_bytes = 4 << 20;
  options.memory_bytes = 16 << 20;
  format::Uuid image{};
  ASSERT_TRUE(DeltaDirectory::create(env, path, image, kBorn, options));
  EXPECT_GT(bytes_on_disk(env, path + "/0001").value(), std::uint64_t{8} << 20);
  ASSERT_TRUE(seal_delta(env, path, kBorn, options));
  EXPECT_LE(bytes_on_disk(env, path + "/0001").value(), std::uint64_t{64} << 10);
}

// The process ended, or the machine stopped, after the manifest had changed.
TEST_F(LayersTest, ALayerWithALogIsReadAndThenClosed) {
  change("key", "value");
  seal_without_closing();
  EXPECT_EQ(*open(read_options())->stores()[0]->get("key").value(), "value");
  EXPECT_EQ(*open_state("cut-off").value()->newest().get("key").value(), "value");
  EXPECT_FALSE(read_store_superblock(*disk_, "/d/0001").value().sealed);
  {
    const auto delta = open();
    EXPECT_EQ(*delta->stores()[0]->get("key").value(), "value");
    put(delta->newest(), "key", "newer");
  }
  EXPECT_TRUE(read_store_superblock(*disk_, "/d/0001").value().sealed);
  EXPECT_EQ(names_in("/d/0001"), (std::vector<std::string>{"blocks", "extents", "lock", "store"}));
}

TEST_F(LayersTest, ALayerThatLostItsLastGroupIsDamaged) {
  change("key", "value");
  change("key", "last");
  seal_without_closing();
  const auto superblock = read_store_superblock(*disk_, "/d/0001").value();
  const auto path = "/d/0001/log." + std::to_string(superblock.log.generation % 2);
  const auto segment = disk_->open(path, {storage::OpenOptions::Mode::kReadWrite}).value();
  ASSERT_TRUE(segment->write_at(0, Buffer(64)));
  for (const auto& options : {read_options(), layer_options()}) {
    const auto opened = DeltaDirectory::open(*disk_, "/d", options);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code(), 7512) << opened.error().message();
    EXPECT_EQ(opened.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(opened.error().message().find("/d/0001/store: "), 0U) << opened.error().message();
  }
  // A check of the store alone cannot know it.
  const auto report = check_store(*disk_, "/d/0001").value();
  EXPECT_EQ(report.damaged_places, 0U);
  const auto manifest = read_present_manifest(*disk_, "/d").value();
  EXPECT_EQ(check_layer_end(report.log_sequence, manifest, 0, "/d").error().code(), 7512);
}

// A crash has left the layer with its log, and a reader keeps it locked.
TEST_F(LayersTest, AReaderOfAnUnclosedLayerLeavesTheWriterIn) {
  change("key", "value");
  seal_without_closing();
  {
    const auto reader = open_state("cut-off");
    ASSERT_TRUE(reader) << reader.error().message();
    const auto delta = open();
    ASSERT_TRUE(delta);
    EXPECT_EQ(*delta->stores()[0]->get("group").value(), "logged");
    put(delta->newest(), "key", "newer");
    ASSERT_TRUE(delta->seal({"next", {}}, kBorn));
    EXPECT_EQ(*reader.value()->newest().get("key").value(), "value");
  }
  EXPECT_FALSE(read_store_superblock(*disk_, "/d/0001").value().sealed);
  EXPECT_EQ(*open()->stores()[1]->get("key").value(), "newer");
  EXPECT_TRUE(read_store_superblock(*disk_, "/d/0001").value().sealed);
}

TEST_F(LayersTest, DamageOfALayerLeavesOlderStates) {
  change("key", "first");
  ASSERT_TRUE(seal("one"));
  change("key", "second");
  ASSERT_TRUE(seal("two"));
  ASSERT_TRUE(disk_->rename("/d/0002", "/d/gone"));
  EXPECT_EQ(*open_state("one").value()->newest().get("key").value(), "first");
  const auto damaged = open_state("two");
  EXPECT_EQ(damaged.error().code(), 7142);
  EXPECT_EQ(damaged.error().message().find("/d/0002: "), 0U);
  EXPECT_EQ(DeltaDirectory::open(*disk_, "/d", layer_options()).error().code(), 7142);
}

// One process keeps the newest store and the manifest locked, others read states.
TEST_F(LayersTest, StatesAreReadBesideAWriter) {
  change("key", "first");
  ASSERT_TRUE(seal("one"));
  change("key", "second");
  ASSERT_TRUE(seal("two"));
  const auto writer = open();
  put(writer->newest(), "key", "third");
  const auto one = open_state("one");
  const auto two = open_state("two");
  const auto again = open_state("two");
  ASSERT_TRUE(one && two && again);
  EXPECT_EQ(*one.value()->newest().get("key").value(), "first");
  EXPECT_EQ(*two.value()->newest().get("key").value(), "second");
  EXPECT_EQ(open_state("newest").error().code(), 7515);
  EXPECT_EQ(open_state("base").error().code(), 7515);
  EXPECT_EQ(open_state("three").error().kind(), ErrorKind::kNotFound);
}

TEST_F(LayersTest, AReaderWaitsForALayerThatIsBeingClosed) {
  change("key", "value");
  const auto delta = open();
  const auto last = delta->newest().sequence();
  auto plan = delta->prepare_seal({"one", {}}, kBorn, last).value();
  ASSERT_TRUE(delta->newest().sync());
  ASSERT_TRUE(delta->commit_seal(plan, last));
  std::thread closing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_TRUE(delta->close_layer());
  });
  const auto opened = open_state("one");
  closing.join();
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(*opened.value()->newest().get("key").value(), "value");
}

// Whoever removes a layer changes the manifest first, then locks the layer. A reader may have read
// the manifest before, and open the layer after that.
TEST_F(LayersTest, AReaderThatMeetsARemovedLayerReadsTheManifestAgain) {
  change("key", "first");
  ASSERT_TRUE(seal("one"));
  change("key", "second");
  ASSERT_TRUE(seal("two"));
  bool is_removed = false;
  HookEnv env(*disk_, [&](storage::CallKind kind, const std::string& path) -> Status {
    if (is_removed || kind != storage::CallKind::kOpen || path != "/d/0002/store") return ok();
    is_removed = true;
    auto file = disk_->open("/d/MANIFEST", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto manifest = read_manifest(*file).value();
    manifest.stores.erase(manifest.stores.begin() + 1);
    manifest.stores.back().layer.parent = manifest.stores.front().layer.state;
    ++manifest.generation;
    return write_both_slots(*file, manifest);
  });
  const auto two = DeltaDirectory::open_state(env, "/d", state("two"), read_options());
  EXPECT_TRUE(is_removed);
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().kind(), ErrorKind::kNotFound) << two.error().message();
  EXPECT_TRUE(open_state("one"));
}

// A program without seals made such a stack: closed stores over each other, in the first version.
void LayersTest::make_stack_without_states() {
  change("key", "first");
  ASSERT_TRUE(open()->close());
  auto options = layer_options();
  options.create = true;
  options.parameters.born_object = 2000;
  options.sequence = 1;
  ASSERT_TRUE(make_store(*disk_, "/d/0002", options));
  {
    auto file = disk_->open("/d/MANIFEST", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto manifest = read_manifest(*file).value();
    StackedStore upper;
    upper.number = 2;
    upper.uuid = read_store_superblock(*disk_, "/d/0002").value().store;
    upper.born_object = 2000;
    upper.first_sequence = 2;
    manifest.stores.push_back(upper);
    ++manifest.generation;
    ASSERT_TRUE(write_both_slots(*file, manifest));
  }
}

TEST_F(LayersTest, AStackWithoutStatesIsCheckedAgainstItsManifest) {
  make_stack_without_states();
  EXPECT_EQ(open()->stores().size(), 2U);
  // A process writes directly to a store that has another store above it.
  {
    const auto alone = Store::open(*disk_, "/d/0001", layer_options()).value();
    put(*alone, "key", "later");
    ASSERT_TRUE(alone->checkpoint());
  }
  EXPECT_EQ(DeltaDirectory::open(*disk_, "/d", layer_options()).error().code(), 7146);
}

TEST_F(LayersTest, AStackWithoutStatesGetsThemWithItsFirstSeal) {
  make_stack_without_states();
  change("key", "second");
  EXPECT_EQ(open()->manifest().version, kFirstManifestVersion);
  ASSERT_TRUE(seal("one", 3000));
  const auto delta = open();
  ASSERT_EQ(layers_of(delta->manifest()), 2U);
  EXPECT_EQ(*delta->stores()[0]->get("key").value(), "first");
  EXPECT_EQ(*delta->stores()[1]->get("key").value(), "second");
  EXPECT_EQ(delta->manifest().stores[0].layer.end_of_objects, 2000U);
  EXPECT_EQ(delta->manifest().stores[0].layer.last_sequence, 1U);
  EXPECT_EQ(delta->manifest().stores[1].layer.name, "one");
}

// The times of states never fall, also not if the clock goes on during the seal.
TEST_F(LayersTest, StatesOfAnOldStackHaveTheTimeOfTheFirstSeal) {
  make_stack_without_states();
  change("key", "second");
  class Clock final : public storage::ForwardingEnv {
   public:
    explicit Clock(storage::Env& base) : EnvForwarder(base) {}
    Time now() const override { return {++seconds_, 0}; }

   private:
    mutable std::int64_t seconds_ = 1'700'000'000;
  } clock(*disk_);
  {
    const auto delta = DeltaDirectory::open(clock, "/d", layer_options());
    ASSERT_TRUE(delta);
    ASSERT_TRUE(delta.value()->seal({"one", {}}, 3000));
  }
  const auto delta = open();
  ASSERT_TRUE(delta);
  EXPECT_EQ(delta->manifest().stores[0].layer.sealed_at,
            delta->manifest().stores[1].layer.sealed_at);
}

// An opening removes only stores that never held a change: a manifest may have been restored from
// an old copy.
TEST_F(LayersTest, AnOpeningRemovesTheStoreOfASealThatWasNotMade) {
  change("key", "first");
  {
    const auto delta = open();
    static_cast<void>(delta->prepare_seal({}, kBorn, 1).value());
  }
  EXPECT_EQ(names_in("/d"), (std::vector<std::string>{"0001", "0002", "MANIFEST", "lock"}));
  open();
  EXPECT_EQ(names_in("/d"), (std::vector<std::string>{"0001", "MANIFEST", "lock"}));
  const auto old = read_manifest(*disk_->open("/d/MANIFEST").value()).value();
  ASSERT_TRUE(seal("one"));
  change("key", "second");
  {
    auto file = disk_->open("/d/MANIFEST", {storage::OpenOptions::Mode::kReadWrite}).value();
    auto manifest = read_manifest(*file).value();
    manifest.stores.pop_back();
    manifest.stores.back().layer = {};
    ++manifest.generation;
    ASSERT_TRUE(write_both_slots(*file, manifest));
  }
  EXPECT_FALSE(DeltaDirectory::open(*disk_, "/d", layer_options())) << "its store is sealed";
  EXPECT_EQ(names_in("/d"), (std::vector<std::string>{"0001", "0002", "MANIFEST", "lock"}));
}

// The machine stops at each call of a seal, and again at a call of the opening after it.
TEST_F(LayersTest, ACrashLeavesTheOldStackOrTheNewAndNoLeftovers) {
  constexpr std::array kLosses = {CrashLoss::kDropUnsynced, CrashLoss::kKeepAll,
                                  CrashLoss::kRandomSubset, CrashLoss::kScattered};
  int sealed = 0;
  int unsealed = 0;
  for (const int earlier : {0, 2}) {
    bool has_stopped = true;
    for (std::uint64_t call = 1; has_stopped; ++call) {
      for (const auto loss : kLosses) {
        disk_ = storage::make_memory_env(1);
        format::Uuid image{};
        ASSERT_TRUE(DeltaDirectory::create(*disk_, "/d", image, kBorn, layer_options()));
        for (int i = 0; i < earlier; ++i) {
          change("key", "earlier");
          ASSERT_TRUE(seal("earlier-" + std::to_string(i)));
        }
        change("key", "value");
        StoppingEnv env(*disk_, call);
        const auto done = seal_delta(env.env(), "/d", kBorn, layer_options(), "one");
        has_stopped = env.has_stopped();
        const bool is_acknowledged = done && !has_stopped;
        disk_->crash(loss, call);
        StoppingEnv opening(*disk_, 1 + call * 7 % 97);
        static_cast<void>(DeltaDirectory::open(opening.env(), "/d", layer_options()));
        if (opening.has_stopped()) disk_->crash(loss, call + 1);
        const auto where = ::testing::Message() << "call " << call << ", loss "
                                                << static_cast<int>(loss) << ", " << earlier;
        const auto delta = open();
        ASSERT_NE(delta, nullptr) << where;
        const auto& manifest = delta->manifest();
        const auto layers = layers_of(manifest);
        const std::size_t before = static_cast<std::size_t>(earlier);
        ASSERT_TRUE(layers == before + 1 || (layers == before && !is_acknowledged)) << where;
        layers == before ? ++unsealed : ++sealed;
        ASSERT_EQ(*delta->stores()[before]->get("key").value(), "value") << where;
        std::vector<std::string> names = {"MANIFEST", "lock"};
        for (std::size_t i = 0; i < manifest.stores.size(); ++i) {
          names.push_back(manifest.stores[i].name());
          if (i == layers) continue;
          ASSERT_EQ(names_in("/d/" + names.back()),
                    (std::vector<std::string>{"blocks", "extents", "lock", "store"}))
              << where;
          const auto superblock = read_store_superblock(*disk_, "/d/" + names.back()).value();
          ASSERT_NE(superblock.identity, 0U) << where;
          ASSERT_EQ(read_origin(*disk_, "/d/" + names.back(), superblock).value(), Origin::kOwn)
              << where;
        }
        std::sort(names.begin(), names.end());
        ASSERT_EQ(names_in("/d"), names) << where;
        put(delta->newest(), "other", "value");
        ASSERT_TRUE(delta->newest().sync()) << where;
      }
    }
  }
  EXPECT_GT(sealed, 100);
  EXPECT_GT(unsealed, 100);
}

}  // namespace
}  // namespace dgfs::test
