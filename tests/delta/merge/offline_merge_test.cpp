// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/offline_merge.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <regex>
#include <string>
#include <thread>

#include "delta/view/bottom_image.h"
#include "delta/view/check/namespace_check.h"
#include "reader/check/verify.h"
#include "tests/delta/merge/offline_fixture.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

class OfflineMerge : public OfflineMergeTest {
 protected:
  OfflineMerge() {
    tree().directory("d");
    tree().directory("d/sub");
    for (int i = 0; i < kFiles; ++i) tree().file(name_of(i), content_of(i));
    tree().link(name_of(0), "d/second name");
    tree().symlink("link", "d/f1");
    changed_.pack();
    changed_.change([](view::View& view) {
      write_at(view, object_at(view, name_of(1)), 700, "changed");
      make_file(view, "new", "made here");
      make_file(view, "d/other", std::string(2000, 'o'));
      remove_name(view, name_of(2));
      move_name(view, "d/sub", "moved");
      value_of(view.link(object_at(view, "new"), object_at(view, "d"), "new too"));
    });
  }
  static constexpr int kFiles = 10;
  static std::string name_of(int file) { return "d/f" + std::to_string(file); }
  static std::string content_of(int file) {
    return std::string(static_cast<std::size_t>(3000 + 100 * file), static_cast<char>('a' + file));
  }
  // Removes all files of the image but the last.
  void remove_most() {
    changed_.change([](view::View& view) {
      for (int i = 0; i + 1 < kFiles; ++i) {
        if (i != 2) remove_name(view, name_of(i));
      }
      remove_name(view, "d/second name");
    });
  }
};

TEST_F(OfflineMerge, ShowsTheSameTreeOverABase) {
  const auto image_before = read_file(memory(), kImage);
  const auto outcome = merge();
  EXPECT_TRUE(read_file(memory(), kImage) == image_before) << "the image never changes";
  const auto now = manifest();
  ASSERT_TRUE(now.base);
  EXPECT_EQ(outcome.base.path, base_path());
  EXPECT_EQ(now.stores.size(), 1U);
  EXPECT_EQ(now.image_path, kImage);
  EXPECT_EQ(names_in_delta(), (std::vector<std::string>{"0002", "MANIFEST", "base.0003.dgfs",
                                                        "base.0003.dgfs.idx", "lock"}));
  for (const char* suffix : {"", ".idx"}) {
    EXPECT_EQ(value_of(memory().status(base_path() + suffix)).mode & 07777, 0600U) << suffix;
  }
  EXPECT_GT(outcome.base.changes, 5U);
  EXPECT_EQ(outcome.base.report.packed_files, 4U) << "with the second name of one";
  EXPECT_EQ(outcome.base.report.kept_volumes, std::vector<std::string>{"t.dgfs"});
  EXPECT_EQ(outcome.bytes_after, value_of(merge::delta_bytes(memory(), kDelta)));
  EXPECT_GT(outcome.bytes_before, 0U);
  EXPECT_FALSE(outcome.unremoved);
}

TEST_F(OfflineMerge, TheBaseIsSoundAndOfTheState) {
  merge();
  const auto opened = value_of(open_sources(memory(), changed_.sources()));
  EXPECT_EQ(opened.image->superblock().uuid, manifest().base->uuid);
  reader::VerifyOptions options;
  options.jobs = 1;
  EXPECT_TRUE(value_of(reader::verify(*opened.image, options)).sound());
  EXPECT_EQ(opened.image->state().value(), manifest().base->state);
}

TEST_F(OfflineMerge, TheDeltaIsOpenedByItsImageAndByItsBase) {
  merge();
  changed_.change([](view::View& view) { make_file(view, "more", "over the base"); });
  changed_.sources().image_path = base_path();
  EXPECT_EQ(content("d/f9"), content_of(9)) << "in a volume that lies elsewhere";
  changed_.change([](view::View& view) { make_file(view, "most", "by the base"); });
  const auto named = base_path();
  changed_.sources().image_path = kImage;
  merge(request_of(), named);
  EXPECT_EQ(manifest().image_path, kImage) << "not the base that was named";
  EXPECT_EQ(content("most"), "by the base");
  EXPECT_EQ(content("more"), "over the base");
}

