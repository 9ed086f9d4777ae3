// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/name_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::begin_of_code;
using view::code_of_name;

constexpr unsigned kBits[] = {20, 34, 45, 50};

// Names that share beginnings of any length, with all bytes that a name may have.
std::vector<std::string> random_names(Random& random, std::size_t count) {
  std::set<std::string> names;
  while (names.size() < count) {
    std::string name;
    if (!names.empty() && random.one_in(2)) {
      name = *names.begin();
      name.resize(random.below(name.size() + 1));
    }
    const auto length = 1 + random.below(random.one_in(8) ? 200 : 6);
    while (name.size() < 255 && name.size() < length + 1) {
      name.push_back(random.one_in(3) ? static_cast<char>(1 + random.below(255))
                                      : "0123ab"[random.below(6)]);
    }
    names.insert(name);
  }
  return {names.begin(), names.end()};
}

TEST(NameCode, KeepsTheOrderOfNames) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto names = random_names(random, 60);
    for (const unsigned bits : kBits) {
      const auto from = random.below(names.size());
      std::uint64_t before = 0;
      for (auto at = from; at < names.size(); ++at) {
        const auto code = code_of_name(names[from], names[at], bits);
        EXPECT_EQ(code == 0, at == from);
        EXPECT_LE(before, code) << seed;
        EXPECT_LT(code, std::uint64_t{1} << bits);
        before = code;
        EXPECT_GT(code_of_name("", names[at], bits), 0U);
      }
    }
  }
}

TEST(NameCode, TheBeginOfACodeIsBeforeAllThatHaveIt) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto names = random_names(random, 60);
    for (const unsigned bits : kBits) {
      const auto from = random.one_in(4) ? std::string() : names[random.below(names.size())];
      for (const auto& name : names) {
        if (name < from) continue;
        const auto begin = begin_of_code(from, code_of_name(from, name, bits), bits);
        EXPECT_LE(begin, name) << seed;
        EXPECT_GE(begin, from);
      }
      // A number that no name has leads to some place, too.
      const auto code = random.below(std::uint64_t{1} << bits);
      const auto begin = begin_of_code(from, code, bits);
      for (const auto& name : names) {
        if (name >= from && code_of_name(from, name, bits) >= code) {
          EXPECT_LE(begin, name);
        }
      }
    }
  }
}

// So a walk that begins there finds the name at once.
TEST(NameCode, TheBeginOfACodeIsBehindMostNamesBeforeIt) {
  std::vector<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.push_back("f" + std::to_string(100'000 + i));
  for (std::size_t at = 0; at < names.size(); at += 997) {
    const auto begin = begin_of_code("", code_of_name("", names[at], 40), 40);
    const auto first = std::ranges::lower_bound(names, begin) - names.begin();
    EXPECT_LE(static_cast<std::ptrdiff_t>(at) - first, 10);
  }
}

TEST(NameCode, TellsNumberedNamesApart) {
  std::set<std::uint64_t> codes;
  std::set<std::uint64_t> codes_from_first;
  for (int i = 0; i < 10'000; ++i) {
    const auto name = "a-long-beginning-of-names." + std::to_string(100'000 + i / 2) +
                      ", and an end that is long, too" + (i % 2 == 0 ? ".jpg" : ".jpg.txt");
    codes.insert(code_of_name("", name, 54));
    codes_from_first.insert(code_of_name(
        "a-long-beginning-of-names.100000, and an end that is long, too.jpg", name, 45));
  }
  EXPECT_EQ(codes.size(), 1U) << "seen from the start, they are all one";
  EXPECT_EQ(codes_from_first.size(), 10'000U);
}

}  // namespace
}  // namespace dgfs::test
