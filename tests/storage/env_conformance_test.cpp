// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The promises of Env and File, for every implementation.
#include <array>

#include "tests/storage/env_fixture.h"
#include "tests/support/random.h"
#include "tests/support/skip.h"

namespace dgfs::test {
namespace {

using storage::DataSegment;
using storage::OpenOptions;

constexpr OpenOptions kWrite{OpenOptions::Mode::kReadWrite};

class FileConformance : public EnvTest {};
DGFS_INSTANTIATE_ENV_SUITE(FileConformance);

TEST_P(FileConformance, ReadsBackWhatWasWritten) {
  create(at("f"), "hello world");
  EXPECT_EQ(content(at("f")), "hello world");
  const auto file = std::move(env().open(at("f"), kWrite)).value();
  ASSERT_OK(file->write_at(6, as_bytes("there, you")));
  EXPECT_EQ(content(at("f")), "hello there, you");
  EXPECT_EQ(file->path(), at("f"));
}

TEST_P(FileConformance, ReadsFewerBytesOnlyAtTheEnd) {
  create(at("f"), "0123456789");
  const auto file = std::move(env().open(at("f"))).value();
  Buffer bytes(8);
  EXPECT_EQ(file->read_at(4, bytes).value(), 6U);
  EXPECT_EQ(file->read_at(10, bytes).value(), 0U);
  EXPECT_EQ(file->read_at(~std::uint64_t{0}, bytes).value(), 0U);
  EXPECT_FAILS(ErrorKind::kCorrupt, read_exactly(*file, 4, bytes));
}

TEST_P(FileConformance, ScattersARead) {
  create(at("f"), "abcdefghij");
  const auto file = std::move(env().open(at("f"))).value();
  Buffer one(3), none, two(4), three(9);
  const std::array<MutableBytes, 4> outs{one, none, two, three};
  EXPECT_EQ(file->read_at(1, outs).value(), 9U);
  EXPECT_EQ(as_text(one), "bcd");
  EXPECT_EQ(as_text(two), "efgh");
  EXPECT_EQ(as_text(three).substr(0, 2), "ij");
  const std::vector<MutableBytes> too_many(1025, MutableBytes(one));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, file->read_at(0, too_many));
}

TEST_P(FileConformance, GathersAWrite) {
  create(at("f"), "hello world");
  const auto file = std::move(env().open(at("f"), kWrite)).value();
  const std::string long_part(std::size_t{3} << 20, 'x');
  const std::array<Bytes, 5> parts{as_bytes("one"), Bytes(), as_bytes(long_part), as_bytes("two"),
                                   Bytes()};
  ASSERT_OK(file->write_gathered(6, parts));
  EXPECT_EQ(content(at("f")), "hello one" + long_part + "two");
  const std::array<Bytes, 2> nothing{};
  ASSERT_OK(file->write_gathered(100, nothing));
  ASSERT_OK(file->write_gathered(0, std::span<const Bytes>()));
  EXPECT_EQ(content(at("f")).substr(0, 9), "hello one");
}

TEST_P(FileConformance, RefusesWritesToAFileOpenForReading) {
  create(at("f"), "x");
  const auto file = std::move(env().open(at("f"))).value();
  EXPECT_FAILS(ErrorKind::kIo, file->write_at(0, as_bytes("y")));
  EXPECT_EQ(content(at("f")), "x");
}

TEST_P(FileConformance, TruncateCutsAndExtendsByZeros) {
  create(at("f"), "0123456789");
  const auto file = std::move(env().open(at("f"), kWrite)).value();
  ASSERT_OK(file->truncate(4));
  ASSERT_OK(file->truncate(6));
  EXPECT_EQ(content(at("f")), std::string("0123\0\0", 6));
  EXPECT_EQ(file->size().value(), 6U);
}

TEST_P(FileConformance, AWriteOfNoBytesChangesNothing) {
  create(at("f"), "abc");
  for (const bool is_direct : {false, true}) {
    const auto file =
        std::move(env().open(at("f"), {OpenOptions::Mode::kReadWrite, is_direct})).value();
    ASSERT_OK(file->write_at(1, Bytes()));
    ASSERT_OK(file->write_at(8192, Bytes()));
  }
  EXPECT_EQ(content(at("f")), "abc");
}

// Long writes bypass the page cache, short ones use it, in the same blocks.
TEST_P(FileConformance, WritesOfAnyLengthMeet) {
  constexpr std::size_t kFileBytes = 1 << 20;
  const auto file =
      std::move(env().open(at("f"), {.mode = OpenOptions::Mode::kCreateNew, .direct_writes = true}))
          .value();
  std::string expected(kFileBytes, '\0');
  ASSERT_OK(file->truncate(kFileBytes));
  Random random(7);
  for (int i = 0; i < 300; ++i) {
    const auto length = static_cast<std::size_t>(1 + random.below(1U << (1 + random.below(18))));
    const auto offset = random.below(kFileBytes - length + 1);
    const std::string bytes(length, static_cast<char>('a' + i % 26));
    if (random.one_in(2)) {
      ASSERT_OK(file->write_at(offset, as_bytes(bytes)));
    } else {
      const auto cut = random.below(length + 1);
      const Bytes parts[] = {as_bytes(bytes).first(cut), as_bytes(bytes).subspan(cut)};
      ASSERT_OK(file->write_gathered(offset, parts));
    }
    expected.replace(offset, length, bytes);
    Buffer around(length + 200);
    const auto begin = offset < 100 ? 0 : offset - 100;
    const auto count = file->read_at(begin, around).value();
    ASSERT_EQ(as_text(Bytes(around).first(count)), expected.substr(begin, around.size())) << i;
  }
  ASSERT_OK(file->sync());
  EXPECT_EQ(content(at("f")), expected);
}

TEST_P(FileConformance, PreallocateKeepsSizeAndContent) {
  create(at("f"), "abc");
  const auto file = std::move(env().open(at("f"), kWrite)).value();
  ASSERT_OK(file->preallocate(0, 0));
  ASSERT_OK(file->preallocate(0, 1 << 20));
  EXPECT_EQ(content(at("f")), "abc");
}

TEST_P(FileConformance, PreallocateOfARangeKeepsWhatIsThere) {
  create(at("f"), "abc");
  const auto file = std::move(env().open(at("f"), kWrite)).value();
  ASSERT_OK(file->preallocate(1 << 20, 2 << 20));
  ASSERT_OK(file->preallocate(7, 7));
  ASSERT_OK(file->preallocate(1, 2));
  EXPECT_EQ(content(at("f")), "abc");
}

// A call that makes the file longer keeps what is reserved behind it; one that does not gives it
// back.
TEST_P(FileConformance, ReservedSpaceBehindTheEndGoesWithACut) {
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
  create(at("f"), "abc");
  const auto file = std::move(env().open(at("f"), kWrite)).value();
  ASSERT_OK(file->preallocate(0, 8 * kMib));
  if (file->status().value().allocated_bytes < 8 * kMib) DGFS_SKIP("nothing is reserved here");
  ASSERT_OK(file->truncate(2 * kMib));
  EXPECT_GE(file->status().value().allocated_bytes, 2 * kMib) << "its own part is still reserved";
  ASSERT_OK(file->truncate(2 * kMib));
  EXPECT_GE(file->status().value().allocated_bytes, 2 * kMib);
  EXPECT_LE(file->status().value().allocated_bytes, 2 * kMib + (kMib >> 2));
  ASSERT_OK(file->truncate(3));
  EXPECT_LE(file->status().value().allocated_bytes, kMib >> 2);
  EXPECT_EQ(content(at("f")), "abc");
}

TEST_P(FileConformance, APunchedRangeReadsAsZerosAndTheRestStays) {
  constexpr std::uint64_t kBlock = 64 << 10;
  const auto file = std::move(env().open(at("f"), kCreate)).value();
  const Buffer written(4 * kBlock, 7);
  ASSERT_OK(file->write_at(0, written));
  ASSERT_OK(file->sync());
  const auto punched = file->punch(kBlock - 100, 3 * kBlock + 100);
  if (!punched && punched.error().kind() == ErrorKind::kUnsupported) {
    DGFS_SKIP("the file system punches no holes");
  }
  ASSERT_OK(punched);
  ASSERT_OK(file->punch(9 * kBlock, 10 * kBlock));
  ASSERT_OK(file->punch(10, 10));
  Buffer expected = written;
  std::fill(expected.begin() + kBlock - 100, expected.begin() + 3 * kBlock + 100, 0);
  EXPECT_EQ(content(at("f")), std::string(expected.begin(), expected.end()));
  const DataSegment first = file->next_data(0).value();
  if (first == DataSegment{0, 4 * kBlock}) DGFS_SKIP("the file system tracks no holes");
  EXPECT_EQ(first, (DataSegment{0, kBlock}));
  EXPECT_EQ(file->next_data(kBlock).value(), (DataSegment{3 * kBlock, 4 * kBlock}));
  ASSERT_OK(file->write_at(kBlock, as_bytes("again")));
  EXPECT_EQ(content(at("f")).substr(kBlock, 6), std::string("again\0", 6));
}

// Other processes, if any, take space meanwhile.
TEST_P(FileConformance, TellsHowMuchIsFree) {
  create(at("f"), "abc");
  const auto file = std::move(env().open(at("f"))).value();
  const auto free = file->free_bytes();
  ASSERT_OK(free);
  EXPECT_GT(free.value(), 0U);
  EXPECT_LT(free.value(), UINT64_MAX);
}

TEST_P(FileConformance, FindsDataBetweenHoles) {
  constexpr std::uint64_t kBlock = 64 << 10;  // no file system has larger blocks
  const auto file = std::move(env().open(at("f"), kCreate)).value();
  ASSERT_OK(file->write_at(2 * kBlock, Buffer(kBlock, 1)));
  ASSERT_OK(file->truncate(5 * kBlock));
  const DataSegment first = file->next_data(0).value();
  if (first == DataSegment{0, 5 * kBlock}) DGFS_SKIP("the file system tracks no holes");
  EXPECT_EQ(first, (DataSegment{2 * kBlock, 3 * kBlock}));
  EXPECT_EQ(file->next_data(2 * kBlock + 7).value(), (DataSegment{2 * kBlock + 7, 3 * kBlock}));
  EXPECT_EQ(file->next_data(3 * kBlock).value(), (DataSegment{5 * kBlock, 5 * kBlock}));
  EXPECT_EQ(file->next_data(9 * kBlock).value(), (DataSegment{5 * kBlock, 5 * kBlock}));
}

TEST_P(FileConformance, EmptyFileHasNoData) {
  create(at("f"), "");
  EXPECT_EQ(std::move(env().open(at("f"))).value()->next_data(0).value(), (DataSegment{0, 0}));
}

class EnvConformance : public EnvTest {};
DGFS_INSTANTIATE_ENV_SUITE(EnvConformance);

TEST_P(EnvConformance, OpenTellsWhyNot) {
  create(at("f"), "x");
  ASSERT_OK(env().make_directory(at("d"), 0755));
  EXPECT_FAILS(ErrorKind::kNotFound, env().open(at("absent")));
  EXPECT_FAILS(ErrorKind::kExists, env().open(at("f"), kCreate));
  EXPECT_FAILS(ErrorKind::kIsDirectory, env().open(at("d")));
  EXPECT_FAILS(ErrorKind::kNotDirectory, env().open(at("f/g")));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, env().open(at("f") + std::string("\0g", 2)));
  EXPECT_NE(env().open(at("absent")).error().message().find(at("absent")), std::string::npos);
}

