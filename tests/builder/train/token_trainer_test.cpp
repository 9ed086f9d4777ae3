// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/train/token_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "builder/train/context_classes.h"
#include "builder/train/vocabulary.h"
#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/page/codec.h"
#include "format/page_open.h"
#include "tests/support/entry_generator.h"

namespace dgfs::test {
namespace {

using builder::ContextCounts;

TEST(Vocabulary, JoinsWhatIsOftenSideBySide) {
  const std::vector<builder::CountedText> texts = {{"main.c/", 50}, {"util.c/", 50}, {"x.h/", 3}};
  const auto tokens = builder::find_tokens(texts, 100, 15, 10);
  ASSERT_FALSE(tokens.empty());
  EXPECT_EQ(tokens.front(), ".c") << "it occurs a hundred times, and sorts before the other pairs";
  const auto has = [&](const char* token) {
    return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
  };
  EXPECT_TRUE(has("main.c/"));
  EXPECT_TRUE(has("util.c/"));
  EXPECT_FALSE(has(".h")) << "three occurrences are too few";
}

TEST(Vocabulary, KeepsToItsBounds) {
  const std::vector<builder::CountedText> texts = {{"abcdefghijklmnop/", 9}, {"aaaaaaaaaaaa/", 5}};
  EXPECT_EQ(builder::find_tokens(texts, 3, 15, 2).size(), 3u);
  for (const auto& token : builder::find_tokens(texts, 1000, 4, 2)) EXPECT_LE(token.size(), 4u);
  EXPECT_TRUE(builder::find_tokens(texts, 1000, 15, 1000).empty());
  EXPECT_TRUE(builder::find_tokens({}, 1000, 15, 1).empty());
}

TEST(Vocabulary, IsLeftUnfinishedOnceStopped) {
  const std::vector<builder::CountedText> texts = {{"main.c/", 50}, {"util.c/", 50}};
  std::atomic<bool> stop = false;
  EXPECT_FALSE(builder::find_tokens(texts, 100, 15, 10, builder::StopFlag(&stop)).empty());
  stop = true;
  EXPECT_TRUE(builder::find_tokens(texts, 100, 15, 10, builder::StopFlag(&stop)).empty());
}

TEST(ContextClasses, PutTogetherWhatIsAlike) {
  ContextCounts contexts(6, std::vector<std::uint64_t>(40));
  for (std::size_t context = 0; context < 5; ++context) {  // the sixth context is never used
    for (std::size_t i = 0; i < 20; ++i) {
      contexts[context][context % 2 * 20 + i] = 1000 * (i + 1);
    }
  }
  const auto classes = builder::choose_classes(contexts, 256, 40, 16);
  EXPECT_EQ(classes.count, 4u);
  EXPECT_EQ(classes.of_context[0], classes.of_context[2]);
  EXPECT_EQ(classes.of_context[0], classes.of_context[4]);
  EXPECT_EQ(classes.of_context[1], classes.of_context[3]);
  EXPECT_NE(classes.of_context[0], classes.of_context[1]);
}

TEST(ContextClasses, OneWhereMoreWouldNotPay) {
  ContextCounts contexts(4);
  for (std::size_t i = 0; i < 4; ++i) contexts[i] = {1 + i % 2 * 2, 1, 1 + (i + 1) % 2 * 2};
  EXPECT_EQ(builder::choose_classes(contexts, 256, 3, 16).count, 1u);
  EXPECT_GT(builder::choose_classes(contexts, 256 * 1000, 3, 16).count, 1u) << "a larger tree pays";
}

std::size_t first_page_entries(const std::vector<format::Entry>& entries,
                               format::AttributeTable& table, const Buffer& model_bytes) {
  const auto model = format::Model::make(1, format::ModelKind::kContextTokens, model_bytes).value();
  std::size_t guess = 1;
  return format::fill_page(*format::find_page_codec(format::kTokenCodec), entries,
                           {.model = model.get(), .attributes = &table}, guess)
      .value()
      .entry_count;
}

TEST(TokenTrainer, LearnsTheTree) {
  EntryGenerator generator(3);
  EntryOptions options;
  options.entry_count = 6000;
  options.wild_names = options.wild_values = false;
  const auto entries = generator.tree(options);
  format::AttributeTable table(0);
  intern_all(entries, table);
  builder::TokenTrainer trained;
  trained.add(entries, table);
  const auto model = trained.train(entries.size());
  EXPECT_EQ(model, trained.train(entries.size())) << "training gives the same model each time";
  const auto untrained = builder::TokenTrainer().train(entries.size());
  EXPECT_GT(first_page_entries(entries, table, model),
            first_page_entries(entries, table, untrained) * 3 / 2);
  EXPECT_GT(trained.train(entries.size() * 1000).size(), model.size())
      << "a larger tree gets a larger model";
}

/// Returns `count` numbered files, 100 to a directory, from number `first` on.
std::vector<format::Entry> numbered_files(std::size_t first, std::size_t count) {
  std::vector<format::Entry> entries(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto digits = std::to_string(100'000'000 + first + i).substr(1);
    const auto path = "a" + digits.substr(0, 2) + "/bcd" + digits.substr(2, 2) + "/efgh" +
                      digits.substr(4, 2) + "/ijklm" + digits.substr(6);
    entries[i].key = format::key_of_path(path).value();
    entries[i].mode = format::kTypeRegular | 0644;
    entries[i].size_bytes = 8 + i * 5 % 8;
    entries[i].stored_bytes = format::raw_extent_bytes(entries[i].size_bytes);
  }
  return entries;
}

// The names in different parts of such a tree differ only in their numbers.
TEST(TokenTrainer, DoesNotLearnALargeTreeByHeart) {
  format::AttributeTable table(0);
  table.intern({format::kTypeRegular | 0644, 0, 0});
  builder::TokenTrainer trainer;
  for (std::size_t part = 0; part < 32; ++part) {
    trainer.add(numbered_files(part * 3'001'100, 2000), table);
  }
  const auto unseen = numbered_files(77'731'000, 16'000);
  const auto by_heart = first_page_entries(unseen, table, trainer.train(3 * 64'000));
  const auto apart = first_page_entries(unseen, table, trainer.train(100'000'000));
  EXPECT_GT(apart, by_heart * 101 / 100);
}

}  // namespace
}  // namespace dgfs::test
