// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Calls of an open image with entries of the wrong kind, unknown numbers, bad names and places that
// do not exist: each gets its error or answer.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "format/content/extent.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/check/verify.h"
#include "reader/extract/extract.h"
#include "tests/reader/packed_tree.h"

namespace dgfs::test {
namespace {

using reader::Image;
using reader::InodeNumber;

constexpr InodeNumber kUnknown = std::numeric_limits<InodeNumber>::max();

struct WrongCall {
  const char* name;
  std::function<Status(const Image&)> run;
  ErrorKind kind;
};

template <class Value>
Status status_of(const Result<Value>& result) {
  return result ? Status(ok()) : Status(result.assume_error());
}

class WrongUsage : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.directory("d");
    tree_.directory("d/empty");
    tree_.file("d/f", "content");
    tree_.symlink("d/link", "f");
    const auto folder = tree_.parent("d/f");
    expect_ok(folder->make_node("fifo", format::kTypeFifo | 0600, 0));
    expect_ok(folder->make_node("device", format::kTypeCharacterDevice | 0600, 0x103));
    tree_.pack();
    image_ = tree_.open();
  }
  void expect_errors(const std::vector<WrongCall>& calls) {
    for (const auto& call : calls) {
      const auto status = call.run(*image_);
      ASSERT_FALSE(status) << call.name;
      EXPECT_EQ(status.error().kind(), call.kind) << call.name;
      EXPECT_FALSE(status.error().message().empty()) << call.name;
    }
  }
  reader::Node node(const std::string& path) { return value_of(image_->lookup(path)); }
  InodeNumber inode(const std::string& path) { return node(path).inode; }

  PackedTree tree_;
  std::unique_ptr<const Image> image_;
};

TEST_F(WrongUsage, OfNames) {
  const auto child = [](InodeNumber directory, std::string name) {
    return [=](const Image& image) { return status_of(image.lookup(directory, name)); };
  };
  const auto path = [](std::string text) {
    return [=](const Image& image) { return status_of(image.lookup(text)); };
  };
  const auto d = inode("d");
  expect_errors(
      {{"of a file", child(inode("d/f"), "f"), ErrorKind::kNotDirectory},
       {"itself of a file", child(inode("d/f"), "."), ErrorKind::kNotDirectory},
       {"of nothing", child(kUnknown, "f"), ErrorKind::kNotFound},
       {"of number 0", child(0, ".."), ErrorKind::kNotFound},
       {"empty", child(d, ""), ErrorKind::kNotFound},
       {"a path", child(d, "empty/x"), ErrorKind::kNotFound},
       {"a zero byte", child(d, std::string("f\0", 2)), ErrorKind::kNotFound},
       {"long", child(d, std::string(256, 'n')), ErrorKind::kNotFound},
       {"missing before", child(d, "a"), ErrorKind::kNotFound},
       {"missing between", child(d, "g"), ErrorKind::kNotFound},
       {"missing behind", child(d, "z"), ErrorKind::kNotFound},
       {"in nothing", child(inode("d/empty"), "x"), ErrorKind::kNotFound},
       {"missing path", path("d/none"), ErrorKind::kNotFound},
       {"below a file", path("d/f/x"), ErrorKind::kNotFound},
       {"parent in a path", path("d/../d"), ErrorKind::kInvalidArgument},
       {"long name in a path", path(std::string(256, 'n')), ErrorKind::kInvalidArgument}});
  EXPECT_EQ(value_of(image_->lookup(d, ".")).inode, d);
  EXPECT_EQ(value_of(image_->lookup(d, "..")).inode, format::kRootInode);
  EXPECT_EQ(value_of(image_->lookup(format::kRootInode, "..")).inode, format::kRootInode);
}

TEST_F(WrongUsage, OfNumbers) {
  const auto visit = [](const auto&...) { return true; };
  for (const auto number : {InodeNumber{0}, kUnknown, image_->superblock().next_inode}) {
    expect_errors(
        {{"node", [&](const Image& i) { return status_of(i.by_inode(number)); },
          ErrorKind::kNotFound},
         {"parent", [&](const Image& i) { return status_of(i.parent(number)); },
          ErrorKind::kNotFound},
         {"path", [&](const Image& i) { return status_of(i.path_of(number)); },
          ErrorKind::kNotFound},
         {"list", [&](const Image& i) { return i.list(number, 0, visit); }, ErrorKind::kNotFound},
         {"list nodes", [&](const Image& i) { return i.list_nodes(number, 0, visit); },
          ErrorKind::kNotFound}});
  }
  const auto file = inode("d/f");
  expect_errors(
      {{"list", [&](const Image& i) { return i.list(file, 0, visit); }, ErrorKind::kNotDirectory},
       {"walk", [&](const Image& i) { return i.walk("d/none", visit); }, ErrorKind::kNotFound},
       {"walk upwards", [&](const Image& i) { return i.walk("..", visit); },
        ErrorKind::kInvalidArgument}});
}

