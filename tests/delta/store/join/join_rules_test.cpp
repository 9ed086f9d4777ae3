// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What two layers say of one key, joined, for each pair of messages.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "delta/store/run/object_key.h"
#include "storage/memory/env.h"
#include "tests/delta/store/join/sealed_stack.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::uint64_t kImageEnd = 100;  // objects of the image are below
constexpr std::uint64_t kNewerBorn = 200;

enum class Says : std::uint8_t {
  kNothing,
  kPatch,
  kPut,
  kRemoval,
  kErasure,
  kRange,
  kPutOverRange,
  kPatchOverRange,
  kRemovalAfterPut,
};
constexpr std::array kAll = {Says::kNothing,      Says::kPatch,          Says::kPut,
                             Says::kRemoval,      Says::kErasure,        Says::kRange,
                             Says::kPutOverRange, Says::kPatchOverRange, Says::kRemovalAfterPut};

void say(Says what, const std::string& key, const std::string& text, Store& store) {
  Batch batch;
  switch (what) {
    case Says::kNothing:
      return;
    case Says::kPatch:
      batch.patch(key, 1, text);
      break;
    case Says::kPut:
      batch.put(key, text);
      break;
    case Says::kRemoval:
      batch.remove(key);
      break;
    case Says::kErasure:
      batch.erase(key);
      break;
    case Says::kRange:
      batch.remove_range(prefix_range(key));
      break;
    case Says::kPutOverRange:
      batch.remove_range(prefix_range(key));
      batch.put(key, text);
      break;
    case Says::kPatchOverRange:
      batch.remove_range(prefix_range(key));
      batch.patch(key, 1, text);
      break;
    case Says::kRemovalAfterPut:
      batch.put(key, text);
      batch.remove(key);
      break;
  }
  ASSERT_TRUE(store.apply(batch));
}

// The value that a layer leaves of the one below it.
std::optional<std::string> over(std::optional<std::string> below, Says what,
                                const std::string& text) {
  const auto patched = [&](std::string value) {
    value.resize(std::max(value.size(), text.size() + 1), '\0');
    return value.replace(1, text.size(), text);
  };
  switch (what) {
    case Says::kNothing:
      return below;
    case Says::kPatch:
      return patched(below.value_or(""));
    case Says::kPut:
    case Says::kPutOverRange:
      return text;
    case Says::kPatchOverRange:
      return patched("");
    default:
      return std::nullopt;
  }
}

// Adds a store where the message of the key stays above its basement, if it waits, or settles.
void add_layer(SealedStack& stack, std::uint64_t born, bool waits,
               const std::function<void(Store&)>& fill) {
  StoreOptions options;
  options.parameters.born_object = born;
  options.parameters.segment_bytes = 1 << 16;
  options.cache_bytes = 0;
  stack.add(options, [&](Store& store) {
    if (waits) {  // beside a basement that is not worth a rewrite
      for (int i = 0; i < 100; ++i) {
        Batch other;
        other.put(object_key(1, 7, std::to_string(i)), std::string(100, 'o'));
        ASSERT_TRUE(store.apply(other));
      }
      ASSERT_TRUE(store.checkpoint());
    }
    fill(store);
  });
}

std::optional<std::string> value_in(const SealedStack& stack, const std::string& key,
                                    const std::optional<std::string>& bottom) {
  const auto value = stack.snapshot().get(
      key, [&](std::string_view) { return Result<std::optional<std::string>>(bottom); });
  EXPECT_TRUE(value) << value.error().message();
  return value ? value.value() : std::nullopt;
}

class JoinRules : public testing::TestWithParam<bool> {
 protected:
  void add(std::uint64_t born, const std::function<void(Store&)>& fill) {
    add_layer(stack_, born, GetParam(), fill);
  }
  void add(Says what, const std::string& text = "text", std::uint64_t born = kImageEnd) {
    add(born, [&](Store& store) { say(what, key_, text, store); });
  }
  SealedStack joined(std::size_t begin, std::size_t end) {
    auto made = stack_.joined(begin, end);
    EXPECT_TRUE(made) << made.error().message();
    return made ? std::move(made).value() : SealedStack(*env_);
  }

  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  SealedStack stack_{*env_};
  std::string key_ = object_key(1, 50, "name");  // in a directory of the image
};