TEST_F(OfflineMerge, AnotherImageIsRefusedBeforeAnythingIsSealed) {
  const auto uuid = format::uuid_text(changed_.open_image(kImage)->superblock().uuid);
  tree().file("only there", "so that it is another");
  builder::BuildOptions options;
  options.source = "/tree";
  options.image_path = "/out/another.dgfs";
  options.jobs = 1;
  options.memory_bytes = builder::kMemoryBytesMin;
  value_of(builder::build(memory(), options));
  const auto refused = [&](bool dry_run) {
    const auto before = manifest();
    const auto names = names_in_delta();
    auto request = request_of();
    request.dry_run = dry_run;
    const auto merged = try_merge(request, "/out/another.dgfs");
    EXPECT_FALSE(merged);
    EXPECT_TRUE(manifest().says_the_same(before));
    EXPECT_EQ(names_in_delta(), names);
    return merged ? std::string() : merged.error().message();
  };
  for (const bool dry_run : {false, true}) {
    EXPECT_EQ(refused(dry_run),
              "/out/another.dgfs is not the image of /delta, which was made over another image "
              "(uuid " +
                  uuid + ")");
  }
  merge();
  changed_.change([](view::View& view) { make_file(view, "more", "x"); });
  EXPECT_EQ(refused(false),
            "/out/another.dgfs is not the image of /delta, which was made over t.dgfs (uuid " +
                uuid + ")");
}

TEST_F(OfflineMerge, RepackedAllTheBaseNeedsNoOtherFile) {
  const auto outcome = merge(request_to_repack());
  EXPECT_TRUE(outcome.base.report.kept_volumes.empty());
  EXPECT_TRUE(manifest().base->kept.empty());
  expect_ok(memory().rename(kImage, "/away.dgfs"));
  expect_ok(memory().remove(kIndex));
  changed_.sources().image_path = base_path();
  EXPECT_EQ(content("d/f9"), content_of(9));
  EXPECT_EQ(content("new"), "made here");
}

// Also if nothing has changed since the last merge.
TEST_F(OfflineMerge, RepackingNeedsNoChange) {
  merge();
  const auto first = manifest().base->number;
  EXPECT_EQ(try_merge().error().message(),
            "nothing to merge: nothing has changed since the last merge");
  const auto outcome = merge(request_to_repack());
  EXPECT_GT(manifest().base->number, first);
  EXPECT_TRUE(outcome.base.report.kept_volumes.empty());
  EXPECT_FALSE(memory().status(std::string(kDelta) + "/" + delta::base_file_name(first)));
}

TEST_F(OfflineMerge, VolumesWithManyDeadBytesFallOutOfUse) {
  remove_most();
  const auto kept = merge(request_to_repack(99));
  EXPECT_EQ(kept.base.report.kept_volumes, std::vector<std::string>{"t.dgfs"});
  EXPECT_GT(kept.base.report.dead_bytes, 20'000U);
  const auto packed = merge(request_to_repack(50));
  EXPECT_EQ(std::ranges::count(packed.base.report.kept_volumes, "t.dgfs"), 0);
  expect_ok(memory().rename(kImage, "/away.dgfs"));
  changed_.sources().image_path = base_path();
  EXPECT_EQ(content("d/f9"), content_of(9));
}

TEST_F(OfflineMerge, ADryRunTellsAndWritesNothing) {
  auto request = request_of();
  request.dry_run = true;
  // Once with changes in the store alone, once with a layer below, once with nothing else.
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    if (round == 1) {
      seal([](view::View& view) { make_file(view, "sealed", std::string(5000, 's')); });
      changed_.change([](view::View& view) { make_file(view, "live", std::string(4000, 'l')); });
    }
    if (round == 2) seal([](view::View& view) { make_file(view, "sealed too", "s"); });
    const auto before = all_files();
    const auto planned = value_of(try_merge(request));
    EXPECT_TRUE(all_files() == before);
    ASSERT_EQ(manifest().base.has_value(), round == 2);
    EXPECT_GT(planned.base.peak_bytes, planned.base.report.packed_bytes);
    EXPECT_FALSE(planned.base.report.largest.empty());
    EXPECT_GT(planned.bytes_before, 0U);
    if (round == 0) continue;
    const auto done = merge();
    EXPECT_EQ(planned.base.changes, done.base.changes);
    EXPECT_EQ(planned.base.path, done.base.path);
    EXPECT_EQ(planned.base.report.packed_files, done.base.report.packed_files);
    EXPECT_EQ(planned.base.report.packed_bytes, done.base.report.packed_bytes);
    EXPECT_EQ(planned.base.report.kept_bytes, done.base.report.kept_bytes);
  }
}

TEST_F(OfflineMerge, AStateEndsIt) {
  seal([](view::View& view) { make_file(view, "first", "1"); });
  const auto first = delta::state_text(manifest().stores[0].layer.state);
  seal([](view::View& view) { make_file(view, "second", "2"); }, "kept");
  changed_.change([](view::View& view) { make_file(view, "live", "3"); });
  auto request = request_of();
  request.to = first;
  merge(request);
  auto now = manifest();
  EXPECT_EQ(delta::state_text(now.base->state), first);
  EXPECT_EQ(now.stores.size(), 2U) << "the later layer and the live store stay";
  EXPECT_EQ(try_merge(request).error().message(), "nothing to merge: that state is the base");
  merge();
  now = manifest();
  EXPECT_EQ(now.base->name, "kept");
  EXPECT_EQ(now.stores.size(), 1U);
  const auto refused = try_merge();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "nothing to merge: the oldest named state is the base (kept)");
  EXPECT_EQ(content("live"), "3");
}

