// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The cost of contents, counted at the files: a read of an untouched file costs the same as through
// the image, and writes read nothing.
#include <functional>
#include <vector>

#include "tests/delta/view/view_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

class ContentCost : public testing::Test {
 protected:
  static constexpr int kFiles = 40;
  static constexpr std::size_t kFileBytes = 20'000;

  ContentCost() {
    for (int i = 0; i < kFiles; ++i) {
      tree().file(name_of(i), pattern(kFileBytes, static_cast<std::uint32_t>(i)));
    }
    viewed_.options().parameters.segment_bytes = 1 << 20;
    viewed_.options().table_bytes = 1 << 20;
    viewed_.open();
    for (int i = 0; i < kFiles; ++i) {
      files_.push_back(value_of(view().lookup(kRoot, name_of(i))).object);
    }
  }

  [[nodiscard]] PackedTree& tree() { return viewed_.tree(); }
  [[nodiscard]] view::View& view() { return viewed_.view(); }
  [[nodiscard]] static std::string name_of(int i) { return "file" + std::to_string(100 + i); }

  // Calls and bytes of reads, of the image and of the delta.
  struct Reads {
    std::uint64_t image_reads = 0;
    std::uint64_t image_bytes = 0;
    std::uint64_t delta_reads = 0;

    friend bool operator==(const Reads&, const Reads&) = default;
  };
  [[nodiscard]] Reads so_far() {
    Reads reads;
    for (const auto& counts : {tree().index_counts(), tree().image_counts()}) {
      reads.image_reads += counts.reads;
      reads.image_bytes += counts.read_bytes;
    }
    for (const auto& [path, counts] : viewed_.delta_calls()) {
      if (path.starts_with(ViewedTree::kDelta)) reads.delta_reads += counts.reads;
    }
    return reads;
  }
  // The reads of some work with empty caches.
  Reads reads_of(const std::function<void()>& work) {
    viewed_.reopen_image();
    const auto before = so_far();
    work();
    const auto after = so_far();
    return {after.image_reads - before.image_reads, after.image_bytes - before.image_bytes,
            after.delta_reads - before.delta_reads};
  }
  // Uses some parts of all files.
  template <class Use>
  void for_parts(Use use) {
    Random random(3);
    Buffer bytes(3000);
    for (int i = 0; i < 200; ++i) {
      use(files_[random.below(files_.size())], random.below(kFileBytes), MutableBytes(bytes));
    }
  }

  ViewedTree viewed_;
  std::vector<ObjectNumber> files_;
};

TEST_F(ContentCost, UntouchedFilesAreReadAsThroughTheImage) {
  // The delta has records of other files only, so the view does not read it.
  for (int i = 0; i < 100; ++i) {
    const auto made = value_of(view().create(kRoot, "new" + std::to_string(i), {}, {})).object;
    value_of(view().write(made, 0, as_bytes("some bytes")));
  }
  const auto of_image = reads_of([&] {
    for_parts([&](ObjectNumber file, std::uint64_t offset, MutableBytes out) {
      const auto node = value_of(viewed_.image().by_inode(file));
      value_of(viewed_.image().read(node, offset, out));
    });
  });
  const auto of_view = reads_of([&] {
    for_parts([&](ObjectNumber file, std::uint64_t offset, MutableBytes out) {
      value_of(view().read(file, offset, out));
    });
  });
  EXPECT_GT(of_image.image_reads, 20U);
  EXPECT_EQ(of_view, of_image);
}

TEST_F(ContentCost, WritesReadNothing) {
  const auto reads = reads_of([&] {
    for_parts([&](ObjectNumber file, std::uint64_t offset, MutableBytes bytes) {
      value_of(view().write(file, offset, Bytes(bytes).first(1 + offset % 1200)));
    });
    for (const ObjectNumber file : files_) {
      expect_ok(view().zero(file, 700, 5000, view::ZeroMode::kKeepSize));
    }
    expect_ok(view().sync());
  });
  EXPECT_EQ(reads, Reads());
}

// The store knows without a chunk's bytes whether it is data.
TEST_F(ContentCost, SeeksReadNoContents) {
  constexpr std::size_t kBytes = 200'000;
  const auto file = value_of(view().create(kRoot, "written", {}, {})).object;
  value_of(view().write(file, 0, Buffer(kBytes, 'b')));
  viewed_.reopen_image();
  const auto contents_read = [&] {
    std::uint64_t bytes = 0;
    for (const auto& [path, counts] : viewed_.delta_calls()) {
      if (path.ends_with("/extents")) bytes += counts.read_bytes;
    }
    return bytes;
  };
  const auto before = contents_read();
  EXPECT_EQ(value_of(view().next_data(file, 700)), 700U);
  EXPECT_EQ(value_of(view().next_hole(file, 700)), kBytes);
  EXPECT_EQ(contents_read(), before);
}

