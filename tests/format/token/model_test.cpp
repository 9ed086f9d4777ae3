// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "format/token/parser.h"
#include "format/token/text.h"
#include "tests/format/token/token_fixtures.h"

namespace dgfs::test {
namespace {

using format::TokenModel;

int code_of(const Buffer& bytes, bool has_contexts = false) {
  const auto model = TokenModel::decode(bytes, has_contexts);
  return model ? 0 : model.error().code();
}

TEST(PrefixCode, LengthsAreCompleteAndNearTheEntropy) {  // F-225
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    EntryGenerator generator(seed);
    std::vector<std::uint64_t> counts(2 + generator.below(3000));
    for (auto& count : counts) {
      count =
          generator.chance(80) ? std::uint64_t{1} << generator.below(seed % 2 == 0 ? 8 : 40) : 0;
    }
    const auto lengths = format::code_lengths(counts);
    const auto code = format::PrefixCode::make(lengths);
    ASSERT_TRUE(code) << seed;
    const auto total = std::accumulate(counts.begin(), counts.end(), 0.0);
    double bits = 0;
    double entropy = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const auto count = static_cast<double>(counts[i]);
      ASSERT_GT(lengths[i], 0) << seed;
      bits += count * lengths[i];
      entropy += count * std::log2(total / count);
    }
    EXPECT_LT(bits, entropy + 1.1 * total) << seed;
    EXPECT_GE(bits * 1.000001, entropy) << seed;
  }
}

TEST(PrefixCode, SymbolsComeBack) {
  EntryGenerator generator(7);
  for (int round = 0; round < 20; ++round) {
    const auto symbols = 2 + generator.below(9000);
    const auto code = format::PrefixCode::make(some_lengths(generator, symbols, 2)).value();
    format::BitWriter out;
    std::vector<std::size_t> written;
    while (written.size() < 2000) {
      const auto symbol = generator.below(symbols);
      if (code.length_bits(symbol) == 0) continue;
      code.write(symbol, out);
      written.push_back(symbol);
    }
    const auto bytes = std::move(out).finish();
    format::BitReader in(bytes);
    for (const auto symbol : written) ASSERT_EQ(code.read(in), symbol);
    EXPECT_FALSE(in.overrun());
  }
}

TEST(PrefixCode, RefusesWhatIsNotComplete) {  // F-225
  const auto code_of_lengths = [](const Buffer& lengths) {
    const auto code = format::PrefixCode::make(lengths);
    return code ? 0 : code.error().code();
  };
  EXPECT_EQ(code_of_lengths({1, 1}), 0);
  EXPECT_EQ(code_of_lengths({1, 2, 2}), 0);
  EXPECT_EQ(code_of_lengths({1, 2}), 2901);
  EXPECT_EQ(code_of_lengths({1, 1, 15}), 2901);
  EXPECT_EQ(code_of_lengths({0, 0}), 2901);
  EXPECT_EQ(code_of_lengths({16, 1}), 2900);
  EXPECT_EQ(code_of_lengths({}), 2901);
  Buffer many(65536);
  many[0] = many[65535] = 1;
  EXPECT_EQ(code_of_lengths(many), 0);
  many.push_back(0);
  EXPECT_EQ(code_of_lengths(many), 2901);
  EXPECT_EQ(format::code_lengths(std::vector<std::uint64_t>{0, 5}), (Buffer{1, 1}));
  EXPECT_EQ(format::code_lengths(std::vector<std::uint64_t>{5, 0}), (Buffer{1, 1}));
  EXPECT_EQ(format::code_lengths(std::vector<std::uint64_t>{0, 0, 0}), (Buffer{1, 1, 0}));
}

