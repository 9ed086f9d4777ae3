// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The space of contents: it comes back after removals, and the view reports it.
#include <string>
#include <vector>

#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

class ContentSpace : public testing::Test {
 protected:
  static constexpr std::uint64_t kChunkBytes = std::uint64_t{64} << 10;
  static constexpr std::uint64_t kFileBytes = std::uint64_t{4} << 20;

  explicit ContentSpace(std::uint64_t max_bytes = 0) {
    viewed_.tree().file("image", std::string(100, 'i'));
    viewed_.set_chunk_bytes(kChunkBytes);
    auto& options = viewed_.options();
    options.parameters = {64 << 10, 256 << 10, 16, 4 << 20, 2048};
    options.table_bytes = 1 << 20;
    options.dirty_bytes = 1 << 20;
    options.max_bytes = max_bytes;
    viewed_.open();
  }

  [[nodiscard]] view::View& view() { return viewed_.view(); }
  [[nodiscard]] ObjectNumber make_file(const std::string& name) {
    const auto file = value_of(view().create(kRoot, name, {}, {})).object;
    const std::string bytes(1 << 20, 'b');
    for (std::uint64_t at = 0; at < kFileBytes; at += bytes.size()) {
      EXPECT_EQ(value_of(view().write(file, at, as_bytes(bytes))), bytes.size());
    }
    return file;
  }
  [[nodiscard]] std::uint64_t on_disk_bytes() {
    std::uint64_t bytes = 0;
    for (const auto& [path, counts] : viewed_.delta_calls()) {
      const auto status = viewed_.tree().memory().status(path);
      if (status && path.ends_with("extents")) bytes += status.value().allocated_bytes;
    }
    return bytes;
  }
  // Rests, as the threads of a store do after a few seconds.
  void rest() {
    auto& store = viewed_.delta().newest();
    for (int i = 0; i < 100; ++i) {
      if (!value_of(store.rest()) && i > 1) break;
    }
  }

  ViewedTree viewed_;
};

TEST_F(ContentSpace, OfARemovedFileComesBack) {
  std::vector<ObjectNumber> files;
  for (int i = 0; i < 6; ++i) files.push_back(make_file("file" + std::to_string(i)));
  rest();
  const auto all = on_disk_bytes();
  const auto used = view().space().used_bytes;
  EXPECT_GE(all, 6 * kFileBytes);
  for (const int i : {1, 3, 4}) {
    value_of(view().unlink(kRoot, "file" + std::to_string(i)));
    expect_ok(view().release(files[static_cast<std::size_t>(i)]));
  }
  rest();
  EXPECT_LE(on_disk_bytes(), all - 3 * kFileBytes + kFileBytes / 2);
  EXPECT_LE(view().space().used_bytes, used - 3 * kFileBytes + kFileBytes / 2);
}

TEST_F(ContentSpace, OfTruncatedAndZeroedBytesComesBack) {
  const auto cut = make_file("cut");
  const auto zeroed = make_file("zeroed");
  const auto kept = make_file("kept");
  rest();
  const auto all = on_disk_bytes();
  view::AttributeChange change;
  change.size_bytes = 100'000;
  value_of(view().set_attributes(cut, change));
  expect_ok(view().zero(zeroed, 1000, kFileBytes / 2, view::ZeroMode::kKeepSize));
  rest();
  EXPECT_LE(on_disk_bytes(), all - kFileBytes);
  Buffer out(1000);
  EXPECT_EQ(value_of(view().read(kept, kFileBytes - 1000, out)), 1000U);
  EXPECT_EQ(out, Buffer(1000, 'b'));
}