// Removing a file takes a few records, however long the file is: the view reads none of its
// contents, and writes hardly more.
TEST_F(ContentCost, ALongFileIsRemovedLikeAShortOne) {
  const auto written_by = [&](std::size_t bytes) {
    const auto name = "removed" + std::to_string(bytes);
    const auto file = value_of(view().create(kRoot, name, {}, {})).object;
    value_of(view().write(file, 0, Buffer(bytes, 'b')));
    viewed_.reopen_image();
    value_of(view().lookup(kRoot, name));
    const auto writes = [&] {
      std::uint64_t sum = 0;
      for (const auto& [path, counts] : viewed_.delta_calls()) sum += counts.written_bytes;
      return sum;
    };
    const auto reads = so_far();
    const auto before = writes();
    view::AttributeChange change;
    change.size_bytes = 100;
    value_of(view().set_attributes(file, change));
    value_of(view().unlink(kRoot, name));
    expect_ok(view().release(file));
    expect_ok(view().sync());
    EXPECT_LE(so_far().delta_reads, reads.delta_reads + 2) << bytes << " bytes";
    return writes() - before;
  };
  const auto of_short = written_by(600);
  EXPECT_LE(written_by(200'000), of_short + 512);
}

// The view puts a chunk together from patch and image once, until the next write to it.
TEST_F(ContentCost, PatchedChunksArePutTogetherOnce) {
  for (const ObjectNumber file : files_) value_of(view().write(file, 700, as_bytes("patch")));
  expect_ok(view().sync());
  const auto read_all = [&](std::string_view expected) {
    Buffer chunk(512);
    for (const ObjectNumber file : files_) {
      EXPECT_EQ(value_of(view().read(file, 512, chunk)), chunk.size());
      EXPECT_EQ(as_text(Bytes(chunk).subspan(188, 5)), expected);
    }
  };
  const auto reads_by = [&](std::string_view expected) {
    const auto before = so_far();
    read_all(expected);
    return so_far().image_reads - before.image_reads;
  };
  EXPECT_GE(reads_of([&] { read_all("patch"); }).image_reads, 1U * kFiles);
  EXPECT_EQ(reads_by("patch"), 0U);
  for (const ObjectNumber file : files_) value_of(view().write(file, 703, as_bytes("ty")));
  EXPECT_GE(reads_by("patty"), 1U * kFiles);
  EXPECT_EQ(reads_by("patty"), 0U);
}

// A long file that is read in order once does not fill the memory of all caches with its chunks. A
// second pass shows that they are wanted.
TEST_F(ContentCost, APassThroughAFileKeepsNoPatchedChunks) {
  constexpr std::size_t kReadBytes = 1024;  // two chunks
  const ObjectNumber file = files_.front();
  for (std::size_t at = 100; at < kFileBytes; at += 512) {
    value_of(view().write(file, at, as_bytes("patch")));
  }
  expect_ok(view().sync());
  const auto pass = [&] {
    Buffer out(kReadBytes);
    const auto before = so_far();
    for (std::size_t at = 0; at + out.size() <= kFileBytes; at += out.size()) {
      EXPECT_EQ(value_of(view().read(file, at, out)), out.size());
    }
    return so_far().image_reads - before.image_reads;
  };
  viewed_.reopen_image();
  EXPECT_GE(pass(), 10U);
  // The first read continues nothing, so its chunks are kept.
  EXPECT_GE(pass(), kFileBytes / kReadBytes - 1);
  EXPECT_EQ(pass(), 0U);
}

// Chunks in a row take one read of the image, even if some have patches.
TEST_F(ContentCost, NeighboursAreReadFromTheImageTogether) {
  const auto read_all = [&] {
    Buffer out(kFileBytes);
    for (const ObjectNumber file : files_) {
      EXPECT_EQ(value_of(view().read(file, 0, out)), out.size());
    }
  };
  for (const ObjectNumber file : files_) value_of(view().write(file, 10'003, as_bytes("patch")));
  const auto patched = reads_of(read_all);
  // Some pages of the index, and one read for each file.
  EXPECT_LE(patched.image_reads, kFiles + 10U);
  EXPECT_GE(patched.image_bytes, kFiles * kFileBytes);
  // The same holds for the bytes on both sides of a chunk that the image does not show, within a
  // frame.
  for (const ObjectNumber file : files_) {
    expect_ok(view().zero(file, 4096, 8192, view::ZeroMode::kKeepSize));
  }
  const auto punched = reads_of(read_all);
  EXPECT_LE(punched.image_reads, kFiles + 10U);
  EXPECT_LE(punched.image_bytes, patched.image_bytes);
}

// A patched chunk reads from the image only what the patch leaves out; a whole one reads nothing.
TEST_F(ContentCost, WholeChunksAreReadWithoutTheImage) {
  const std::string bytes(4096, 'w');
  for (const ObjectNumber file : files_) value_of(view().write(file, 4096, as_bytes(bytes)));
  const auto reads = reads_of([&] {
    for (const ObjectNumber file : files_) {
      Buffer out(4096);
      EXPECT_EQ(value_of(view().read(file, 4096, out)), out.size());
      EXPECT_EQ(as_text(out), bytes);
    }
  });
  // Pages of the index, because records of an image file's attributes are patches.
  EXPECT_LE(reads.image_reads, 10U);
}

}  // namespace
}  // namespace dgfs::test
