// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree whose objects change while it is merged into a base. The start for tests of what such a
// merge could get wrong. LiveTree::merge() expects that the switch changes nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/delta/merge/live_tree.h"

namespace dgfs::test {

class LiveHazards : public testing::Test {
 protected:
  LiveHazards() {
    for (const char* name : {"a", "a/sub", "a/sub/deep", "b"}) tree_.tree().directory(name);
    for (const char* name : {"a/f", "a/g", "a/sub/f", "a/sub/deep/f", "f"}) {
      tree_.tree().file(name, std::string("of the image: ") + name);
    }
    tree_.tree().file("large", pattern(9'000, 3));
    tree_.tree().link("a/g", "b/g");
  }

  [[nodiscard]] view::View& view() { return tree_.view(); }
  [[nodiscard]] view::ObjectNumber object(std::string_view path) { return tree_.object(path); }
  [[nodiscard]] std::string content(std::string_view path) {
    return content_of(view(), object(path));
  }
  [[nodiscard]] bool has(std::string_view path) {
    const auto slash = path.rfind('/');
    const auto directory =
        slash == std::string_view::npos ? view::kRoot : object(path.substr(0, slash));
    return view().lookup(directory, path.substr(slash + 1)).has_value();
  }
  [[nodiscard]] std::uint64_t links(std::string_view path) {
    return value_of(view().attributes(object(path))).link_count;
  }
  [[nodiscard]] std::uint64_t children(std::string_view path) {
    return value_of(view().attributes(object(path))).children;
  }
  void resize(std::string_view path, std::uint64_t size_bytes) {
    value_of(view().set_attributes(object(path), {.size_bytes = size_bytes}));
  }
  /// The tree stays as it is through a reopening, one more merge, and another reopening.
  void expect_lasting() {
    tree_.expect_same_after_reopening();
    const auto before = facts_below(view());
    tree_.merge();
    EXPECT_EQ(facts_below(view()), before);
    tree_.expect_same_after_reopening();
  }

  LiveTree tree_;
};

}  // namespace dgfs::test
