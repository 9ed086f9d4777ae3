// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Several calls of read_many() on one image at once, through io_uring and through threads.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "storage/posix/env.h"
#include "tests/reader/packed_tree.h"
#include "tests/support/image_assembler.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

constexpr std::uint32_t kManyFiles = 900;

std::size_t content_bytes_of(std::uint32_t i) { return i % 90 == 0 ? 90'000 : i % 700; }

TEST(ReadManyThreads, EveryCallGetsAllOfItsOwn) {
  PackedTree tree;
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; i < kManyFiles; ++i) {
    paths.push_back(std::to_string(i * 2654435761U));
    tree.file(paths.back(), pattern(content_bytes_of(i), i));
  }
  tree.pack();
  const TempDir dir;
  const auto posix = storage::make_posix_env();
  write_file(*posix, dir / "t.dgfs", read_file(tree.memory(), kImage));
  reader::OpenOptions open_options;
  open_options.page_cache_bytes = 0;
  const auto image = value_of(reader::Image::open(*posix, dir / "t.dgfs", open_options));
  std::atomic<std::size_t> right{0};
  const auto work = [&](unsigned number) {
    reader::ReadManyOptions options;
    options.io_uring = number % 2 == 0;
    options.depth = 1 + number * 5;
    image->read_many(
        paths,
        [&](std::size_t index, const Result<reader::FilePiece>& piece) {
          const auto expected = pattern(content_bytes_of(static_cast<std::uint32_t>(index)),
                                        static_cast<std::uint32_t>(index));
          const auto& bytes = piece.value().bytes;
          if (Buffer(bytes.begin(), bytes.end()) == expected) ++right;
          return true;
        },
        options);
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 4 * kManyFiles);
}

}  // namespace
}  // namespace dgfs::test
