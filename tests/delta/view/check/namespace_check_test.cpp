// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The findings of a check of the records: none in a sound tree, and each broken rule.
#include "delta/view/check/namespace_check.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <string_view>
#include <vector>

#include "delta/view/check/object_facts.h"
#include "delta/view/directory_walk.h"
#include "tests/delta/view/check/namespace_damage.h"
#include "tests/delta/view/check/random_changes.h"

namespace dgfs::test {
namespace {

// Returns the findings, one per line.
std::string found_in(ViewedTree& viewed) {
  std::string found;
  const auto layers = view::generation_of(viewed.image(), viewed.delta());
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
      const auto layers = view::generation_of(broken.image(), broken.delta());
      expect_ok(view::check_namespace(
          layers, [&](const view::Finding& finding) { rules.insert(finding.rule); }));
      EXPECT_EQ(rules, std::set<view::Rule>{damage.rule})
          << damage.name << (seals ? ", sealed\n" : "\n") << found_in(broken);
    }
  }
}

// The paths in the findings of a rule after some damage, "-" for a finding without a path.
std::vector<std::string> paths_of(const char* name, view::Rule rule) {
  ViewedTree viewed;
  add_image_part(viewed.tree());
  viewed.open();
  Known known = make_known_tree(viewed, false);
  const auto found = std::ranges::find(damages(), std::string_view(name), &Damage::name);
  delta::Batch batch;
  found->make(batch, known);
  value_of(viewed.delta().newest().apply(batch));
  std::vector<std::string> paths;
  const auto layers = view::generation_of(viewed.image(), viewed.delta());
  expect_ok(view::check_namespace(layers, [&](const view::Finding& finding) {
    if (finding.rule == rule) paths.push_back(finding.path.value_or("-"));
  }));
  return paths;
}

TEST(NamespaceCheck, TellsPathsWhereTheyAreKnown) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(paths_of("an ended root", view::Rule::kRecordsAreWhole), Paths{"/"});
  EXPECT_EQ(paths_of("names of a directory", view::Rule::kChildrenAreCounted), Paths{"/e"});
  EXPECT_EQ(paths_of("links of an untouched file", view::Rule::kLinksAreCounted),
            Paths{"/e/moved/x"});
  EXPECT_EQ(paths_of("links of a hard link", view::Rule::kLinksAreCounted), Paths{"/h"});
  EXPECT_EQ(paths_of("a record of no name", view::Rule::kRecordedNamesLeadBack), Paths{"/d/x"});
  EXPECT_EQ(paths_of("a lost file", view::Rule::kObjectsHaveANameOrAreMarked), Paths{"-"});
  EXPECT_EQ(paths_of("a circle", view::Rule::kParentsEndAtTheRoot), Paths{"-"});
  EXPECT_EQ(paths_of("the reserved end", view::Rule::kRecordsAreWhole), Paths{"-"});
}

TEST(NamespaceCheck, TellsNoPathThroughADirectoryThatHasEnded) {
  ViewedTree viewed;
  add_image_part(viewed.tree());
  viewed.open();
  const auto directory = value_of(viewed.view().lookup(view::kRoot, "u")).object;
  const auto file = value_of(viewed.view().lookup(directory, "v")).object;
  delta::Batch batch;
  batch.remove(view::key_of(view::RecordClass::kAttributes, directory));
  batch.set_field(view::key_of(view::RecordClass::kAttributes, file), view::field::kLinkCount, 9);
  value_of(viewed.delta().newest().apply(batch));
  std::size_t told = 0;
  const auto layers = view::generation_of(viewed.image(), viewed.delta());
  expect_ok(view::check_namespace(layers, [&](const view::Finding& finding) {
    if (finding.object != file) return;
    ++told;
    EXPECT_EQ(finding.path, std::nullopt);
  }));
  EXPECT_EQ(told, 1U);
}

TEST(NamespaceCheck, FindsNoMarkOfNobodyOnceAViewWasOpened) {
  ViewedTree viewed;
  viewed.open();
  delta::Batch batch;
  batch.put(view::key_of(view::RecordClass::kOrphan, 5000), {});
  value_of(viewed.delta().newest().apply(batch));
  EXPECT_NE(found_in(viewed), "");
  viewed.reopen();
  EXPECT_EQ(found_in(viewed), "");
}

TEST(NamespaceCheck, EndsSoonOnceItIsToStop) {
  ViewedTree viewed;
  add_image_part(viewed.tree());
  viewed.open();
  Known known = make_known_tree(viewed, false);
  delta::Batch batch;
  for (const char* name : {"links of a hard link", "names of a directory"}) {
    const auto damage = std::ranges::find(damages(), std::string_view(name), &Damage::name);
    ASSERT_NE(damage, damages().end());
    damage->make(batch, known);
  }
  value_of(viewed.delta().newest().apply(batch));
  const auto layers = view::generation_of(viewed.image(), viewed.delta());
  std::atomic<bool> stop = false;
  int told = 0;
  const auto checked = view::check_namespace(
      layers,
      [&](const view::Finding&) {
        ++told;
        stop = true;
      },
      view::StopFlag(&stop));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind(), ErrorKind::kInterrupted);
  EXPECT_EQ(told, 1);
  stop = false;
  told = 0;
  expect_ok(view::check_namespace(
      layers, [&](const view::Finding&) { ++told; }, view::StopFlag(&stop)));
  EXPECT_EQ(told, 2);
}

// A directory may have millions of names, or of names that are gone.
TEST(NamespaceCheck, EndsWithinADirectory) {
  ViewedTree viewed;
  viewed.tree().directory("d");
  for (int i = 0; i < 30; ++i) viewed.tree().file("d/f" + std::to_string(i), "x");
  viewed.open();
  const auto directory = value_of(viewed.view().lookup(view::kRoot, "d")).object;
  for (int i = 0; i < 30; ++i) {
    value_of(viewed.view().unlink(directory, "f" + std::to_string(i)));
  }
  const view::Moment moment(view::generation_of(viewed.image(), viewed.delta()));
  std::atomic<bool> stop = true;
  auto walk = value_of(view::DirectoryWalk::make(moment, directory, false, view::StopFlag(&stop)));
  const Status moved = walk.seek("");
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::kInterrupted);
  const auto facts = view::facts_of(moment, view::kRoot, view::StopFlag(&stop));
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().kind(), ErrorKind::kInterrupted);
  stop = false;
  expect_ok(walk.seek(""));
  EXPECT_FALSE(walk.is_at_name());
  EXPECT_TRUE(value_of(view::facts_of(moment, view::kRoot, view::StopFlag(&stop))));
}

TEST(NamespaceCheck, BreaksEachRuleOnce) {
  std::set<view::Rule> rules;
  for (const Damage& damage : damages()) rules.insert(damage.rule);
  EXPECT_EQ(rules.size(), static_cast<std::size_t>(view::Rule::kXattrsAreShown) + 1);
}

}  // namespace
}  // namespace dgfs::test
