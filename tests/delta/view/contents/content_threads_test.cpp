// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents that several threads read and write at once.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;

constexpr std::size_t kChunkBytes = 512;  // as in the views of tests
constexpr std::size_t kImageBytes = 3 * kChunkBytes;

class ContentThreads : public testing::Test {
 protected:
  ContentThreads() {
    viewed_.tree().file("image", std::string(kImageBytes, '\0'));
    viewed_.options().in_background = true;
    viewed_.options().table_bytes = 65536;
    viewed_.open();
    expect_ok(viewed_.delta().newest().start());
  }

  [[nodiscard]] view::View& view() { return viewed_.view(); }

  ViewedTree viewed_;
};

// Each read sees a write whole or not at all. A write never vanishes again: neither for a reader
// that has seen it, nor for one that begins after the write has returned.
TEST_F(ContentThreads, ReadersSeeWholeWritesInTheirOrder) {
  const auto file = value_of(view().lookup(kRoot, "image")).object;
  constexpr int kRounds = 120;
  constexpr std::size_t kBegin = 100;
  constexpr std::size_t kEnd = kImageBytes - 100;
  std::atomic<int> written = 0;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      int last = 0;
      while (!is_over) {
        const int least = std::max(last, written.load());
        Buffer out(kImageBytes);
        const auto count = view().read(file, 0, out);
        if (!count || count.value() != kImageBytes) {
          ADD_FAILURE() << "a read failed";
          return;
        }
        const auto part = Bytes(out).subspan(kBegin, kEnd - kBegin);
        last = part.front();
        const bool is_whole =
            std::ranges::all_of(part, [&](std::uint8_t byte) { return byte == part.front(); });
        const bool is_beside = out.front() == 0 && out.back() == 0;
        if (!is_whole || !is_beside || last < least) {
          ADD_FAILURE() << "of " << least << ": " << last << (is_whole ? "" : ", in part");
          return;
        }
      }
    });
  }
  for (int round = 1; round <= kRounds; ++round) {
    const std::string bytes(kEnd - kBegin, static_cast<char>(round));
    EXPECT_EQ(value_of(view().write(file, kBegin, as_bytes(bytes))), bytes.size());
    written = round;
    // Gives readers time to find some chunks in the cache.
    if (round % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  is_over = true;
  for (auto& reader : readers) reader.join();
}

TEST_F(ContentThreads, AppendsNeverOverlap) {
  const auto file = value_of(view().create(kRoot, "log", {}, {})).object;
  constexpr int kThreads = 4;
  constexpr int kRecords = 200;
  const auto record = [](int thread, int number) {
    auto text = std::to_string(thread) + ":" + std::to_string(number) + ";";
    text.resize(static_cast<std::size_t>(8 + number % 30), '.');
    return text + "\n";
  };
  std::array<std::vector<view::Appended>, kThreads> appended;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kRecords; ++i) {
        const auto text = record(thread, i);
        appended[static_cast<std::size_t>(thread)].push_back(
            value_of(view().append(file, as_bytes(text))));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  Buffer all(static_cast<std::size_t>(value_of(view().attributes(file)).size_bytes));
  ASSERT_EQ(value_of(view().read(file, 0, all)), all.size());
  std::size_t bytes = 0;
  std::set<std::uint64_t> offsets;
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < kRecords; ++i) {
      const auto text = record(thread, i);
      const auto& at = appended[static_cast<std::size_t>(thread)][static_cast<std::size_t>(i)];
      EXPECT_EQ(at.length_bytes, text.size());
      EXPECT_EQ(as_text(Bytes(all).subspan(static_cast<std::size_t>(at.offset_bytes), text.size())),
                text);
      offsets.insert(at.offset_bytes);
      bytes += text.size();
    }
  }
  EXPECT_EQ(bytes, all.size());
  EXPECT_EQ(offsets.size(), std::size_t{kThreads} * kRecords);
}

// Several threads append in several parts: each call reports adjacent bytes, and calls report every
// byte of the file.
TEST_F(ContentThreads, LongAppendsTellOfAllThatTheyWrite) {
  const auto file = value_of(view().create(kRoot, "log", {}, {})).object;
  constexpr std::size_t kThreads = 3;
  constexpr std::size_t kCallBytes = 200'000;  // parts have some 30 KiB
  struct Call {
    std::size_t thread = 0;
    view::Appended appended;
  };
  std::array<std::vector<Call>, kThreads> calls;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const Buffer bytes(kCallBytes, static_cast<std::uint8_t>('a' + thread));
      for (int i = 0; i < 6; ++i) {
        calls[thread].push_back({thread, value_of(view().append(file, bytes))});
      }
    });
  }
  for (auto& thread : threads) thread.join();
  Buffer all(static_cast<std::size_t>(value_of(view().attributes(file)).size_bytes));
  ASSERT_EQ(value_of(view().read(file, 0, all)), all.size());
  std::size_t told = 0;
  for (const auto& of_thread : calls) {
    for (const Call& call : of_thread) {
      const auto part = Bytes(all).subspan(static_cast<std::size_t>(call.appended.offset_bytes),
                                           call.appended.length_bytes);
      const auto letter = static_cast<std::uint8_t>('a' + call.thread);
      EXPECT_TRUE(std::ranges::all_of(part, [&](std::uint8_t each) { return each == letter; }));
      EXPECT_GT(part.size(), 0U);
      told += part.size();
    }
  }
  EXPECT_EQ(told, all.size());
}

// Truncated bytes never come back, whatever other threads read meanwhile.
TEST_F(ContentThreads, TruncationIsSeenAsAWhole) {
  const auto file = value_of(view().create(kRoot, "file", {}, {})).object;
  const std::string bytes(4 * kChunkBytes, 'x');
  std::atomic<bool> is_over = false;
  std::thread reader([&] {
    Buffer out(bytes.size());
    while (!is_over) {
      const auto count = view().read(file, 0, out);
      if (!count) {
        ADD_FAILURE() << count.error().message();
        return;
      }
      // The file is empty, has all bytes, or has zeros behind the first hundred.
      const auto read = Bytes(out).first(count.value());
      const auto zeros = std::ranges::find(read, std::uint8_t{0});
      const bool is_right =
          std::all_of(read.begin(), zeros, [](auto byte) { return byte == 'x'; }) &&
          std::all_of(zeros, read.end(), [](auto byte) { return byte == 0; }) &&
          (zeros == read.end() || zeros - read.begin() == 100);
      if (!is_right) {
        ADD_FAILURE() << "a read gave truncated bytes";
        return;
      }
    }
  });
  view::AttributeChange cut;
  cut.size_bytes = 100;
  view::AttributeChange grow;
  grow.size_bytes = bytes.size();
  for (int round = 0; round < 100; ++round) {
    value_of(view().write(file, 0, as_bytes(bytes)));
    value_of(view().set_attributes(file, cut));
    value_of(view().set_attributes(file, grow));
  }
  is_over = true;
  reader.join();
}

}  // namespace
}  // namespace dgfs::test
