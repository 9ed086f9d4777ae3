// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A view announces coming reads. For a file with records in a store that is read in order, it
// announces all bytes that will be read, wherever they lie.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "delta/view/view.h"
#include "storage/forwarding_env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

constexpr const char* kAheadDelta = "/delta";
constexpr std::uint64_t kPieceBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kLongBytes = 64 * kPieceBytes;

// The announcements for one file of the storage.
struct Announced {
  std::map<std::uint64_t, std::uint64_t> ends;  // announced ranges: begin to end
  std::uint64_t bytes = 0;
  int reads = 0;
  int announced_reads = 0;

  [[nodiscard]] bool has(std::uint64_t offset_bytes) const {
    const auto next = ends.upper_bound(offset_bytes);
    return next != ends.begin() && offset_bytes < std::prev(next)->second;
  }
};

class WatchedFile final : public storage::ForwardingFile {
 public:
  WatchedFile(std::unique_ptr<storage::File> inner, Announced& seen)
      : ForwardingFile(std::move(inner)), seen_(seen) {}
  Result<std::size_t> read_at(std::uint64_t offset_bytes, MutableBytes out) const override {
    note(offset_bytes);
    return ForwardingFile::read_at(offset_bytes, out);
  }
  Result<std::size_t> read_at(std::uint64_t offset_bytes,
                              std::span<const MutableBytes> outs) const override {
    note(offset_bytes);
    return ForwardingFile::read_at(offset_bytes, outs);
  }
  void advise(storage::Access access, std::uint64_t offset_bytes,
              std::uint64_t length_bytes) override {
    if (access != storage::Access::kWillNeed) return;
    auto& end = seen_.ends[offset_bytes];
    end = std::max(end, offset_bytes + length_bytes);
    seen_.bytes += length_bytes;
  }

 private:
  void note(std::uint64_t offset_bytes) const {
    ++seen_.reads;
    seen_.announced_reads += seen_.has(offset_bytes) ? 1 : 0;
  }

  Announced& seen_;
};

class WatchingEnv final : public storage::ForwardingEnv {
 public:
  using storage::ForwardingEnv::ForwardingEnv;
  Result<std::unique_ptr<storage::File>> open(const std::string& path,
                                              storage::OpenOptions options) override {
    DGFS_TRY(file, storage::ForwardingEnv::open(path, options));
    if (path == kImage) return std::make_unique<WatchedFile>(std::move(file), image);
    if (path.ends_with("/extents")) return std::make_unique<WatchedFile>(std::move(file), values);
    return file;
  }

  Announced image;
  Announced values;
};

// A file of the image; each third chunk has a patch, each seventh is written anew.
class ContentAhead : public testing::Test {
 protected:
  ContentAhead() {
    tree_.file("file", pattern(kLongBytes, 1));
    tree_.pack();
    image_ = value_of(reader::Image::open(env_, kImage));
    delta::StoreOptions options;
    options.create = true;
    expect_ok(delta::DeltaDirectory::create(env_, kAheadDelta, image_->superblock().uuid,
                                            image_->superblock().next_inode, options, kPieceBytes));
    open(options);
    file_ = value_of(view_->lookup(kRoot, "file")).object;
    for (std::uint64_t chunk = 0; chunk < kLongBytes / kPieceBytes; ++chunk) {
      if (chunk % 3 == 0) write(chunk * kPieceBytes + 1000, 16);
      if (chunk % 7 == 0) write(chunk * kPieceBytes, kPieceBytes);
    }
    // Closed, so that the values are read from the disk.
    expect_ok(view_->close());
    view_ = nullptr;
    delta_ = nullptr;
    options.create = false;
    open(options);
    env_.image = env_.values = Announced();
  }

  void open(const delta::StoreOptions& options) {
    delta_ = value_of(delta::DeltaDirectory::open(env_, kAheadDelta, options));
    view_ = value_of(view::View::open(env_, *image_, *delta_));
  }
  void write(std::uint64_t offset, std::uint64_t length) {
    const Buffer bytes(static_cast<std::size_t>(length), 'w');
    ASSERT_EQ(value_of(view_->write(file_, offset, bytes)), bytes.size());
  }
  void read(std::uint64_t offset, std::uint64_t length) {
    Buffer out(static_cast<std::size_t>(length));
    ASSERT_EQ(value_of(view_->read(file_, offset, out)), out.size());
  }

  PackedTree tree_;
  WatchingEnv env_{tree_.memory()};
  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::View> view_;
  ObjectNumber file_ = 0;
};

TEST_F(ContentAhead, AllThatIsReadInOrderIsAnnounced) {
  constexpr std::uint64_t kReadBytes = std::uint64_t{32} << 10;
  for (std::uint64_t at = 0; at < kLongBytes; at += kReadBytes) read(at, kReadBytes);
  EXPECT_GT(env_.image.reads, 20);
  EXPECT_GT(env_.values.reads, 5);
  // The view needs two reads to see that the file is read in order.
  EXPECT_GE(env_.image.announced_reads, env_.image.reads - 2);
  EXPECT_GE(env_.values.announced_reads, env_.values.reads - 2);
  // The view announces only bytes that are read.
  EXPECT_LE(env_.image.bytes, kLongBytes);
}

TEST_F(ContentAhead, NothingIsAnnouncedOfReadsAtRandom) {
  Random random(1);
  for (int i = 0; i < 200; ++i) read(random.below(kLongBytes - 4096), 4096);
  EXPECT_GT(env_.image.reads, 30);
  EXPECT_EQ(env_.image.bytes, 0U);
  EXPECT_EQ(env_.values.bytes, 0U);
}

}  // namespace
}  // namespace dgfs::test
