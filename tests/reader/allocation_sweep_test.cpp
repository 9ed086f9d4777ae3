// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each allocation of a build, of opening and of the reader's operations fails once. The call throws
// std::bad_alloc, reports that memory is lacking, or does without. It leaves nothing unfinished,
// and the same call succeeds right after it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "format/content/extent.h"
#include "reader/check/verify.h"
#include "reader/extract/extract.h"
#include "storage/posix/env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/failing_heap.h"
#include "tests/support/image_assembler.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

using reader::Image;

/// Makes directories, a link, holes, an xattr, a long target, files of several frames, small texts.
void make_tree(storage::Env& env, const std::string& path) {
  expect_ok(env.make_directory(path, 0755));
  const auto root = value_of(env.open_directory(path));
  const auto put = [](storage::Directory& in, const char* name, Bytes content) {
    expect_ok(value_of(in.create_file(name, 0644))->write_at(0, content));
  };
  expect_ok(root->make_directory("d", 0755));
  const auto folder = value_of(root->open_directory("d"));
  put(*folder, "one", as_bytes("first content"));
  put(*folder, "two", pattern(700, 2));
  put(*folder, "words", Buffer(900, 'w'));
  put(*folder, "a name that no string holds without the heap", as_bytes("second content"));
  put(*folder, "another name that no string holds without it", as_bytes("third content"));
  put(*root, "y", Buffer(140'000, 'y'));
  put(*root, "z", pattern(140'000, 3));
  put(*root, "owner", as_bytes("x"));
  expect_ok(root->make_link(*folder, "one", "other"));
  expect_ok(root->make_symlink("long", std::string(300, 'y')));
  const auto holes = value_of(root->create_file("holes", 0644));
  expect_ok(holes->write_at(8192, pattern(4096, 4)));
  expect_ok(holes->truncate(32768));
}

std::vector<std::string> names_in(storage::Env& env, const std::string& path) {
  auto names = value_of(value_of(env.open_directory(path))->list());
  std::sort(names.begin(), names.end());
  return names;
}

/// How the image is built.
struct Sweep {
  const char* name = "";
  std::uint64_t token_entries_min = builder::kTokenEntriesMin;
  std::optional<builder::Compression> compression = {};
  friend void PrintTo(const Sweep& sweep, std::ostream* out) { *out << sweep.name; }
};

class AllocationSweep : public ::testing::TestWithParam<Sweep> {
 protected:
  void SetUp() override {
    make_tree(*env_, folder_ / "tree");
    expect_ok(env_->make_directory(folder_ / "out", 0755));
    options_.source = folder_ / "tree";
    options_.image_path = image_;
    options_.jobs = 2;
    options_.memory_bytes = std::size_t{16} << 20;
    options_.token_entries_min = GetParam().token_entries_min;
    options_.compression = GetParam().compression;
    options_.digest = format::DigestAlgorithm::kSha256;
    static_cast<void>(value_of(builder::build(*env_, options_)));
  }

  // Runs `run` again and again; each time the next allocation fails.
  // @param between  checks the state after a failure; without it, `run` is called again
  void sweep(const std::string& what, const std::function<Result<std::string>()>& run,
             const std::function<void()>& between = {}) {
    const auto truth = value_of(run());
    for (std::uint64_t call = 1;; ++call) {
      SCOPED_TRACE(what + ", allocation " + std::to_string(call));
      const bool failed = run_once(call, truth, run);
      if (between) {
        between();
      } else {
        const auto later = run();
        ASSERT_TRUE(later) << later.error().message();
        ASSERT_EQ(later.value(), truth);
      }
      ASSERT_FALSE(HasFailure());
      if (!failed) break;
      ++points_;
    }
  }

  static bool run_once(std::uint64_t call, const std::string& truth,
                       const std::function<Result<std::string>()>& run) {
    std::optional<Result<std::string>> answer;
    bool failed = false;
    {
      const FailingHeap heap(call);
      try {
        answer = run();
      } catch (const std::bad_alloc&) {
        answer.reset();
      }
      failed = heap.failed();
    }
    if (!answer) {
      EXPECT_TRUE(failed);
    } else if (*answer) {
      EXPECT_EQ(answer->value(), truth);
    } else {
      EXPECT_EQ(answer->error().kind(), ErrorKind::kLimit) << answer->error().message();
    }
    return failed;
  }

  void TearDown() override {
    std::printf("%llu allocations failed in turn\n", static_cast<unsigned long long>(points_));
  }

  TempDir folder_;
  std::unique_ptr<storage::Env> env_ = storage::make_posix_env();
  std::string image_ = folder_ / "out/t.dgfs";
  builder::BuildOptions options_;
  std::uint64_t points_ = 0;
};

Result<std::string> built(storage::Env& env, const builder::BuildOptions& options) {
  DGFS_TRY(report, builder::build(env, options));
  return std::to_string(report.image_bytes);
}

TEST_P(AllocationSweep, OfABuild) {
  const std::vector<std::string> outputs = {"t.dgfs", "t.dgfs.idx"};
  const auto image = read_file(*env_, image_);
  const auto build = [&] { return built(*env_, options_); };
  sweep("build", build, [&] {
    // The old image, or the new one, which has the same bytes.
    EXPECT_EQ(names_in(*env_, folder_ / "out"), outputs);
    EXPECT_EQ(read_file(*env_, image_), image);
  });
  EXPECT_GE(points_, 300U);
}

Result<std::string> walked(const Image& image) {
  std::string paths;
  DGFS_CHECK(image.walk("", [&](std::string_view path, const reader::Node& node) {
    paths += std::string(path) + " " + std::to_string(node.inode) + "\n";
    return true;
  }));
  return paths;
}

TEST_P(AllocationSweep, OfOpening) {
  for (const auto& path : {image_, image_ + ".idx"}) {
    sweep("open " + path, [&]() -> Result<std::string> {
      DGFS_TRY(image, Image::open(*env_, path));
      return walked(*image);
    });
  }
  EXPECT_GE(points_, 100U);
}

// The index file is damaged: the copy in the image has all pieces.
TEST_P(AllocationSweep, OfHealing) {
  auto index = read_file(*env_, image_ + ".idx");
  for (std::size_t at = 4096 + 100; at < index.size(); at += 4096) index[at] ^= 1;
  expect_ok(env_->remove(image_ + ".idx"));
  write_file(*env_, image_ + ".idx", index);
  sweep("open", [&]() -> Result<std::string> {
    DGFS_TRY(image, Image::open(*env_, image_));
    return walked(*image);
  });
  EXPECT_GE(points_, 100U);
}

Result<std::string> everything_of(const Image& image) {
  DGFS_TRY(folder, image.lookup("d"));
  DGFS_TRY(two, image.lookup(folder.inode, "two"));
  DGFS_TRY(other, image.lookup("other"));
  DGFS_TRY(again, image.by_inode(other.inode));
  DGFS_TRY(path, image.path_of(two.inode));
  std::string told = path + std::to_string(again.size_bytes);
  DGFS_CHECK(image.list_nodes(folder.inode, 0, [&](const auto& name, const auto& node) {
    told += std::string(name.name) + std::to_string(node.size_bytes);
    return true;
  }));
  DGFS_TRY(long_link, image.lookup("long"));
  DGFS_TRY(target, image.read_link(long_link));
  DGFS_TRY(holes, image.lookup("holes"));
  DGFS_TRY(data, image.next_data(holes, 0));
  DGFS_TRY(xattrs, image.xattrs(holes));
  told += target + std::to_string(data) + std::to_string(xattrs.size());
  for (const auto* name : {"y", "z", "holes", "d/two", "d/words"}) {
    DGFS_TRY(node, image.lookup(name));
    Buffer content(node.size_bytes);
    DGFS_TRY(count, image.read(node, 0, content));
    DGFS_TRY(digest, image.digest(node));
    told += std::to_string(count) + std::string(as_text(content)) + format::digest_text(digest);
  }
  return told;
}

TEST_P(AllocationSweep, OfAnOpenImage) {
  for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{64} << 20}) {
    reader::OpenOptions options;
    options.page_cache_bytes = cache_bytes;
    options.frame_cache_bytes = cache_bytes;
    std::unique_ptr<const Image> image;
    // Opened again each time, since full caches allocate nothing.
    const auto open = [&] { image = value_of(Image::open(*env_, image_, options)); };
    open();
    sweep("use, cache of " + std::to_string(cache_bytes), [&] { return everything_of(*image); });
    sweep("use after opening, cache of " + std::to_string(cache_bytes),
          [&]() -> Result<std::string> {
            DGFS_TRY(fresh, Image::open(*env_, image_, options));
            auto first = everything_of(*fresh);
            return first;
          });
  }
  EXPECT_GE(points_, 100U);
}

TEST_P(AllocationSweep, OfReadingMany) {
  const auto image = value_of(Image::open(*env_, image_));
  const std::vector<std::string> paths = {"d/one",   "z",     "d/two", "y", "absent",
                                          "d/words", "holes", "owner", "d"};
  for (const bool io_uring : {true, false}) {
    sweep("read many", [&]() -> Result<std::string> {
      std::vector<std::string> told(paths.size());
      std::optional<Error> lacking;
      reader::ReadManyOptions options;
      options.io_uring = io_uring;
      const auto visit = [&](std::size_t index, const Result<reader::FilePiece>& piece) {
        told[index] = piece ? std::string(as_text(piece.value().bytes))
                            : std::to_string(static_cast<int>(piece.error().kind()));
        if (!piece && piece.error().kind() == ErrorKind::kLimit) lacking = piece.error();
        return true;
      };
      image->read_many(paths, visit, options);
      if (lacking) return *lacking;
      std::string all;
      for (const auto& one : told) all += one + "\n";
      return all;
    });
  }
  EXPECT_GE(points_, 30U);
}

TEST_P(AllocationSweep, OfVerifying) {
  const auto image = value_of(Image::open(*env_, image_));
  sweep("verify", [&]() -> Result<std::string> {
    reader::VerifyOptions options;
    options.jobs = 2;
    options.digests = true;
    DGFS_TRY(report, reader::verify(*image, options));
    return std::to_string(report.content_bytes) + (report.sound() ? " sound" : " damaged");
  });
  EXPECT_GE(points_, 50U);
}

TEST_P(AllocationSweep, OfExtracting) {
  const auto image = value_of(Image::open(*env_, image_));
  std::uint64_t run = 0;
  const auto destination = [&] { return folder_ / ("x" + std::to_string(run)); };
  const auto extract = [&]() -> Result<std::string> {
    ++run;
    reader::ExtractOptions options;
    options.jobs = 2;
    DGFS_TRY(report, reader::extract(*image, *env_, destination(), options));
    return std::to_string(report.entries) + " " + std::to_string(report.content_bytes);
  };
  const std::vector<std::string> whole = {"d", "holes", "long", "other", "owner", "y", "z"};
  sweep("extract", extract, [&] {
    if (!env_->status(destination())) return;
    for (const auto& name : names_in(*env_, destination())) {
      // Only names of the tree, and only whole files.
      ASSERT_NE(std::find(whole.begin(), whole.end(), name), whole.end()) << name;
      if (name == "d" || name == "long") continue;
      EXPECT_EQ(read_file(*env_, destination() + "/" + name),
                read_file(*env_, folder_ / ("tree/" + name)))
          << name;
    }
  });
  EXPECT_GE(points_, 100U);
}

TEST_P(AllocationSweep, MeetsWhatItIsNamedFor) {
  const auto image = value_of(Image::open(*env_, image_));
  const auto words = value_of(image->lookup("d/words"));
  const auto frames = value_of(image->lookup("y"));
  const bool is_compressed = GetParam().compression.has_value();
  EXPECT_EQ(words.fragment_offset.has_value(), is_compressed);
  EXPECT_EQ(frames.codec == format::ExtentCodec::kZstd, is_compressed);
  EXPECT_TRUE(format::has_seek_table(frames.size_bytes));
}

INSTANTIATE_TEST_SUITE_P(Images, AllocationSweep,
                         ::testing::Values(Sweep{"Tokens", 1}, Sweep{"Plain"},
                                           Sweep{"Fragments", builder::kTokenEntriesMin,
                                                 builder::Compression{
                                                     3, 0, builder::kFragmentFrameBytesMin}}),
                         [](const auto& sweep) { return std::string(sweep.param.name); });

}  // namespace
}  // namespace dgfs::test