void expect_pair(std::uint64_t object, Says older, Says newer, bool waits) {
  const auto env = storage::make_memory_env(1);
  SealedStack stack(*env);
  const auto key = object_key(1, object, "name");
  add_layer(stack, kImageEnd, waits, [&](Store& store) { say(older, key, "older", store); });
  add_layer(stack, kNewerBorn, waits, [&](Store& store) { say(newer, key, "NEWER!", store); });
  const auto joined = stack.joined(0, 2);
  ASSERT_TRUE(joined) << joined.error().message();
  for (const bool is_in_image : {false, true}) {
    if (is_in_image && object >= kImageEnd) continue;
    const auto bottom = is_in_image ? std::optional<std::string>("image") : std::nullopt;
    const auto middle = over(bottom, older, "older");
    // Whoever erases knows that nothing is below.
    if ((older == Says::kErasure && bottom) || (newer == Says::kErasure && middle)) continue;
    const auto expected = over(middle, newer, "NEWER!");
    EXPECT_EQ(value_in(stack, key, bottom), expected) << "unjoined, in the image: " << is_in_image;
    EXPECT_EQ(value_in(joined.value(), key, bottom), expected) << "in the image: " << is_in_image;
  }
  static_cast<void>(joined.value().report(0));
}

TEST_P(JoinRules, EachPairHasTheSameEffectOverAnything) {
  // Of the image, the older and the newer layer.
  for (const std::uint64_t object : {50U, 150U, 250U}) {
    for (const Says older : kAll) {
      for (const Says newer : kAll) {
        SCOPED_TRACE(testing::Message() << "object " << object << ": " << static_cast<int>(newer)
                                        << " over " << static_cast<int>(older));
        // Only the newer layer can know an object that was born in it.
        if (object >= kNewerBorn && older != Says::kNothing) continue;
        expect_pair(object, older, newer, GetParam());
      }
    }
  }
}

// rm, seal, create, rm, seal, join: the name of the image must not come back.
TEST_P(JoinRules, AnErasedWhiteoutStays) {
  add(Says::kRemoval);
  add(kImageEnd, [&](Store& store) {
    say(Says::kPut, key_, "again", store);
    say(Says::kErasure, key_, "", store);
  });
  EXPECT_EQ(value_in(joined(0, 2), key_, "image"), std::nullopt);
}

TEST_P(JoinRules, AnErasedWhiteoutStaysUnderLayersThatSayNothing) {
  add(Says::kRemoval);
  add(Says::kNothing);
  add(Says::kErasure);
  add(Says::kErasure);
  const auto both = joined(1, 3);
  EXPECT_EQ(value_in(both, key_, "image"), std::nullopt);
  EXPECT_EQ(value_in(joined(0, 4), key_, "image"), std::nullopt);
  const auto twice = both.joined(0, 3);
  ASSERT_TRUE(twice);
  EXPECT_EQ(value_in(twice.value(), key_, "image"), std::nullopt);
}

TEST_P(JoinRules, AnErasureOverNothingLeavesNothing) {
  add_layer(stack_, kImageEnd, false, [](Store&) {});
  add_layer(stack_, kImageEnd, false, [&](Store& store) {
    say(Says::kPut, key_, "short-lived", store);
    say(Says::kErasure, key_, "", store);
  });
  const auto report = joined(0, 2).report(0);
  EXPECT_EQ(report.basement_points + report.waiting_points, 0U);
}

// The newest value shows, the older range still hides the image, and nothing hides the newest.
TEST_P(JoinRules, RangesHideWhatIsBelowTheirLayerAndNothingElse) {
  const auto inside = [](const char* name) { return object_key(1, 50, name); };
  add(kImageEnd, [&](Store& store) {
    Batch batch;
    batch.put(inside("a"), "oldest");
    batch.put(inside("b"), "oldest");
    batch.put(inside("c"), "oldest");
    ASSERT_TRUE(store.apply(batch));
  });
  add(kImageEnd, [&](Store& store) {
    Batch batch;
    batch.remove_range({inside("b"), inside("d")});
    batch.put(inside("c1"), "middle");
    ASSERT_TRUE(store.apply(batch));
  });
  add(kImageEnd, [&](Store& store) {
    Batch batch;
    batch.put(inside("b"), "newest");
    batch.patch(inside("c2"), 0, "patch");
    ASSERT_TRUE(store.apply(batch));
  });
  const auto all = joined(0, 3);
  EXPECT_EQ(value_in(all, inside("a"), "image"), "oldest");
  EXPECT_EQ(value_in(all, inside("b"), "image"), "newest");
  EXPECT_EQ(value_in(all, inside("c"), "image"), std::nullopt);
  EXPECT_EQ(value_in(all, inside("c1"), "image"), "middle");
  EXPECT_EQ(value_in(all, inside("c2"), "image"), "patch") << "of an empty value";
  EXPECT_EQ(value_in(all, inside("cx"), "image"), std::nullopt);
  EXPECT_EQ(value_in(all, inside("d"), "image"), "image");
  static_cast<void>(all.report(0));
}

