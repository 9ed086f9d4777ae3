// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Threads that compress with the dictionaries of runs while others pass to the next runs, which
// frees tables of the first.
#include <gtest/gtest.h>

#include <thread>

#include "builder/train/dictionary_set.h"
#include "format/zstd/frame.h"

namespace dgfs::builder {
namespace {

constexpr std::uint64_t kRuns = 12;
constexpr std::uint64_t kRunEntries = 20;

std::string text(std::uint64_t seed) {
  std::string text;
  for (std::uint64_t i = 0; i < 30; ++i) {
    text += "line " + std::to_string((seed + i) * 7919 % 1009) + " of a file like others\n";
  }
  return text;
}

Buffer compressed(const DictionarySet& dictionaries, std::uint64_t position) {
  const auto chosen = dictionaries.choose({"x.txt", position}, {});
  EXPECT_EQ(chosen.dictionary->id, position / kRunEntries + 1);
  format::ZstdCompressor compressor;
  Buffer frame;
  EXPECT_TRUE(compressor.append(as_bytes(text(position)), 6, frame, chosen.dictionary));
  return frame;
}

TEST(DictionaryThreads, TablesAreFreedWhileOthersUseThem) {
  DictionarySet dictionaries;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Buffer joined;
    std::vector<std::size_t> lengths;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const auto sample = text(run * 1000 + i * 31);
      joined.insert(joined.end(), sample.begin(), sample.end());
      lengths.push_back(sample.size());
    }
    auto trained = format::ZstdDictionary::train_for_contents(joined, lengths, 4096, 6);
    ASSERT_TRUE(dictionaries.add(".txt", run * kRunEntries, std::move(trained).value().value()));
  }
  std::vector<Buffer> expected;
  for (std::uint64_t i = 0; i < kRuns * kRunEntries; ++i) {
    expected.push_back(compressed(dictionaries, i));
  }
  std::vector<std::thread> threads;
  for (std::uint64_t number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      // Each thread is at another place of the tree.
      for (std::uint64_t i = 0; i < expected.size(); ++i) {
        const auto position = (i + number * kRunEntries) % expected.size();
        EXPECT_EQ(compressed(dictionaries, position), expected[position]) << position;
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace dgfs::builder