TEST_P(EnvConformance, AFileIsLockedUntilItIsClosed) {
  create(at("f"), "x");
  auto first = std::move(env().open(at("f"), kWrite)).value();
  const auto second = std::move(env().open(at("f"))).value();
  ASSERT_OK(first->lock());
  ASSERT_OK(first->lock());
  EXPECT_FAILS(ErrorKind::kBusy, second->lock());
  create(at("other"), "x");
  EXPECT_TRUE(std::move(env().open(at("other"))).value()->lock());
  first = nullptr;
  EXPECT_TRUE(second->lock());
}

TEST_P(EnvConformance, ALockIsSharedByThoseThatAskForNoMore) {
  create(at("f"), "x");
  auto first = std::move(env().open(at("f"))).value();
  auto second = std::move(env().open(at("f"))).value();
  auto writer = std::move(env().open(at("f"), kWrite)).value();
  ASSERT_OK(first->lock_shared());
  ASSERT_OK(first->lock_shared());
  ASSERT_OK(second->lock_shared());
  EXPECT_FAILS(ErrorKind::kBusy, writer->lock());
  EXPECT_FAILS(ErrorKind::kBusy, first->lock());
  second = nullptr;
  first = nullptr;
  ASSERT_OK(writer->lock());
  first = std::move(env().open(at("f"))).value();
  EXPECT_FAILS(ErrorKind::kBusy, first->lock_shared());
  ASSERT_OK(writer->lock_shared());
  EXPECT_TRUE(first->lock_shared());
}

