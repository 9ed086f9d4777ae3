// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Random stacks, joined at random: they answer as the unjoined stack and as a map.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delta/store/run/object_key.h"
#include "storage/memory/env.h"
#include "tests/delta/store/join/sealed_stack.h"
#include "tests/delta/store/snapshot/over_lower.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

using Values = std::map<std::string, std::string>;

constexpr std::uint64_t kObjectsOfALayer = 8;

// A bottom, sealed stores, and a model of their merged values.
class JoinRun {
 public:
  explicit JoinRun(std::uint64_t seed) : random_(seed), options_(tiny_options(random_)) {
    for (int i = 0; i < 120; ++i) bottom_[any_key()] = text(random_.below(80));
    born_ = kObjectsOfALayer;
    values_ = bottom_;
  }

  // Each layer gets some batches, now and then of many.
  void add_layer() {
    const auto below = values_;
    auto options = options_;
    options.parameters.born_object = born_;
    stack_.add(options, [&](Store& store) {
      for (auto batches = random_.below(random_.one_in(3) ? 120 : 12); batches > 0; --batches) {
        Batch batch;
        for (auto count = 1 + random_.below(4); count > 0; --count) add_operation(below, batch);
        ASSERT_TRUE(store.apply(batch));
        StoreModel model(std::move(values_));
        model.apply(batch);
        values_ = model.values();
        if (random_.one_in(8)) {
          ASSERT_TRUE(store.checkpoint());
        }
      }
    });
    states_.push_back(values_);
    born_ += kObjectsOfALayer;
  }

  // Joins some neighbours. Returns whether there are any.
  bool join() {
    const auto count = stack_.size();
    if (count < 2) return false;
    const auto begin = random_.below(count - 1);
    const auto end = begin + 2 + random_.below(count - begin - 1);
    auto joined = stack_.joined(begin, end);
    EXPECT_TRUE(joined) << joined.error().message();
    if (!joined) return false;
    before_.emplace(std::exchange(stack_, std::move(joined).value()));
    static_cast<void>(stack_.report(begin));
    expect_may_have(begin, end);
    states_.erase(states_.begin() + static_cast<std::ptrdiff_t>(begin),
                  states_.begin() + static_cast<std::ptrdiff_t>(end) - 1);
    return true;
  }

  void expect_all() {
    expect_gets();
    expect_parts();
    expect_walks();
  }
  [[nodiscard]] std::size_t layers() const { return stack_.size(); }
  [[nodiscard]] Random& random() { return random_; }

 private:
  std::string text(std::uint64_t bytes) {
    std::string made(bytes, '\0');
    for (char& c : made) c = static_cast<char>('A' + random_.below(26));
    return made;
  }
  std::string any_key() {
    const auto object = random_.below(born_ + kObjectsOfALayer);
    return object_key(static_cast<std::uint8_t>(1 + random_.below(2)), object,
                      std::string(random_.below(3), static_cast<char>('a' + random_.below(3))));
  }
  KeyRange random_range() {
    const auto key = any_key();
    if (random_.one_in(2)) return prefix_range(key.substr(0, kObjectKeyBytes));
    if (random_.one_in(20)) return {key, std::nullopt};
    return {key, any_key()};
  }
  void add_operation(const Values& below, Batch& batch) {
    const auto key = any_key();
    switch (random_.below(10)) {
      case 0:
        batch.remove_range(random_range());
        break;
      case 1:
      case 2:
        below.contains(key) ? batch.remove(key) : batch.erase(key);
        break;
      case 3:
        batch.remove(key);
        break;
      case 4:
        batch.patch(key, random_.below(100), text(1 + random_.below(10)));
        break;
      case 5:
        batch.patch(key, random_.below(200), text(100 + random_.below(400)));
        break;
      case 6:
        batch.zero(key, random_.below(60), 1 + random_.below(90));
        break;
      case 7:
        batch.change_field(key, {random_.below(40), random_operation(random_), random_.below(99)});
        break;
      default:
        batch.put(key, text(random_.one_in(3) ? 6000 >> random_.below(7) : random_.below(60)));
    }
  }
  Result<std::optional<std::string>> at_bottom(std::string_view key) const {
    const auto at = bottom_.find(std::string(key));
    return at == bottom_.end() ? std::nullopt : std::optional(at->second);
  }

