// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each read of each public operation fails once: the operation gives an error that names a file, or
// the right answer (from the other index copy). The next call succeeds.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "format/header/section.h"
#include "format/limits.h"
#include "reader/check/verify.h"
#include "reader/extract/extract.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"

namespace dgfs::test {
namespace {

using reader::Image;
using storage::FaultKind;

/// An operation on an opened image, which gives its answer as text.
struct Operation {
  const char* name;
  std::function<Result<std::string>(const Image&)> run;
};

Result<std::string> listed(const Image& image, bool with_nodes) {
  std::string names;
  DGFS_TRY(folder, image.lookup("d"));
  if (with_nodes) {
    DGFS_CHECK(image.list_nodes(folder.inode, 1, [&](const auto& name, const auto& node) {
      names += std::string(name.name) + std::to_string(node.size_bytes) + " ";
      return true;
    }));
  } else {
    DGFS_CHECK(image.list(folder.inode, 1, [&](const reader::ListedName& name) {
      names += std::string(name.name) + " ";
      return true;
    }));
  }
  return names;
}

Result<std::string> walked(const Image& image) {
  std::string paths;
  DGFS_CHECK(image.walk("", [&](std::string_view path, const reader::Node& node) {
    paths += std::string(path) + " " + std::to_string(node.inode) + "\n";
    return true;
  }));
  return paths;
}

Result<std::string> read_at(const Image& image, const std::string& path, std::uint64_t at) {
  DGFS_TRY(node, image.lookup(path));
  Buffer part(300);
  DGFS_TRY(count, image.read(node, at, part));
  part.resize(count);
  return std::string(as_text(part));
}

Result<std::string> told_of_place(const Image& image, const std::string& path, std::uint64_t at) {
  DGFS_TRY(node, image.lookup(path));
  DGFS_TRY(place, image.locate(node, at));
  return place.file + std::to_string(place.offset_bytes);
}

Result<std::string> told_of_holes(const Image& image) {
  DGFS_TRY(node, image.lookup("holes"));
  DGFS_TRY(map, image.sparse_map(node));
  DGFS_TRY(data, image.next_data(node, 0));
  DGFS_TRY(hole, image.next_hole(node, data));
  return std::to_string(data) + " " + std::to_string(hole) + " " + std::to_string(map.has_value());
}

Result<std::string> xattrs_of(const Image& image) {
  DGFS_TRY(node, image.lookup("owner"));
  DGFS_TRY(xattrs, image.xattrs(node));
  return xattrs.front().name;
}

Result<std::string> target_of(const Image& image) {
  DGFS_TRY(node, image.lookup("long"));
  return image.read_link(node);
}

Result<std::string> digest_of(const Image& image) {
  DGFS_TRY(node, image.lookup("d/two"));
  DGFS_TRY(digest, image.digest(node));
  return format::digest_text(digest);
}

Result<std::string> verified(const Image& image, bool digests) {
  reader::VerifyOptions options;
  options.jobs = 1;
  options.digests = digests;
  DGFS_TRY(report, reader::verify(image, options));
  if (!report.sound()) return Error(ErrorKind::kCorrupt, 1, "damaged").in_file("reported");
  return std::to_string(report.content_bytes);
}

Result<std::string> extracted(const Image& image) {
  const auto destination = storage::make_memory_env(1);
  reader::ExtractOptions options;
  options.jobs = 1;
  DGFS_TRY(report, reader::extract(image, *destination, "/x", options));
  return std::to_string(report.content_bytes);
}

// Extracts past reported failures. Then the missing files are not compared.
Result<std::string> extracted_in_part(const Image& image) {
  const auto destination = storage::make_memory_env(1);
  reader::ExtractOptions options;
  options.jobs = 1;
  options.paths = {"d/two", "d/one", "other", "holes", "long", "owner", "z"};
  options.wanted = [](std::string_view path, bool) { return path != "d/two"; };
  options.keep_going = true;
  options.privileged = true;
  options.failed = [](const std::string&, const Error& error) {
    EXPECT_FALSE(error.file().empty()) << error.message();
  };
  options.lost_attribute = [](const std::string&, const auto&, const Error& error) {
    EXPECT_FALSE(error.file().empty()) << error.message();
  };
  DGFS_TRY(report, reader::extract(image, *destination, "/x", options));
  if (report.failures + report.lost_attributes != 0)
    return Error(ErrorKind::kIo, 1, "in part").in_file("reported");
  return std::to_string(report.entries);
}

Result<std::string> child_of(const Image& image) {
  DGFS_TRY(folder, image.lookup("d"));
  DGFS_TRY(child, image.lookup(folder.inode, "two"));
  DGFS_TRY(linked, image.lookup(folder.inode, "one"));
  DGFS_TRY(again, image.by_inode(linked.inode));
  DGFS_TRY(root, image.lookup(folder.inode, ".."));
  return std::to_string(child.inode) + " " + std::to_string(again.size_bytes) + " " +
         std::to_string(root.inode);
}

Result<std::string> inode_of(const Image& image) {
  DGFS_TRY(node, image.lookup("d/two"));
  DGFS_TRY(again, image.by_inode(node.inode));
  DGFS_TRY(path, image.path_of(again.inode));
  return path;
}

// The measure leaves out a page that cannot be read.
Result<std::string> measured(const Image& image) {
  std::string sizes;
  std::size_t pages = 0;
  DGFS_CHECK(image.measure_pages([&](const format::PageSizes& page) {
    sizes += std::to_string(page.entry_count) + " ";
    ++pages;
    return true;
  }));
  const auto bytes = image.superblock().section(format::SectionKind::kPages).length_bytes;
  if (pages == bytes / format::kPageBytes) return sizes;
  return Error(ErrorKind::kIo, 1, "a page is left out").in_file("reported");
}

Result<std::string> records_checked(const Image& image) {
  for (const auto* path : {"long", "owner", "holes"}) {
    DGFS_TRY(node, image.lookup(path));
    DGFS_CHECK(image.verify_records(node));
  }
  return std::string("sound");
}

Result<std::string> neighbours_checked(const Image& image) {
  DGFS_TRY(one, image.lookup("d/three"));
  DGFS_TRY(two, image.lookup("d/two"));
  const reader::Node* const nodes[] = {&one, &two};
  DGFS_CHECK(image.verify_neighbours(nodes));
  return std::string("sound");
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
      {"look up", [](const Image& image) { return inode_of(image); }},
      {"look up in a directory", [](const Image& image) { return child_of(image); }},
      {"list", [](const Image& image) { return listed(image, false); }},
      {"list with nodes", [](const Image& image) { return listed(image, true); }},
      {"walk", [](const Image& image) { return walked(image); }},
      {"read", [](const Image& image) { return read_at(image, "d/one", 0); }},
      {"read frames", [](const Image& image) { return read_at(image, "z", 65500); }},
      {"read holes", [](const Image& image) { return read_at(image, "holes", 8100); }},
      {"locate", [](const Image& image) { return told_of_place(image, "z", 70000); }},
      {"locate in holes", [](const Image& image) { return told_of_place(image, "holes", 8192); }},
      {"holes", [](const Image& image) { return told_of_holes(image); }},
      {"xattrs", [](const Image& image) { return xattrs_of(image); }},
      {"link", [](const Image& image) { return target_of(image); }},
      {"records", [](const Image& image) { return records_checked(image); }},
      {"neighbours", [](const Image& image) { return neighbours_checked(image); }},
      {"measure", [](const Image& image) { return measured(image); }},
      {"digest", [](const Image& image) { return digest_of(image); }},
      {"verify", [](const Image& image) { return verified(image, false); }},
      {"verify digests", [](const Image& image) { return verified(image, true); }},
      {"extract", [](const Image& image) { return extracted(image); }},
      {"extract in part", [](const Image& image) { return extracted_in_part(image); }}};
  return all;
}

/// The kind of fault, and from how many entries on pages use the token codec.
using SweepCase = std::tuple<FaultKind, std::uint64_t>;

class FaultSweep : public ::testing::TestWithParam<SweepCase> {
 protected:
  void SetUp() override {
    tree_.directory("d");
    tree_.file("d/one", "first content");
    tree_.file("d/three", pattern(90, 1));
    tree_.file("d/two", pattern(700, 2));
    tree_.link("d/one", "other");
    tree_.file("owner", "");
    tree_.file("z", pattern(140'000, 3));
    tree_.symlink("long", std::string(300, 'y'));
    auto root = tree_.parent("x");
    expect_ok(root->set_xattr("owner", "user.a", as_bytes("value")));
    auto holes = value_of(root->create_file("holes", 0644));
    expect_ok(holes->write_at(8192, pattern(4096, 4)));
    expect_ok(holes->truncate(32768));
    builder::BuildOptions options;
    options.token_entries_min = std::get<1>(GetParam());
    options.digest = format::DigestAlgorithm::kSha256;
    tree_.pack(options);
  }

  // The error for a missing volume gives its number, and the files that were tried.
  static void expect_placed(const Error& error) {
    const bool is_volume = error.kind() == ErrorKind::kNotFound &&
                           error.message().find(" is missing; /") != std::string::npos;
    EXPECT_TRUE(is_volume || !error.file().empty()) << error.message();
  }

  // Runs `run` with a fault at each call in turn; without it the next run must succeed.
  void sweep(const std::string& what, const std::function<Result<std::string>()>& run) {
    faulty_->arm({});
    const auto truth = value_of(run());
    for (std::uint64_t call = 1;; ++call) {
      SCOPED_TRACE(what + ", fault at call " + std::to_string(call));
      ASSERT_LT(call, 2000U);
      faulty_->arm({.kind = std::get<0>(GetParam()), .at_call = call, .sticky = false});
      const auto answer = run();
      // fired() does not tell: for calls that are no reads, some kinds of fault do nothing.
      const bool is_reached = faulty_->calls() >= call;
      faulty_->arm({});
      if (answer) {
        EXPECT_EQ(answer.value(), truth);
      } else {
        expect_placed(answer.error());
      }
      const auto later = run();
      ASSERT_TRUE(later) << later.error().message();
      EXPECT_EQ(later.value(), truth);
      if (!is_reached) break;
    }
  }

  PackedTree tree_;
  std::unique_ptr<storage::FaultyEnv> faulty_ = storage::make_faulty_env(tree_.memory(), 3);
};

// Caches without room: each run of an operation reads again.
reader::OpenOptions uncached() {
  reader::OpenOptions options;
  options.page_cache_bytes = 0;
  options.frame_cache_bytes = 0;
  return options;
}

TEST_P(FaultSweep, OfAnOpenImage) {
  for (const auto* file : {kImage, kIndex}) {
    faulty_->arm({});
    const auto image = value_of(Image::open(*faulty_, file, uncached()));
    for (const auto& operation : operations()) {
      sweep(std::string(operation.name) + " in " + file, [&] { return operation.run(*image); });
    }
  }
}

// With a single index copy there is no other to read from.
TEST_P(FaultSweep, OfAnImageWithOneIndex) {
  const auto whole = read_file(tree_.memory(), kImage);
  write_file(tree_.memory(), "/alone", whole);
  faulty_->arm({});
  const auto image = value_of(Image::open(*faulty_, "/alone", uncached()));
  EXPECT_FALSE(image->has_second_index());
  for (const auto& operation : operations()) {
    sweep(operation.name, [&] { return operation.run(*image); });
  }
}

TEST_P(FaultSweep, OfOpening) {
  const auto whole = read_file(tree_.memory(), kImage);
  write_file(tree_.memory(), "/alone", whole);
  for (const std::string path : {kImage, kIndex, "/alone"}) {
    sweep("open " + path, [&]() -> Result<std::string> {
      DGFS_TRY(image, Image::open(*faulty_, path, uncached()));
      return walked(*image);
    });
  }
}

// Contents lie in separate volumes, which are opened each time; the index is a separate file.
TEST_P(FaultSweep, OfAnImageOfTwoVolumes) {
  ImageAssembler assembler;
  assembler.entries_per_page = 2;
  assembler.volume_of_page = [](std::size_t page) {
    return static_cast<format::VolumeNumber>(page % 2);
  };
  assembler.more_volumes = {{1, "/one"}};
  for (const auto* path : {"a", "b", "c", "e"}) assembler.add_file(path, pattern(300, 5));
  assembler.write(tree_.memory(), "/two", "/two.idx", true);
  auto options = uncached();
  options.volume_paths = {"/one"};
  for (const std::string path : {"/two", "/two.idx"}) {
    sweep("read of two volumes by " + path, [&]() -> Result<std::string> {
      DGFS_TRY(image, Image::open(*faulty_, path, options));
      std::string all;
      for (const auto* name : {"a", "b", "c", "e"}) {
        DGFS_TRY(part, read_at(*image, name, 0));
        all += part;
      }
      return all;
    });
    sweep("verify of two volumes by " + path, [&]() -> Result<std::string> {
      DGFS_TRY(image, Image::open(*faulty_, path, options));
      return verified(*image, false);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, FaultSweep,
    ::testing::Combine(
        ::testing::Values(FaultKind::kIoError, FaultKind::kShortRead, FaultKind::kBitFlip),
        ::testing::Values(std::uint64_t{1}, builder::BuildOptions().token_entries_min)));

}  // namespace
}  // namespace dgfs::test
