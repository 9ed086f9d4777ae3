// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A delta in memory with layers that can be joined. The start for tests of joins.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delta/layer/join.h"
#include "delta/store/run/object_key.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/store/store_check.h"
#include "tests/delta/store/directory/based_delta.h"

namespace dgfs::test {

class JoinedDelta : public BasedDelta {
 protected:
  using Values = std::map<std::string, std::string>;

  /// A key of the image, or of an object above it.
  static std::string key_of(std::uint64_t object, const std::string& rest = "name") {
    return delta::object_key(1, object, rest);
  }
  /// What the image has.
  static Values image() {
    return {{key_of(1), "image"}, {key_of(2), "image"}, {key_of(3), "image"}};
  }

  /// Applies a batch to the newest store, durably.
  void change(const delta::Batch& batch) {
    const auto opened = open();
    ASSERT_NE(opened, nullptr);
    ASSERT_TRUE(opened->newest().apply(batch));
    ASSERT_TRUE(opened->newest().sync());
  }
  /// The same, and makes it a layer.
  void add_layer(const delta::Batch& batch, const std::string& name = {},
                 std::uint64_t end = kBorn) {
    change(batch);
    const auto sealed = seal_delta(*disk_, "/d", end, options(), name);
    ASSERT_TRUE(sealed) << sealed.error().message();
  }
  /// Four layers in which names of the image go, come back and change.
  void add_four(const std::vector<std::string>& names = {"", "", "", ""}) {
    delta::Batch first;
    first.remove(key_of(1));
    first.put(key_of(10), "first");
    first.put(key_of(1000), std::string(500, 'f'));
    add_layer(first, names[0], 2000);
    delta::Batch second;
    second.put(key_of(1), "second");
    second.erase(key_of(1));
    second.patch(key_of(2), 0, "S");
    second.patch(key_of(1000), 100, std::string(300, 's'));
    add_layer(second, names[1], 3000);
    delta::Batch third;
    third.remove_range(delta::prefix_range(delta::object_key(1, 3)));
    third.put(key_of(3, "new"), "third");
    third.patch(key_of(2), 1, "T");
    add_layer(third, names[2], 4000);
    delta::Batch fourth;
    fourth.put(key_of(10), "fourth");
    fourth.put(key_of(4000), "fourth");
    add_layer(fourth, names[3], 5000);
  }
  /// What the stores show over the image.
  static Values tree_of(const std::vector<std::shared_ptr<delta::Store>>& stores) {
    std::vector<delta::Snapshot> all;
    for (const auto& store : stores) all.push_back(store->snapshot("a test"));
    const delta::StackSnapshot stack(std::move(all));
    const auto below = image();
    auto keys = below;
    for (const std::uint64_t object : {10U, 1000U, 4000U, 7U, 6000U}) keys[key_of(object)] = "";
    keys[key_of(3, "new")] = "";
    Values found;
    for (const auto& [key, none] : keys) {
      const auto value =
          stack.get(key, [&](std::string_view asked) -> Result<std::optional<std::string>> {
            const auto at = below.find(std::string(asked));
            return at == below.end() ? std::nullopt : std::optional(at->second);
          });
      EXPECT_TRUE(value) << value.error().message();
      if (value && value.value()) found[key] = *value.value();
    }
    return found;
  }
  Values tree() {
    const auto opened = open(delta::StoreAccess::kReadOnly);
    return opened ? tree_of(opened->stores()) : Values();
  }
  Values tree_of_state(const std::string& text) {
    const auto opened = open_state(text);
    EXPECT_TRUE(opened) << opened.error().message();
    return opened ? tree_of(opened.value()->stores()) : Values();
  }

  /// All steps of a join of an open delta.
  static Status join(storage::Env& env, delta::DeltaDirectory& delta,
                     const delta::LayerRange& range) {
    DGFS_TRY(plan, delta.begin_join(range));
    auto made = layer::make_joined(env, "/d", plan, {});
    if (!made) {
      delta.give_up(plan);
      return std::move(made).error();
    }
    auto prepared = delta.prepare_join(made.value().plan);
    if (!prepared) {
      delta.give_up(plan);
      return std::move(prepared).error();
    }
    return delta.commit_join(std::move(prepared).value());
  }
  /// Nothing is left but what the manifest names, and each store is sound.
  void expect_tidy() {
    const auto now = manifest();
    Names expected = {"MANIFEST", "lock"};
    for (const auto& store : now.stores) {
      expected.push_back(store.name());
      const auto checked = delta::check_store(*disk_, "/d/" + store.name());
      EXPECT_TRUE(checked) << checked.error().message();
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(names(), expected);
  }
};

}  // namespace dgfs::test