TEST_F(WrongUsage, OfContents) {
  Buffer out(10);
  for (const auto* path : {"d", "d/link", "d/fifo", "d/device"}) {
    SCOPED_TRACE(path);
    const auto other = node(path);
    const auto kind =
        format::is_directory(other.mode) ? ErrorKind::kIsDirectory : ErrorKind::kInvalidArgument;
    const std::vector<const reader::Node*> alone = {&other};
    expect_errors({{"read", [&](const Image& i) { return status_of(i.read(other, 0, out)); }, kind},
                   {"locate", [&](const Image& i) { return status_of(i.locate(other, 0)); }, kind},
                   {"map", [&](const Image& i) { return status_of(i.sparse_map(other)); }, kind},
                   {"data", [&](const Image& i) { return status_of(i.next_data(other, 0)); }, kind},
                   {"hole", [&](const Image& i) { return status_of(i.next_hole(other, 0)); }, kind},
                   {"neighbours", [&](const Image& i) { return i.verify_neighbours(alone); },
                    ErrorKind::kInvalidArgument}});
    expect_ok(image_->verify_records(other));
  }
  const auto file = node("d/f");
  expect_errors(
      {{"target", [&](const Image& i) { return status_of(i.read_link(file)); },
        ErrorKind::kInvalidArgument},
       {"data", [&](const Image& i) { return status_of(i.next_data(file, file.size_bytes)); },
        ErrorKind::kInvalidArgument},
       {"hole", [&](const Image& i) { return status_of(i.next_hole(file, kUnknown)); },
        ErrorKind::kInvalidArgument},
       {"place", [&](const Image& i) { return status_of(i.locate(file, file.size_bytes)); },
        ErrorKind::kInvalidArgument}});
}

TEST_F(WrongUsage, ReadsEndWithTheFile) {
  const auto file = node("d/f");
  Buffer out(10);
  EXPECT_EQ(value_of(image_->read(file, file.size_bytes, out)), 0U);
  EXPECT_EQ(value_of(image_->read(file, kUnknown, out)), 0U);
  EXPECT_EQ(value_of(image_->read(file, 0, MutableBytes())), 0U);
  EXPECT_EQ(value_of(image_->read(file, file.size_bytes - 1, out)), 1U);
  expect_ok(image_->verify_neighbours({}));
}

// The caller changed the node, or it comes from another image.
TEST_F(WrongUsage, OfNodesThatNoImageGave) {
  Buffer out(10);
  const auto sound = node("d/f");
  const auto with = [&](const std::function<void(reader::Node&)>& change) {
    auto changed = sound;
    change(changed);
    return changed;
  };
  const std::vector<reader::Node> nodes = {
      with([](auto& n) { n.codec = static_cast<format::ExtentCodec>(9); }),
      with([](auto& n) { n.data.volume = 7; }),
      with([](auto& n) { n.data.offset_bytes = kUnknown - 3; }),
      with([](auto& n) { n.data.offset_bytes = 0; }),
      with([](auto& n) { n.stored_bytes = kUnknown; }),
      with([](auto& n) { n.stored_bytes = 3; }),
      with([](auto& n) { n.size_bytes = format::kFileBytesMax; }),
      with([](auto& n) {
        n.codec = format::ExtentCodec::kZstd;
        n.stored_bytes = format::kZstdFrameStoredBytesMax + 100;
      }),
      with([](auto& n) {
        n.sparse_map = {kUnknown - 3, 9};
      }),
      with([](auto& n) {
        n.sparse_map = {0, 9};
      })};
  for (const auto& changed : nodes) {
    SCOPED_TRACE(&changed - nodes.data());
    const auto read = image_->read(changed, 0, out);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt) << read.error().message();
  }
}

// Such nodes must not make a joint read larger than what the caller asks for.
TEST_F(WrongUsage, OfManyNodesThatNoImageGave) {
  auto huge = node("d/f");
  huge.stored_bytes = std::uint64_t{1} << 40;
  const std::vector<reader::Node> nodes = {huge, node("d/f"), node("d")};
  std::map<std::size_t, std::string> told;
  image_->read_many(nodes, [&](std::size_t index, const Result<reader::FilePiece>& piece) {
    told[index] = piece ? std::string(as_text(piece.value().bytes)) : piece.error().text();
    return true;
  });
  EXPECT_EQ(told, (std::map<std::size_t, std::string>{
                      {0, "the stored length contradicts the file's size"},
                      {1, "content"},
                      {2, "a directory"}}));
}

TEST_F(WrongUsage, WalksAndListsEndWhereTheyAreTold) {
  std::size_t all = 0;
  expect_ok(image_->walk("", [&](std::string_view, const reader::Node&) { return ++all != 0; }));
  for (std::size_t stop_at = 1; stop_at <= all; ++stop_at) {
    std::size_t seen = 0;
    expect_ok(
        image_->walk("", [&](std::string_view, const reader::Node&) { return ++seen < stop_at; }));
    EXPECT_EQ(seen, stop_at);
  }
  std::size_t seen = 0;
  const auto count = [&](const auto&...) { return ++seen != 0; };
  expect_ok(image_->list(inode("d"), 5, count));
  expect_ok(image_->list(inode("d"), kUnknown, count));
  expect_ok(image_->list_nodes(inode("d/empty"), 0, count));
  EXPECT_EQ(seen, 0U);
}

TEST_F(WrongUsage, AStoppedVerificationIsInterrupted) {
  const std::atomic<bool> stop = true;
  reader::VerifyOptions options;
  options.stop = &stop;
  const auto report = reader::verify(*image_, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::kInterrupted);
}

TEST_F(WrongUsage, APlanTellsWhatWouldBeRefused) {
  for (const bool privileged : {false, true}) {
    reader::ExtractOptions options;
    options.privileged = privileged;
    std::vector<std::string> paths;
    const auto report = value_of(reader::plan_extract(
        *image_, options,
        [&](const std::string& path, const reader::Node&) { paths.push_back(path); }));
    EXPECT_EQ(report.devices_refused, privileged ? 0U : 1U);
    EXPECT_EQ(report.entries, paths.size());
    EXPECT_EQ(paths.size(), privileged ? 7U : 6U);
  }
  reader::ExtractOptions options;
  options.paths = {"d/link", "none"};
  const auto missing = reader::plan_extract(*image_, options, [](const auto&, const auto&) {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace dgfs::test
