// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/dictionary_trainer.h"

#include <gtest/gtest.h>

#include "builder/scan/scanner.h"
#include "storage/memory/env.h"
#include "tests/builder/source_tree.h"

namespace dgfs::test {
namespace {

using builder::DictionarySet;
using builder::TreeSpool;

// Lines whose words depend on the vocabulary.
std::string text(std::size_t bytes, std::uint64_t vocabulary, std::uint64_t seed) {
  std::string text;
  for (std::uint64_t i = seed; text.size() < bytes; ++i) {
    text += "the word " + std::to_string((i * 7919 % 60) * 1'000'003 * (vocabulary + 1)) + " of " +
            std::to_string(i * 31 % 997) + "\n";
  }
  text.resize(bytes);
  return text;
}

class DictionaryTrainerTest : public testing::Test {
 protected:
  static constexpr std::size_t kFileBytes = 2000;

  DictionaryTrainerTest() {
    options_.dictionary_bytes_max = 16'000;
    options_.level = 3;
  }
  // A directory for each vocabulary, with files of the class ".txt".
  void add_texts(int directories, int files) {
    for (int d = 0; d < directories; ++d) {
      const auto directory = std::to_string(d);
      tree_.directory(directory);
      for (int i = 0; i < files; ++i) {
        const auto number = static_cast<std::uint64_t>(i);
        tree_.file(directory + "/" + std::to_string(10'000 + i) + ".txt",
                   text(kFileBytes, static_cast<std::uint64_t>(d), number * 13));
      }
    }
  }
  void scan() {
    const builder::BuildOptions build = options_for(tree_, "/i");
    const builder::SpoolPlace place{env_.get(), "/"};
    builder::LinkSorter links(place, 1 << 20);
    builder::LossLog losses(false);
    builder::ProgressMeter progress(*env_, build.progress);
    root_ = env_->open_directory(tree_.path()).value();
    spool_ = std::make_unique<TreeSpool>(place);
    builder::Scanner scanner(*root_, build, {}, {}, {*spool_, links, losses, progress}, {place},
                             {});
    ASSERT_TRUE(scanner.run());
  }
  DictionarySet train() {
    return builder::train_dictionaries(*root_, *spool_, options_, builder::StopFlag()).value();
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SourceTree tree_{*env_, "/src"};
  builder::TrainerOptions options_;
  std::unique_ptr<storage::Directory> root_;
  std::unique_ptr<TreeSpool> spool_;
};

TEST_F(DictionaryTrainerTest, AnEmptyTreeHasNone) {
  scan();
  EXPECT_TRUE(train().all().all().empty());
}

TEST_F(DictionaryTrainerTest, EachRunOfALargeClassHasItsOwn) {
  constexpr int kRuns = 4;
  constexpr int kFiles = 300;
  add_texts(kRuns, kFiles);
  scan();
  options_.run_bytes_min = kFiles * kFileBytes;
  const auto dictionaries = train();
  ASSERT_EQ(dictionaries.all().all().size(), std::size_t{kRuns});
  for (int d = 0; d < kRuns; ++d) {
    // The root and the directories come before all files.
    const auto first = static_cast<std::uint64_t>(1 + kRuns + d * kFiles);
    const auto begin = text(kFileBytes, static_cast<std::uint64_t>(d), 7);
    for (const auto position : {first, first + kFiles - 1}) {
      const auto chosen = dictionaries.choose({"x.txt", position}, as_bytes(begin));
      ASSERT_TRUE(chosen.dictionary);
      EXPECT_TRUE(chosen.is_by_name);
      EXPECT_EQ(chosen.dictionary->id, d + 1) << position;
      EXPECT_EQ(chosen.dictionary->label, ".txt");
    }
  }
}

TEST_F(DictionaryTrainerTest, OneOfAllFilesIfTheClassIsSmall) {
  add_texts(3, 100);
  scan();
  EXPECT_EQ(train().all().all().size(), 1U);
  options_.dictionary_bytes_max = 0;
  EXPECT_TRUE(train().all().all().empty());
}

// Entries of a large tree are read behind sample points only; the positions are those of all.
TEST_F(DictionaryTrainerTest, ReadsAPartOfALargeTree) {
  add_texts(2, 1500);
  scan();
  constexpr std::size_t kBehindEach = 32;
  options_.entries_max = kBehindEach * TreeSpool::kSamplePointsMax;
  ASSERT_LT(options_.entries_max, spool_->entry_count());
  options_.run_bytes_min = spool_->sample_points().size() * kBehindEach * kFileBytes * 2 / 5;
  const auto dictionaries = train();
  ASSERT_EQ(dictionaries.all().all().size(), 2U);
  EXPECT_EQ(dictionaries.choose({"x.txt", 100}, {}).dictionary->id, 1);
  EXPECT_EQ(dictionaries.choose({"x.txt", 2900}, {}).dictionary->id, 2);
}

TEST_F(DictionaryTrainerTest, LeavesOutWhatCannotBeRead) {
  add_texts(1, 300);
  scan();
  for (int i = 0; i < 300; i += 3) {
    ASSERT_TRUE(env_->remove(tree_.path() + "/0/" + std::to_string(10'000 + i) + ".txt"));
  }
  EXPECT_EQ(train().all().all().size(), 1U);
}

TEST_F(DictionaryTrainerTest, NoneForNoise) {
  for (int i = 0; i < 300; ++i) {
    tree_.file(std::to_string(i) + ".txt", noise(kFileBytes, static_cast<std::uint64_t>(i)));
  }
  scan();
  EXPECT_TRUE(train().all().all().empty());
}

}  // namespace
}  // namespace dgfs::test