TEST_P(EnvConformance, OpenNeverWaitsForTheOtherEndOfAFifo) {
  ASSERT_OK(root()->make_node("fifo", 0010600, 0));
  EXPECT_FAILS(ErrorKind::kInvalidArgument, env().open(at("fifo")));
}

TEST_P(EnvConformance, PathsFollowLinks) {
  create(at("f"), "x");
  ASSERT_OK(root()->make_symlink("link", "f"));
  ASSERT_OK(root()->make_symlink("self", "."));
  ASSERT_OK(root()->make_symlink("loop", "loop"));
  EXPECT_EQ(content(at("self/self/../" + storage::base_name(root_path()) + "/link")), "x");
  EXPECT_EQ(env().status(at("link")).value().inode, env().status(at("f")).value().inode);
  EXPECT_FAILS(ErrorKind::kLoop, env().open(at("loop")));
}

TEST_P(EnvConformance, UnnamedFileHasNoNameUntilPublished) {
  const auto file = std::move(env().create_unnamed(root_path())).value();
  ASSERT_OK(file->write_at(0, as_bytes("spool")));
  EXPECT_TRUE(root()->list().value().empty());
  ASSERT_OK(env().publish(*file, at("out")));
  EXPECT_EQ(content(at("out")), "spool");
  EXPECT_EQ(root()->list().value(), std::vector<std::string>{"out"});
  ASSERT_OK(file->write_at(5, as_bytes("ed")));
  EXPECT_EQ(content(at("out")), "spooled");
  EXPECT_EQ(file->path(), at("out"));
}

