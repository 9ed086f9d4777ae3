// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/dictionary_set.h"

#include <gtest/gtest.h>

#include "builder/train/class_samples.h"
#include "format/zstd/frame.h"

namespace dgfs::builder {
namespace {

Buffer trained(char letter) {
  Samples samples;
  for (int i = 0; i < 200; ++i) {
    const auto begin = std::string(20, letter) + std::to_string(i * 7919);
    samples.add(as_bytes(begin + " and some more of it, as long as segments are, so that the "
                                 "trainer finds what it looks for in each of the samples"));
  }
  return format::ZstdDictionary::train_for_contents(samples.joined, samples.lengths, 2048, 3)
      .value()
      .value();
}

TEST(DictionarySet, ChoosesByNameThenByContent) {
  DictionarySet dictionaries;
  EXPECT_EQ(dictionaries.choose({"a.c", 0}, {}).dictionary, nullptr);
  ASSERT_TRUE(dictionaries.add(".c", 0, trained('c')));
  ASSERT_TRUE(dictionaries.add("(text)", 0, trained('t')));
  ASSERT_TRUE(dictionaries.choose({"a.c", 7}, {}).dictionary);
  EXPECT_EQ(dictionaries.choose({"a.c", 7}, {}).dictionary->label, ".c");
  EXPECT_EQ(dictionaries.choose({"a.C", 7}, Buffer(10)).dictionary->id, 1);
  EXPECT_EQ(dictionaries.choose({"a.h", 7}, as_bytes("words")).dictionary->label, "(text)");
  EXPECT_EQ(dictionaries.choose({"a.h", 7}, Buffer(10)).dictionary, nullptr);
  EXPECT_EQ(dictionaries.all().all().size(), 2U);
  EXPECT_GT(dictionaries.all().memory_bytes(), 2048U);
}

TEST(DictionarySet, ChoosesTheRunThatHasTheFile) {
  DictionarySet dictionaries;
  ASSERT_TRUE(dictionaries.add(".c", 10, trained('a')));
  ASSERT_TRUE(dictionaries.add(".h", 15, trained('h')));
  ASSERT_TRUE(dictionaries.add(".c", 20, trained('b')));
  ASSERT_TRUE(dictionaries.add(".c", 30, trained('c')));
  const std::pair<std::uint64_t, int> cases[] = {{0, 1},  {10, 1}, {19, 1},  {20, 3},
                                                 {29, 3}, {30, 4}, {1000, 4}};
  for (const auto& [position, id] : cases) {
    EXPECT_EQ(dictionaries.choose({"x.c", position}, {}).dictionary->id, id) << position;
    EXPECT_EQ(dictionaries.choose({"x.h", position}, {}).dictionary->id, 2) << position;
  }
}

// Tables for compression take many times a dictionary: only those of the last two runs stay.
TEST(DictionarySet, FreesTheTablesOfRunsThatLieBehind) {
  DictionarySet dictionaries;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(dictionaries.add(".c", static_cast<std::uint64_t>(i) * 10, trained('c')));
  }
  const auto bare_bytes = dictionaries.all().memory_bytes();
  const auto use = [&](std::uint64_t position) {
    const auto* dictionary = dictionaries.choose({"x.c", position}, {}).dictionary;
    format::ZstdCompressor compressor;
    Buffer out;
    EXPECT_TRUE(compressor.append(as_bytes("some words"), 12, out, dictionary));
    return dictionaries.all().memory_bytes() - bare_bytes;
  };
  const auto table_bytes = use(0);
  EXPECT_GT(table_bytes, 0U);
  EXPECT_EQ(use(15), 2 * table_bytes);
  EXPECT_EQ(use(25), 2 * table_bytes);
  EXPECT_EQ(use(45), table_bytes);
  EXPECT_EQ(use(5), 2 * table_bytes);  // late: made again
}

}  // namespace
}  // namespace dgfs::builder