// So many rare symbols that the codes of frequent ones must grow several times.
TEST(PrefixCode, IsCompleteHoweverUnevenTheCounts) {
  std::vector<std::uint64_t> counts(30'000, 1);
  for (const std::uint64_t count : {100'000U, 200'000U, 400'000U}) counts.push_back(count);
  const auto lengths = format::code_lengths(counts);
  ASSERT_TRUE(format::PrefixCode::make(lengths));
  EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), format::kCodeBitsMax);
  EXPECT_EQ(lengths.back(), *std::min_element(lengths.begin(), lengths.end()));
}

// Holds for any bits: a text that would be too long is an error, and so is one whose bits end
// early.
TEST(TokenText, EndsWithItsBoundAndWithTheBits) {
  const auto model =
      TokenModel::decode(format::encode_token_model(some_token_model(3, 4)), false).value();
  EntryGenerator generator(5);
  const auto expect_none = [&](Bytes bytes, std::size_t bytes_max) {
    format::BitReader in(bytes);
    format::TokenText text;
    EXPECT_FALSE(text.read(*model, 0, bytes_max, in)) << bytes_max;
    EXPECT_EQ(text.size(), 0U);
    EXPECT_EQ(in.bit_offset(), 0U);
  };
  std::size_t texts = 0;
  for (int round = 0; round < 100; ++round) {
    Buffer bytes(400);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(generator.below(256));
    format::BitReader in(bytes);
    format::TokenText whole;
    if (!whole.read(*model, 0, 65535, in)) continue;
    ++texts;
    for (std::size_t bytes_max = 0; bytes_max < whole.size(); ++bytes_max) {
      expect_none(bytes, bytes_max);
    }
    expect_none(Bytes(bytes).first((in.bit_offset() - 1) / 8), 65535);
    format::BitReader again(bytes);
    format::TokenText text;
    EXPECT_TRUE(text.read(*model, 0, whole.size(), again));
    EXPECT_EQ(text.view(), whole.view());
  }
  EXPECT_GT(texts, 20U);
}

TEST(TokenText, ComesBackFromCodesOfEveryLength) {
  auto parts = some_token_model(6, 3);
  for (auto& lengths : parts.token_lengths) {
    std::vector<std::uint64_t> counts(lengths.size());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::uint64_t{1} << i % 24;
    lengths = format::code_lengths(counts);
  }
  const auto model = TokenModel::decode(format::encode_token_model(parts), false).value();
  EntryGenerator generator(6);
  std::set<unsigned> lengths;
  for (int round = 0; round < 2000; ++round) {
    format::BitWriter out;
    std::string truth;
    std::size_t context = format::kContextTarget;
    while (truth.empty() || truth.back() != format::kTextEnd) {
      const auto symbol = generator.below(model->token_count());
      const auto& code = model->tokens(context);
      code.write(symbol, out);
      lengths.insert(code.length_bits(symbol));
      truth += model->token(symbol);
      context = static_cast<unsigned char>(truth.back());
    }
    truth.pop_back();
    const auto bits = out.bit_count();
    const auto bytes = std::move(out).finish();
    format::BitReader in(bytes);
    format::TokenText text;
    ASSERT_TRUE(text.read(*model, model->token_class(format::kContextTarget), truth.size(), in))
        << round;
    ASSERT_EQ(text.view(), truth) << round;
    ASSERT_EQ(in.bit_offset(), bits) << round;
  }
  EXPECT_EQ(*lengths.rbegin(), format::kCodeBitsMax);
  EXPECT_LT(*lengths.begin(), format::PrefixCode::kTableBits);
}

TEST(TokenText, HasRoomForWhatItIsGiven) {
  format::TokenText text;
  for (const std::size_t bytes : {10U, 5000U, 65535U, 3U}) {
    text.assign(std::string(bytes, 'x'));
    EXPECT_EQ(text.view(), std::string(bytes, 'x'));
  }
}

TEST(BitStream, NumbersOfAnyWidthComeBack) {
  EntryGenerator generator(3);
  format::BitWriter out;
  std::vector<std::pair<std::uint64_t, unsigned>> written;
  for (int i = 0; i < 5000; ++i) {
    const auto width = static_cast<unsigned>(generator.below(65));
    const auto value = width == 0 ? 0 : generator.below(~std::uint64_t{0}) >> (64 - width);
    out.bits(value, width);
    written.emplace_back(value, width);
    const auto kept = out.bit_count();  // bits that are cut off again leave no trace
    out.bits(generator.below(~std::uint64_t{0}), static_cast<unsigned>(generator.below(65)));
    out.truncate(kept);
    ASSERT_EQ(out.bit_count(), kept);
  }
  const auto bits = out.bit_count();
  const auto bytes = std::move(out).finish();
  EXPECT_EQ(bytes.size(), (bits + 7) / 8);
  format::BitReader in(bytes);
  for (const auto& [value, width] : written) ASSERT_EQ(in.long_bits(width), value);
  EXPECT_EQ(in.bit_offset(), bits);
  EXPECT_FALSE(in.overrun());
  EXPECT_EQ(in.bits(32) & 0xffffff, 0u) << "reads past the end give zeros";
  EXPECT_TRUE(in.overrun());
}

TEST(BitStream, BitsAheadAreThoseThatComeNext) {
  EntryGenerator generator(4);
  Buffer bytes(40);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(generator.below(256));
  for (std::size_t begin = 0; begin <= bytes.size() * 8 + 70; ++begin) {
    const auto ahead = format::BitReader(bytes, begin).ahead();
    for (unsigned count = 1; count <= format::BitReader::kAheadBits; ++count) {
      format::BitReader in(bytes, begin);
      std::uint64_t expected = 0;
      for (unsigned i = 0; i < count; ++i) expected = expected << 1 | in.bits(1);
      ASSERT_EQ(ahead >> (64 - count), expected) << begin << " " << count;
    }
  }
}

TEST(TokenModel, ComesBack) {
  const auto parts = some_token_model(1, 3);
  const auto model = TokenModel::decode(format::encode_token_model(parts), false).value();
  ASSERT_EQ(model->token_count(), format::kByteTokens + parts.tokens.size());
  for (std::size_t i = 0; i < parts.tokens.size(); ++i) {
    EXPECT_EQ(model->token(format::kByteTokens + i), parts.tokens[i]);
  }
  for (std::size_t i = 0; i < format::kTokenContexts; ++i) {
    EXPECT_EQ(model->token_class(i), parts.class_of_context[i]);
  }
  EXPECT_GT(model->memory_bytes(), 16 * model->token_count());
}

TEST(TokenModel, RefusesWhatIsNone) {
  const auto good = some_token_model(1, 3);
  const auto changed = [&](auto change) {
    auto parts = good;
    change(parts);
    return code_of(format::encode_token_model(parts));
  };
  EXPECT_EQ(changed([](auto&) {}), 0);
  // F-226
  EXPECT_EQ(changed([](auto& parts) { std::swap(parts.tokens[3], parts.tokens[4]); }), 2903);
  EXPECT_EQ(changed([](auto& parts) { parts.tokens[3] = parts.tokens[2]; }), 2903);
  EXPECT_EQ(changed([](auto& parts) { parts.tokens.front() = "\x01"; }), 2902);
  EXPECT_EQ(changed([](auto& parts) { parts.tokens.front() = "\x01/b"; }), 2904);
  // F-227
  EXPECT_EQ(changed([](auto& parts) { parts.class_of_context[9] = 3; }), 2905);
  EXPECT_EQ(changed([](auto& parts) { parts.token_lengths.clear(); }), 2905);
  EXPECT_EQ(changed([](auto& parts) { parts.token_lengths.resize(17); }), 2905);
  // F-225
  EXPECT_EQ(changed([](auto& parts) { parts.row_lengths[0][7] = 16; }), 2900);
  EXPECT_EQ(changed([](auto& parts) { --parts.token_lengths[1][7]; }), 2901);
  // F-228
  EXPECT_EQ(changed([](auto& parts) {
              parts.share_lengths[0].assign(format::kShareSymbols, 0);
              parts.share_lengths[0][0] = parts.share_lengths[0][1] = 1;
            }),
            2907);
  EXPECT_EQ(changed([](auto& parts) {
              auto& lengths = parts.token_lengths.front();
              std::fill(lengths.begin(), lengths.end(), 0);
              lengths[1] = lengths[2] = 1;
            }),
            2906);
}

TEST(TokenModel, ContextsComeBack) {
  const auto parts = some_token_model(1, 3, true);
  const auto model = TokenModel::decode(format::encode_token_model(parts), true).value();
  const auto& contexts = *parts.contexts;
  ASSERT_EQ(model->token_count(), format::kByteTokens + parts.tokens.size());
  ASSERT_EQ(model->symbol_count(), model->token_count() + format::kEndings);
  for (std::size_t shared = 0; shared < 256; shared += 5) {
    const auto& of_group = contexts.start_classes[contexts.group_of_byte[shared]];
    for (std::size_t passed = 0; passed < format::kPassedContexts; ++passed) {
      ASSERT_EQ(model->start_class({shared, passed}), of_group[passed]);
    }
  }
  const auto lengths_of = [](const format::PrefixCode& code) {
    return Buffer(code.lengths().begin(), code.lengths().end());
  };
  for (std::size_t row = 0; row < format::kRowContexts; ++row) {
    ASSERT_EQ(lengths_of(model->rows().behind(row)), parts.row_lengths[contexts.class_of_row[row]]);
  }
  for (std::size_t share = 0; share < format::kShareContexts; ++share) {
    ASSERT_EQ(lengths_of(model->shares().behind(share)),
              parts.share_lengths[contexts.class_of_share[share]]);
  }
}

TEST(TokenModel, RefusesContextsThatAreNone) {
  const auto good = some_token_model(1, 3, true);
  const auto changed = [&](auto change) {
    auto parts = good;
    change(parts);
    return code_of(format::encode_token_model(parts), true);
  };
  EXPECT_EQ(changed([](auto&) {}), 0);
  // F-229
  EXPECT_EQ(changed([](auto& parts) { parts.contexts->start_classes.clear(); }), 2909);
  EXPECT_EQ(changed([](auto& parts) { parts.contexts->start_classes.resize(17); }), 2908);
  EXPECT_EQ(changed([](auto& parts) { parts.contexts->group_of_byte[255] = 16; }), 2909);
  EXPECT_EQ(changed([](auto& parts) { parts.contexts->start_classes[0][256] = 3; }), 2909);
  EXPECT_EQ(changed([](auto& parts) { parts.contexts->class_of_row[1280] = 3; }), 2909);
  EXPECT_EQ(changed([](auto& parts) { parts.contexts->class_of_share[64] = 3; }), 2909);
  EXPECT_EQ(changed([](auto& parts) { parts.row_lengths.clear(); }), 2909);
  EXPECT_EQ(changed([](auto& parts) { parts.row_lengths.resize(17, parts.row_lengths[0]); }), 2938);
  // F-227
  EXPECT_EQ(changed([](auto& parts) { parts.class_of_context[9] = 3; }), 2905);
  EXPECT_EQ(changed([](auto& parts) { parts.token_lengths.resize(33); }), 2905);
  EXPECT_EQ(changed([](auto& parts) { parts.token_lengths.resize(32, parts.token_lengths[0]); }),
            0);
  // F-228
  EXPECT_EQ(changed([](auto& parts) {
              parts.row_lengths[2].assign(format::kRowSymbols, 0);
              parts.row_lengths[2][0] = parts.row_lengths[2][1] = 1;
            }),
            2907);
}

TEST(TokenModel, DamageIsRefusedOrHarmless) {
  for (const bool has_contexts : {false, true}) {
    const auto good = format::encode_token_model(some_token_model(2, 2, has_contexts));
    EntryGenerator generator(5);
    for (std::size_t length = 0; length < good.size(); length += 7) {
      const Buffer cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_NE(code_of(cut, has_contexts), 0);
    }
    auto longer = good;
    longer.push_back(0);
    EXPECT_NE(code_of(longer, has_contexts), 0);
    EXPECT_NE(code_of(good, !has_contexts), 0);
    for (int round = 0; round < 3000; ++round) {
      auto bad = good;
      bad[generator.below(bad.size())] ^= static_cast<std::uint8_t>(1u << generator.below(8));
      const auto model = TokenModel::decode(bad, has_contexts);
      if (!model) {
        ASSERT_EQ(model.error().kind(), ErrorKind::kCorrupt);
      }
    }
  }
}

TEST(TokenParser, FindsTheFewestBits) {
  const auto model =
      TokenModel::decode(format::encode_token_model(some_token_model(4, 2)), false).value();
  std::vector<std::string_view> tokens;
  for (auto i = format::kByteTokens; i < model->token_count(); ++i) {
    tokens.push_back(model->token(i));
  }
  const format::TokenTrie trie(tokens);
  format::TokenParser parser(*model, trie);
  EntryGenerator generator(4);
  for (int round = 0; round < 300; ++round) {
    std::string text;  // made of tokens, so that there are several ways to choose
    for (int i = 0; i < 4; ++i) {
      auto token = std::string(tokens[generator.below(tokens.size())]);
      if (token.back() == format::kTextEnd) token.pop_back();
      text += token;
    }
    text += format::kTextEnd;
    // Tries all ways to choose tokens, by a simple recursion from the end of the text.
    std::vector<std::size_t> best(text.size() + 1, 0);
    const auto context_at = [&](std::size_t at) {
      return at == 0 ? format::kContextTarget : static_cast<unsigned char>(text[at - 1]);
    };
    for (auto at = text.size(); at-- > 0;) {
      best[at] = ~std::size_t{0};
      for (std::size_t symbol = 0; symbol < model->token_count(); ++symbol) {
        const auto token = model->token(symbol);
        const auto bits = model->tokens(context_at(at)).length_bits(symbol);
        if (bits == 0 || !std::string_view(text).substr(at).starts_with(token)) continue;
        best[at] = std::min(best[at], bits + best[at + token.size()]);
      }
    }
    std::size_t bits = 0;
    std::string made;
    for (const auto symbol : parser.parse(text, model->token_class(format::kContextTarget))) {
      bits += model->tokens(context_at(made.size())).length_bits(symbol);
      made += model->token(symbol);
    }
    EXPECT_EQ(made, text);
    EXPECT_EQ(bits, best[0]) << text;
  }
}

}  // namespace
}  // namespace dgfs::test