// The file that lacks space has a name that says nothing to anybody.
TEST_F(OfflineMerge, TooLittleSpaceIsToldAtTheBeginning) {
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
  constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 40;
  seal([](view::View& view) { make_file(view, "large", std::string(24 * kMib, 'l')); }, "kept");
  memory().set_capacity(kLargeBytes);
  const auto used = kLargeBytes - value_of(value_of(memory().open(kImage))->free_bytes());
  memory().set_capacity(used + 16 * kMib);
  const auto refused = try_merge();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNoSpace);
  EXPECT_TRUE(std::regex_match(
      refused.error().message(),
      std::regex("needs 25\\.[0-9] MB, and 1[0-9]\\.[0-9] MB are free; nothing was merged")))
      << refused.error().message();
  memory().set_capacity(kLargeBytes);
  merge();
}

// A merge takes the marks of such objects, while later changes of them may stay above the base.
TEST_F(OfflineMerge, ObjectsThatAKillLeavesWithoutANameEndFirst) {
  std::unique_ptr<storage::MemoryEnv> disk;
  view::ObjectNumber of_image = 0;
  view::ObjectNumber of_delta = 0;
  changed_.change([](view::View& view) { make_file(view, "made", "to be removed"); });
  changed_.change([&](view::View& view) {
    of_image = value_of(view.unlink(object_at(view, "d"), "f3")).object;
    of_delta = value_of(view.unlink(view::kRoot, "made")).object;
    value_of(view.seal({"kept", {}}));
    while (!view.closing_state()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    write_at(view, of_image, 100, "changed above");
    write_at(view, of_delta, 5, "likewise");
    expect_ok(view.sync());
    disk = memory().snapshot();  // as a kill leaves it
    expect_ok(view.release(of_image));
    expect_ok(view.release(of_delta));
  });
  merge::BaseSource source;
  source.directory = kDelta;
  source.image_path = kImage;
  builder::BuildOptions options;
  options.jobs = 1;
  options.memory_bytes = builder::kMemoryBytesMin;
  value_of(merge::merge_offline(*disk, source, request_of(), options));
  const auto opened = value_of(open_sources(*disk, changed_.sources()));
  ASSERT_EQ(opened.delta->manifest().base.value().name, "kept");
  expect_ok(view::check_namespace(
      view::generation_of(opened.image, *opened.delta),
      [](const view::Finding& finding) { ADD_FAILURE() << finding.object << finding.text; }));
  for (const auto object : {of_image, of_delta}) {
    EXPECT_FALSE(opened.view->attributes(object)) << object;
  }
}

TEST_F(OfflineMerge, LeavesNothingIfItIsStopped) {
  merge();
  changed_.change([](view::View& view) { make_file(view, "more", std::string(50'000, 'm')); });
  const auto expected = content("more");
  const auto number = manifest().base->number;
  const std::atomic<bool> stop = true;
  const auto stopped = try_merge(request_of(), kImage, &stop);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kInterrupted);
  EXPECT_EQ(manifest().base->number, number);
  for (const auto& name : names_in_delta()) {
    EXPECT_TRUE(name.find("base.") == name.npos || name.starts_with(delta::base_file_name(number)))
        << name;
  }
  EXPECT_EQ(content("more"), expected);
  merge();
  EXPECT_GT(manifest().base->number, number);
}

TEST_F(OfflineMerge, ADeltaInUseIsRefused) {
  changed_.change([&](view::View&) {
    const auto refused = try_merge();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind(), ErrorKind::kBusy);
  });
}

// Somebody looks at the state below the layers that are merged, and at one of the layers.
TEST_F(OfflineMerge, AReadersStateStaysReadable) {
  merge();
  seal([](view::View& view) { make_file(view, "first", "1"); });
  const auto find = [](const delta::Manifest&) -> Result<std::size_t> { return std::size_t{1}; };
  delta::StoreOptions to_read;
  to_read.access = delta::StoreAccess::kReadOnly;
  const auto old_base = base_path();
  auto reader = value_of(delta::DeltaDirectory::open_state(memory(), kDelta, find, to_read));
  merge(request_to_repack());
  EXPECT_NE(base_path(), old_base);
  EXPECT_TRUE(memory().status(old_base));
  {
    const auto below = value_of(view::bottom_of_delta(memory(), changed_.open_image(kImage), kImage,
                                                      kDelta, reader->manifest(), {}));
    const auto seen = value_of(view::View::open(memory(), *below, *reader));
    EXPECT_EQ(value_of(seen->attributes(object_at(*seen, "first"))).size_bytes, 1U);
    EXPECT_EQ(value_of(seen->attributes(object_at(*seen, "new"))).size_bytes, 9U);
  }
  reader = nullptr;
  changed_.change([](view::View&) {});
  EXPECT_FALSE(memory().status(old_base));
}

}  // namespace
}  // namespace dgfs::test
