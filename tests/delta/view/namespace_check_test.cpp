// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a check of the records finds: nothing in a sound tree, and each rule that is broken.
#include "delta/view/namespace_check.h"

#include <set>

#include "tests/delta/view/namespace_damage.h"
#include "tests/delta/view/random_changes.h"

namespace dgfs::test {
namespace {

// Lines of what is found.
std::string found_in(ViewedTree& viewed) {
  std::string found;
  const view::Layers layers(viewed.image(), viewed.delta());
  expect_ok(view::check_namespace(layers, [&](const view::Finding& finding) {
    found += std::string(word_of(finding.rule)) + " " + std::to_string(finding.object);
    if (finding.place) {
      found += " " + std::to_string(finding.place->directory) + "/" + finding.place->name;
    }
    found += ": " + finding.text + "\n";
  }));
  return found;
}

TEST(NamespaceCheck, FindsNothingInASoundTree) {
  for (const bool seals : {false, true}) {
    ViewedTree viewed;
    add_image_part(viewed.tree());
    viewed.open();
    EXPECT_EQ(found_in(viewed), "");
    static_cast<void>(make_known_tree(viewed, seals));
    EXPECT_EQ(found_in(viewed), "") << seals;
    viewed.reopen();
    EXPECT_EQ(found_in(viewed), "") << seals;
  }
}

TEST(NamespaceCheck, FindsNothingAfterRandomOperations) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    ViewedTree viewed;
    add_image_part(viewed.tree());
    viewed.open();
    for (std::uint64_t part = 0; part < 3; ++part) {
      change_at_random(viewed.view(), seed * 3 + part, 400);
      EXPECT_EQ(found_in(viewed), "") << seed << " " << part;
      viewed.seal();
      EXPECT_EQ(found_in(viewed), "") << seed << " " << part;
    }
  }
}

TEST(NamespaceCheck, FindsTheRuleThatIsBrokenAlone) {
  for (const bool seals : {false, true}) {
    ViewedTree viewed;
    add_image_part(viewed.tree());
    viewed.open();
    Known known = make_known_tree(viewed, seals);
    for (const Damage& damage : damages()) {
      ViewedTree broken;
      add_image_part(broken.tree());
      broken.open();
      ASSERT_EQ(make_known_tree(broken, seals), known);
      delta::Batch batch;
      damage.make(batch, known);
      value_of(broken.delta().newest().apply(batch));
      std::set<view::Rule> rules;
      const view::Layers layers(broken.image(), broken.delta());
      expect_ok(view::check_namespace(
          layers, [&](const view::Finding& finding) { rules.insert(finding.rule); }));
      EXPECT_EQ(rules, std::set<view::Rule>{damage.rule})
          << damage.name << (seals ? ", sealed\n" : "\n") << found_in(broken);
    }
  }
}

TEST(NamespaceCheck, BreaksEachRuleOnce) {
  std::set<view::Rule> rules;
  for (const Damage& damage : damages()) rules.insert(damage.rule);
  EXPECT_EQ(rules.size(), static_cast<std::size_t>(view::Rule::kXattrsAreShown) + 1);
}

}  // namespace
}  // namespace dgfs::test