TEST_P(EnvConformance, PublishReplacesWhatIsThere) {
  create(at("out"), "old");
  const auto file = std::move(env().create_unnamed(root_path())).value();
  ASSERT_OK(file->write_at(0, as_bytes("new")));
  ASSERT_OK(env().publish(*file, at("out"), 0640));
  EXPECT_EQ(content(at("out")), "new");
  EXPECT_EQ(env().status(at("out")).value().mode, 0100640U);
  EXPECT_EQ(root()->list().value().size(), 1U);
}

TEST_P(EnvConformance, FailedPublishLeavesNothing) {
  ASSERT_OK(env().make_directory(at("out"), 0755));
  const auto file = std::move(env().create_unnamed(root_path())).value();
  EXPECT_FAILS(ErrorKind::kIsDirectory, env().publish(*file, at("out")));
  EXPECT_FAILS(ErrorKind::kNotFound, env().publish(*file, at("absent/out")));
  EXPECT_EQ(root()->list().value(), std::vector<std::string>{"out"});
}

TEST_P(EnvConformance, PublishTakesTheLongestName) {
  const std::string name(255, 'n');
  const auto file = std::move(env().create_unnamed(root_path())).value();
  ASSERT_OK(env().publish(*file, at(name)));
  EXPECT_EQ(root()->list().value(), std::vector<std::string>{name});
}

TEST_P(EnvConformance, RenameReplacesAndRemoveRemoves) {
  create(at("a"), "a");
  create(at("b"), "b");
  ASSERT_OK(env().make_directory(at("d"), 0755));
  ASSERT_OK(env().rename(at("a"), at("b")));
  EXPECT_EQ(content(at("b")), "a");
  EXPECT_FAILS(ErrorKind::kNotFound, env().rename(at("a"), at("c")));
  EXPECT_FAILS(ErrorKind::kIsDirectory, env().rename(at("b"), at("d")));
  EXPECT_FAILS(ErrorKind::kNotDirectory, env().rename(at("d"), at("b")));
  EXPECT_FAILS(ErrorKind::kIo, env().rename(at("d"), at("d/e")));
  create(at("d/full"), "");
  EXPECT_FAILS(ErrorKind::kIo, env().remove(at("d")));
  ASSERT_OK(env().remove(at("d/full")));
  ASSERT_OK(env().remove(at("d")));
  ASSERT_OK(env().remove(at("b")));
  EXPECT_FAILS(ErrorKind::kNotFound, env().remove(at("b")));
  EXPECT_TRUE(root()->list().value().empty());
}

TEST_P(EnvConformance, RemovedFileStaysReadableWhileOpen) {
  create(at("f"), "x");
  const auto file = std::move(env().open(at("f"))).value();
  ASSERT_OK(env().remove(at("f")));
  Buffer bytes(1);
  EXPECT_EQ(file->read_at(0, bytes).value(), 1U);
  EXPECT_EQ(file->status().value().link_count, 0U);
}

TEST_P(EnvConformance, SyncsDirectories) {
  ASSERT_OK(env().sync_directory(root_path()));
  EXPECT_FAILS(ErrorKind::kNotFound, env().sync_directory(at("absent")));
  create(at("f"), "");
  EXPECT_FAILS(ErrorKind::kNotDirectory, env().open_directory(at("f")));
}

TEST_P(EnvConformance, ClocksAndRandomness) {
  const auto before = env().monotonic_ns();
  EXPECT_GE(env().monotonic_ns(), before);
  EXPECT_GE(env().now().seconds, 946684800);
  EXPECT_GE(env().processor_count(), 1U);
  const storage::Caller caller = env().caller();
  EXPECT_TRUE(caller.is_in_group(caller.group_id));
  EXPECT_FALSE(caller.is_in_group(4294967295));
  Buffer one(32), two(32);
  env().random(one);
  env().random(two);
  EXPECT_NE(one, two);
  EXPECT_FALSE(env().variable("DGFS_NO_SUCH_VARIABLE").has_value());
}

}  // namespace
}  // namespace dgfs::test