  void expect_gets() {
    const auto stack = stack_.snapshot();
    std::vector<std::string> keys;
    for (const auto& [key, value] : values_) keys.push_back(key);
    for (const auto& [key, value] : bottom_) keys.push_back(key);
    for (int i = 0; i < 50; ++i) keys.push_back(any_key());
    for (const auto& key : keys) {
      const auto found =
          stack.get(key, [this](std::string_view asked) { return at_bottom(asked); });
      ASSERT_TRUE(found) << found.error().message();
      const auto at = values_.find(key);
      ASSERT_EQ(found.value().has_value(), at != values_.end());
      if (at != values_.end()) {
        ASSERT_EQ(*found.value(), at->second);
      }
    }
  }
  // The bytes that the view reads, also of the stack before the join.
  void expect_parts() {
    const auto stack = stack_.snapshot();
    for (const auto& each : values_) {
      const std::string& key = each.first;
      const std::string& value = each.second;
      const auto begin = random_.below(value.size() + 1);
      Buffer out(value.size() - begin + random_.below(20), 0xFF);
      const auto found = stack.value(key);
      ASSERT_TRUE(found) << found.error().message();
      const auto read = found.value().read(begin, out, [&](std::uint64_t from, MutableBytes bytes) {
        return fill_from_bottom(key, from, bytes);
      });
      if (!read) {
        ASSERT_EQ(read.error().code(), 7164) << "only a field that the part cuts may fail";
        continue;
      }
      auto expected = value.substr(begin);
      expected.resize(out.size(), '\0');
      ASSERT_EQ(as_text(out), expected);
    }
  }
  Status fill_from_bottom(std::string_view key, std::uint64_t begin, MutableBytes out) const {
    DGFS_TRY(found, at_bottom(key));
    std::string bytes = found.value_or("");
    bytes.resize(std::max<std::size_t>(bytes.size(), begin + out.size()), '\0');
    bytes.copy(reinterpret_cast<char*>(out.data()), out.size(), begin);
    return ok();
  }
  void expect_walks() {
    const auto stack = stack_.snapshot();
    const auto bounds = random_.one_in(2) ? KeyRange{"", std::nullopt} : random_range();
    auto expected = values_;
    std::erase_if(expected, [&](const auto& each) { return !bounds.contains(each.first); });
    ASSERT_EQ(OverLower(stack.cursor(bounds), bounds, bottom_).forward(), expected);
    ASSERT_EQ(OverLower(stack.cursor(bounds), bounds, bottom_).backward(), expected);
    // The states that are left.
    const auto layer = random_.below(states_.size());
    const KeyRange all{"", std::nullopt};
    ASSERT_EQ(OverLower(stack_.snapshot(layer + 1).cursor(), all, bottom_).forward(),
              states_[layer]);
  }
  // The joined layer has all objects for which it says something, and none that no layer has.
  void expect_may_have(std::size_t begin, std::size_t end) {
    std::uint64_t needless = 0;
    std::uint64_t asked = 0;
    for (std::uint8_t each = 1; each <= 2; ++each) {
      for (std::uint64_t object = 0; object < kObjectsOfALayer * (begin + 1); ++object) {
        bool is_any = false;
        for (std::size_t i = begin; i < end; ++i) {
          is_any |= before_->store(i).may_have(each, object);
        }
        ++asked;
        needless += !is_any && stack_.store(begin).may_have(each, object) ? 1 : 0;
      }
    }
    EXPECT_LE(needless, asked / 10);
  }

  Random random_;
  std::unique_ptr<storage::MemoryEnv> env_ = storage::make_memory_env(1);
  StoreOptions options_;
  std::uint64_t born_ = 0;  // objects from this number on belong to the next store alone
  Values bottom_;
  Values values_;
  std::vector<Values> states_;  // merged values up to each layer
  SealedStack stack_{*env_};
  std::optional<SealedStack> before_;  // the last join
};

class JoinModel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(JoinModel, AnswersAsAMap) {
  JoinRun run(GetParam());
  const auto layers = 1 + run.random().below(16);
  for (std::uint64_t i = 0; i < layers; ++i) {
    run.add_layer();
    if (run.random().one_in(6)) static_cast<void>(run.join());
    ASSERT_FALSE(testing::Test::HasFailure()) << "layer " << i;
  }
  run.expect_all();
  while (run.join()) {
    run.expect_all();
    ASSERT_FALSE(testing::Test::HasFailure()) << run.layers() << " layers are left";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JoinModel, testing::Range<std::uint64_t>(0, 32));

}  // namespace
}  // namespace dgfs::test