// An older range that begins within a newer one and ends behind it.
TEST_P(JoinRules, OverlappingRangesAddUp) {
  const auto inside = [](int number) { return object_key(1, 50, std::to_string(1000 + number)); };
  add(kImageEnd, [&](Store& store) {
    for (int i = 0; i < 200; ++i) {
      Batch batch;
      batch.put(inside(i), "oldest");
      ASSERT_TRUE(store.apply(batch));
    }
    Batch range;
    range.remove_range({inside(20), inside(150)});
    ASSERT_TRUE(store.apply(range));
  });
  add(kImageEnd, [&](Store& store) {
    Batch range;
    range.remove_range({inside(10), inside(100)});
    ASSERT_TRUE(store.apply(range));
  });
  const auto all = joined(0, 2);
  for (const auto& [number, expected] :
       std::vector<std::pair<int, std::optional<std::string>>>{{9, "oldest"},
                                                               {10, std::nullopt},
                                                               {99, std::nullopt},
                                                               {100, std::nullopt},
                                                               {149, std::nullopt},
                                                               {150, "oldest"}}) {
    EXPECT_EQ(value_in(all, inside(number), "image"), expected) << number;
  }
}

// The joined layer is born where its oldest layer was.
TEST_P(JoinRules, WhatWasBornInTheLayersIsSettled) {
  const auto of_image = object_key(1, 50);
  const auto of_older = object_key(1, 150);
  const auto of_newer = object_key(1, 250);
  add(kImageEnd, [&](Store& store) {
    Batch batch;
    batch.patch(of_image, 0, "A");
    batch.put(of_older, "....");
    ASSERT_TRUE(store.apply(batch));
  });
  add(kNewerBorn, [&](Store& store) {
    Batch batch;
    batch.patch(of_image, 1, "B");
    batch.patch(of_older, 1, "B");
    batch.patch(of_newer, 1, "B");
    batch.remove(object_key(1, 151));
    ASSERT_TRUE(store.apply(batch));
  });
  const auto all = joined(0, 2);
  EXPECT_EQ(all.store(0).parameters().born_object, kImageEnd);
  EXPECT_EQ(all.store(0).find(of_image).value().kind, MessageKind::kPatch);
  EXPECT_EQ(value_in(all, of_image, "----"), "AB--");
  EXPECT_EQ(value_in(all, of_older, std::nullopt), ".B..");
  EXPECT_EQ(value_in(all, of_newer, std::nullopt), std::string("\0B", 2));
  EXPECT_EQ(all.report(0).basement_points, GetParam() ? 103U : 3U) << "no removal";
}

// Keys that are young in a newer layer count as absent below it.
TEST_P(JoinRules, AnOlderLayerHasNothingOfWhatWasBornAboveIt) {
  const auto key = object_key(1, 250);
  add(kImageEnd, [&](Store& store) { say(Says::kPut, key, "forged", store); });
  add(kNewerBorn, [&](Store& store) { say(Says::kPatch, object_key(1, 251), "B", store); });
  EXPECT_EQ(value_in(stack_, key, std::nullopt), std::nullopt);
  EXPECT_EQ(value_in(joined(0, 2), key, std::nullopt), std::nullopt);
}

TEST_P(JoinRules, AJoinOfEmptyLayersIsEmpty) {
  for (int i = 0; i < 3; ++i) add(kImageEnd, [](Store&) {});
  if (GetParam()) return;  // then they are not empty
  const auto all = joined(0, 3);
  const auto report = all.report(0);
  EXPECT_EQ(report.basement_points, 0U);
  ASSERT_TRUE(report.superblock.sealed);
  EXPECT_EQ(report.whole_superblocks, 2U);
}

INSTANTIATE_TEST_SUITE_P(Waiting, JoinRules, testing::Bool());

}  // namespace
}  // namespace dgfs::test