// A sealed store keeps all its space: its reserve, its log, and the space that was free at sealing.
TEST_F(ContentSpace, OfSealedStoresIsAllThatTheyHave) {
  static_cast<void>(make_file("first"));
  const auto removed = make_file("removed");
  value_of(view().unlink(kRoot, "removed"));
  expect_ok(view().release(removed));
  viewed_.seal();
  std::uint64_t sealed = 0;
  for (const auto& [path, counts] : viewed_.delta_calls()) {
    const auto status = viewed_.tree().memory().status(path);
    if (status && path.starts_with(std::string(ViewedTree::kDelta) + "/0001/")) {
      sealed += status.value().allocated_bytes;
    }
  }
  EXPECT_GE(sealed, kFileBytes);
  EXPECT_GE(view().space().used_bytes, sealed);
  EXPECT_LE(view().space().used_bytes, sealed + (16 << 20));
}

class CappedContentSpace : public ContentSpace {
 protected:
  CappedContentSpace() : ContentSpace(std::uint64_t{64} << 20) {}
};

// A write that finds space for only a part returns the length of that part, which is then in the
// file.
TEST_F(CappedContentSpace, ALongWriteTellsHowMuchOfItHadRoom) {
  const auto file = value_of(view().create(kRoot, "file", {}, {})).object;
  constexpr std::size_t kBytes = std::size_t{80} << 20;
  const auto bytes = pattern(kBytes, 1);
  const auto written = value_of(view().write(file, 1000, bytes));
  EXPECT_GT(written, std::size_t{16} << 20);
  EXPECT_LT(written, kBytes);
  EXPECT_EQ((1000 + written) % kChunkBytes, 0U) << "a part ends at the end of a chunk";
  EXPECT_EQ(value_of(view().attributes(file)).size_bytes, 1000 + written);
  Buffer out(written);
  ASSERT_EQ(value_of(view().read(file, 1000, out)), written);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), bytes.begin()));
  const auto appended = view().append(file, Bytes(bytes).first(std::size_t{20} << 20));
  if (appended) {
    EXPECT_EQ(appended.value().offset_bytes, 1000 + written);
    EXPECT_LT(appended.value().length_bytes, std::size_t{20} << 20);
  } else {
    EXPECT_EQ(appended.error().kind(), ErrorKind::kNoSpace);
  }
  // Punching a hole makes space, also on a full disk.
  expect_ok(view().zero(file, 0, written, view::ZeroMode::kKeepSize));
  rest();
  EXPECT_EQ(value_of(view().write(file, 1000, Bytes(bytes).first(1 << 20))), std::size_t{1} << 20);
}

// The view counts each byte below the cap once, and space that it reports free can be written.
TEST_F(CappedContentSpace, IsToldHonestly) {
  const auto first = make_file("first");
  rest();
  auto space = view().space();
  EXPECT_EQ(space.max_bytes, std::uint64_t{64} << 20);
  EXPECT_GE(space.used_bytes, kFileBytes);
  EXPECT_LE(space.total_bytes(), space.max_bytes);
  EXPECT_GE(space.total_bytes() + (4 << 20), space.max_bytes);
  const auto file = value_of(view().create(kRoot, "file", {}, {})).object;
  const std::string bytes(kChunkBytes, 'f');
  std::uint64_t written = 0;
  for (auto free = space.free_bytes; written + (8 << 20) < free; written += bytes.size()) {
    ASSERT_EQ(value_of(view().write(file, written, as_bytes(bytes))), bytes.size());
  }
  EXPECT_GT(written, std::uint64_t{16} << 20);
  // Further writes are refused, and contents stay; removals go on.
  for (int i = 0; i < 2000; ++i) {
    const auto more = view().write(file, written, as_bytes(bytes));
    if (!more) {
      EXPECT_EQ(more.error().kind(), ErrorKind::kNoSpace);
      break;
    }
    written += more.value();
  }
  EXPECT_LT(written, std::uint64_t{64} << 20);
  EXPECT_LT(view().space().free_bytes, std::uint64_t{4} << 20);
  value_of(view().unlink(kRoot, "first"));
  expect_ok(view().release(first));
  rest();
  EXPECT_GE(view().space().free_bytes, kFileBytes / 2);
  EXPECT_EQ(value_of(view().write(file, written, as_bytes(bytes))), bytes.size());
}

}  // namespace
}  // namespace dgfs::test
