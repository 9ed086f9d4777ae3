// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/model.h"
#include "format/column/codec.h"

#include "format/limits.h"
#include "tests/format/page/page_fixtures.h"

namespace dgfs::test {
namespace {

using format::Model;
using format::ModelKind;

/// Columns of many small pages of one tree.
std::vector<Buffer> samples() {
  EntryGenerator generator(3);
  EntryOptions options;
  options.entry_count = 6000;
  options.wild_names = false;
  const auto entries = generator.tree(options);
  MapDictionaries dictionaries;
  const auto context = dictionaries.context(0, 0);
  intern_all(entries, *context.attributes);
  std::vector<Buffer> result;
  const format::ColumnCodec codec;
  for (std::size_t at = 0; at + 100 <= entries.size(); at += 100) {
    result.push_back(codec.columns(std::span(entries).subspan(at, 100), context).value());
  }
  return result;
}

TEST(Model, EmptyIsModelZero) {
  const auto model = Model::empty();
  EXPECT_EQ(model->id(), 0);
  EXPECT_EQ(model->kind(), ModelKind::kEmpty);
  EXPECT_TRUE(model->bytes().empty());
  EXPECT_EQ(model->zstd_decompression_dictionary(), nullptr);
  EXPECT_EQ(model->zstd_compression_dictionary(3), nullptr);
}

TEST(Model, TrainingIsDeterministic) {
  const auto first = Model::train(5, samples(), 8192).value();
  const auto second = Model::train(5, samples(), 8192).value();
  ASSERT_EQ(first->kind(), ModelKind::kZstdDictionary);
  EXPECT_EQ(first->id(), 5);
  EXPECT_LE(first->bytes().size(), 8192u);
  EXPECT_TRUE(std::ranges::equal(first->bytes(), second->bytes()));
}

TEST(Model, FewSamplesGiveTheEmptyModel) {
  EXPECT_EQ(Model::train(5, {}, 8192).value()->kind(), ModelKind::kEmpty);
  EXPECT_EQ(Model::train(5, {Buffer(10)}, 8192).value()->kind(), ModelKind::kEmpty);
}

TEST(Model, BytesComeBack) {
  const auto trained = Model::train(5, samples(), 4096).value();
  const auto again = Model::make(5, ModelKind::kZstdDictionary, trained->bytes());
  ASSERT_TRUE(again);
  EXPECT_NE(again.value()->zstd_decompression_dictionary(), nullptr);
  EXPECT_GT(again.value()->memory_bytes(), trained->bytes().size());
}

TEST(Model, RefusesWhatIsNone) {  // F-220, F-221, F-222, F-223
  const auto trained = Model::train(5, samples(), 4096).value();
  const Buffer good(trained->bytes().begin(), trained->bytes().end());
  EXPECT_FALSE(Model::make(0, ModelKind::kZstdDictionary, good));
  EXPECT_FALSE(Model::make(1, ModelKind::kEmpty, {}));
  EXPECT_FALSE(Model::make(0, ModelKind::kEmpty, good));
  EXPECT_EQ(Model::make(1, static_cast<ModelKind>(4), good).error().kind(),
            ErrorKind::kUnsupported);
  EXPECT_EQ(Model::make(1, ModelKind::kTokens, good).error().kind(), ErrorKind::kCorrupt);
  EXPECT_FALSE(Model::make(1, ModelKind::kZstdDictionary, Bytes(good).first(7)));
  EXPECT_FALSE(Model::make(1, ModelKind::kZstdDictionary, Bytes(good).first(12)));
  auto bad_magic = good;
  bad_magic[0] ^= 1;
  EXPECT_EQ(Model::make(1, ModelKind::kZstdDictionary, bad_magic).error().code(), 2123);
  auto too_long = good;
  too_long.resize(format::kModelBytesMax + 1);
  EXPECT_EQ(Model::make(1, ModelKind::kZstdDictionary, too_long).error().code(), 2122);
}

TEST(Model, TokensNeedANumberAndABound) {  // F-220, F-222
  EXPECT_EQ(Model::make(0, ModelKind::kTokens, Buffer(100)).error().code(), 2125);
  const Buffer too_long(format::kModelBytesMax + 1);
  EXPECT_EQ(Model::make(1, ModelKind::kTokens, too_long).error().code(), 2125);
}

TEST(Model, MemoryGrowsByEachLevelThatIsUsed) {
  EXPECT_LT(Model::empty()->memory_bytes(), 1000U);
  const auto trained = Model::train(5, samples(), 4096).value();
  const auto before = trained->memory_bytes();
  ASSERT_NE(trained->zstd_compression_dictionary(1), nullptr);
  const auto one_level = trained->memory_bytes();
  EXPECT_GT(one_level, before + trained->bytes().size());
  ASSERT_NE(trained->zstd_compression_dictionary(3), nullptr);
  EXPECT_GT(trained->memory_bytes(), one_level);
}

}  // namespace
}  // namespace dgfs::test
