// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/token/ending.h"

#include <gtest/gtest.h>

#include <string>

#include "format/entry/key.h"
#include "format/token/key.h"
#include "format/token/parser.h"
#include "tests/format/token/token_fixtures.h"

namespace dgfs::test {
namespace {

using format::Ending;
using format::EndingSource;

std::string ending_of(const std::string& key, std::size_t shared_bytes, Ending which) {
  const auto padded = std::string(format::kEndingBytesMax, '?') + key;
  const EndingSource source(padded.data() + format::kEndingBytesMax, key.size(),
                            format::directory_bytes(key), shared_bytes);
  return std::string(source.ending(which));
}

TEST(Ending, IsWhatTheNameBeforeEndsWith) {
  using namespace std::string_literals;
  struct Case {
    std::string key;
    std::size_t shared_bytes;
    std::string dot;
    std::string separator;
  };
  const std::string long_name = "b" + std::string(40, 'x') + ".c";
  const std::string long_ending = "b." + std::string(40, 'x');
  for (const auto& each : {
           Case{"a\0\0dcn_3_2_0_sh_mask.h"s, 12, ".h", "_sh_mask.h"},
           Case{"a\0\0dcn_3_2_0_sh_mask.h"s, 10, ".h", "_0_sh_mask.h"},
           Case{"abc.cpython-311.pyc"s, 1, ".pyc", ".cpython-311.pyc"},
           Case{"abc.cpython-311.pyc"s, 5, ".pyc", "-311.pyc"},
           Case{"abc.c"s, 5, ".c", ""},      // all of it is shared
           Case{"a.b\0\0name"s, 0, "", ""},  // only the name counts
           Case{"a.b\0\0"s, 5, "", ""},
           Case{".h"s, 0, ".h", ".h"},
           Case{""s, 0, "", ""},
           Case{long_name, 0, ".c", ".c"},
           Case{long_ending, 0, "", ""},  // longer than an ending may be
           Case{"a-" + long_name, 1, ".c", ".c"},
       }) {
    SCOPED_TRACE(each.key);
    EXPECT_EQ(ending_of(each.key, each.shared_bytes, Ending::kDot), each.dot);
    EXPECT_EQ(ending_of(each.key, each.shared_bytes, Ending::kSeparator), each.separator);
  }
}

TEST(Ending, OfNoKeyIsEmpty) {
  EXPECT_EQ(EndingSource().ending(Ending::kDot), "");
  EXPECT_EQ(EndingSource().ending(Ending::kSeparator), "");
}

TEST(Ending, LengthsAreToldOfWhatATextHas) {
  const auto lengths = [](std::string_view before, std::size_t shared, std::string_view text) {
    return format::ending_lengths(before, 0, shared, text);
  };
  EXPECT_EQ(lengths("ab_x.c", 1, "c_x.c"), (format::EndingLengths{3, 5}));
  EXPECT_EQ(lengths("ab_x.c", 1, "c.c"), (format::EndingLengths{3, 0}));
  EXPECT_EQ(lengths("ab_x.c", 1, "c.h"), (format::EndingLengths{0, 0}));
  EXPECT_EQ(lengths("abx", 1, "c"), (format::EndingLengths{1, 1})) << "empty ones";
}

/// A model in which endings have the shortest codes.
std::unique_ptr<const format::TokenModel> model_of_endings() {
  auto parts = some_token_model(5, 2, true);
  for (auto& lengths : parts.token_lengths) {
    std::vector<std::uint64_t> counts(lengths.size(), 1);
    for (std::size_t i = 0; i < format::kEndings; ++i) counts[counts.size() - 1 - i] = 100'000;
    lengths = format::code_lengths(counts);
  }
  return format::TokenModel::decode(format::encode_token_model(parts), true).value();
}

// Encodes and decodes names that have many endings in common.
TEST(Ending, TextsComeBackWithThem) {
  const auto model = model_of_endings();
  const format::TokenTrie trie(std::vector<std::string_view>{});
  format::TokenParser parser(*model, trie);
  EntryGenerator generator(3);
  const char* const parts[] = {"a", "bc", "_", "-", ".", "x.h", "_long_and_longer_than_others"};
  std::string before;
  std::size_t with_ending = 0;
  format::TokenKey key;
  key.assign(before);
  for (int round = 0; round < 5000; ++round) {
    std::string next;
    while (next <= before || next.size() < 4) {
      next.clear();
      for (std::size_t i = 0; i <= generator.below(8); ++i) next += parts[generator.below(7)];
      if (generator.chance(30)) next.insert(generator.below(next.size()), 1, '\0');
      if (before.size() > 300 || before > "w") key.assign(before = "");
    }
    const auto shared = format::shared_prefix_bytes(before, next);
    const auto directory = format::directory_bytes(before);
    const auto text = next.substr(shared);
    format::BitWriter out;
    const auto zigzag =
        shared >= directory ? 2 * (shared - directory) : 2 * (directory - shared) - 1;
    if (zigzag >= format::kShareEscape) continue;
    model->shares().behind(format::kShareNone).write(zigzag, out);
    const format::TextStart start{
        shared == 0 ? format::kContextStart : static_cast<unsigned char>(next[shared - 1]),
        shared < before.size() ? static_cast<unsigned char>(before[shared]) : format::kPassedNone};
    auto number = model->start_class(start);
    const auto endings = format::ending_lengths(before, directory, shared, text);
    for (const auto symbol : parser.parse(text + format::kTextEnd, number, endings)) {
      model->code_of(number).write(symbol, out);
      if (symbol >= model->token_count()) ++with_ending;
      number = model->class_after(symbol);
    }
    const auto bits = out.bit_count();
    const auto bytes = std::move(out).finish();
    format::BitReader in(bytes);
    key.forget_share();
    ASSERT_EQ(key.read_next(*model, in), nullptr) << round;
    ASSERT_EQ(key.view(), next) << round;
    ASSERT_EQ(in.bit_offset(), bits) << round;
    before = next;
  }
  EXPECT_GT(with_ending, 200U);
}

}  // namespace
}  // namespace dgfs::test
