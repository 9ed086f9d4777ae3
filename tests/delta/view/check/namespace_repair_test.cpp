// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The work of a repair on each broken rule, and on random damage.
#include "delta/view/check/namespace_repair.h"

#include <algorithm>

#include "delta/view/check/namespace_check.h"
#include "delta/view/check/object_facts.h"
#include "delta/view/record/attributes_record.h"
#include "tests/delta/view/check/namespace_damage.h"
#include "tests/delta/view/check/random_changes.h"
#include "tests/delta/view/check/random_damage.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;
using view::RecordClass;

// A tree whose records are damaged, then mended.
class NamespaceRepair : public testing::Test {
 protected:
  void open(bool has_link = true) {
    viewed_ = std::make_unique<ViewedTree>();
    add_image_part(viewed_->tree(), has_link);
    viewed_->open();
  }
  void apply(const delta::Batch& batch) { value_of(viewed_->delta().newest().apply(batch)); }
  void damage(const char* name) {
    const auto found = std::ranges::find(damages(), std::string_view(name), &Damage::name);
    ASSERT_NE(found, damages().end());
    delta::Batch batch;
    found->make(batch, known_);
    apply(batch);
  }
  [[nodiscard]] view::GenerationRef layers() {
    return view::generation_of(viewed_->image(), viewed_->delta());
  }
  /// Returns the steps of the repair, one per line.
  std::string repair(std::size_t findings_max = view::kFindingsMax) {
    std::string text;
    const auto stack = layers();
    const auto mended = [&](const auto& finding, std::string_view action) {
      text += std::string(word_of(finding.rule)) + ": " + std::string(action) + "\n";
    };
    const auto count = value_of(view::repair_namespace(stack, {5, 6}, mended, findings_max));
    EXPECT_EQ(count, static_cast<std::uint64_t>(std::ranges::count(text, '\n')));
    return text;
  }
  void expect_sound(const std::string& what) {
    const auto stack = layers();
    expect_ok(view::check_namespace(stack, [&](const view::Finding& finding) {
      ADD_FAILURE() << what << ": " << word_of(finding.rule) << " " << finding.object << " "
                    << finding.text;
    }));
  }
  std::map<std::string, NamedObject> all() { return named_objects(viewed_->view()); }

  std::unique_ptr<ViewedTree> viewed_;
  Known known_;
};

TEST_F(NamespaceRepair, MendsEachRule) {
  for (const bool seals : {false, true}) {
    for (const Damage& each : damages()) {
      open();
      known_ = make_known_tree(*viewed_, seals);
      delta::Batch batch;
      each.make(batch, known_);
      apply(batch);
      EXPECT_NE(repair(), "") << each.name;
      expect_sound(each.name);
      EXPECT_EQ(repair(), "") << each.name;
      viewed_->reopen();
      expect_sound(each.name);
    }
  }
}

TEST_F(NamespaceRepair, SaysWhatItDoes) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"attributes of a file", "record: its attributes were made anew, for its owner root alone\n"},
      {"attributes of the image", "record: it has its attributes of the image again\n"},
      {"a name of nobody's", "dangling-name: the name was dropped\n"},
      {"an ended object of the image",
       "dangling-name: the object has its attributes of the image again\n"},
      {"a directory with two names", "directory-names: further names were dropped\n"},
      {"no record of a name", "unrecorded-name: the record was written\n"},
      {"no target", "target: the symlink was dropped\ndangling-name: the name was dropped\n"},
      {"links of a file", "link-count: counted again\n"}};
  for (const auto& [name, action] : cases) {
    open();
    known_ = make_known_tree(*viewed_, false);
    damage(name);
    EXPECT_EQ(repair(), action) << name;
  }
}

// One after the other: findings that the first repair mends do not come again.
TEST_F(NamespaceRepair, MendsAFewFindingsAtATime) {
  const std::string once = "link-count: counted again\n";
  for (const std::size_t findings_max : {std::size_t{1}, view::kFindingsMax}) {
    open();
    known_ = make_known_tree(*viewed_, false);
    damage("links of a directory");
    damage("names of a directory");
    EXPECT_EQ(repair(findings_max),
              findings_max == 1 ? once : once + "child-count: counted again\n");
    expect_sound("a few at a time");
  }
}

TEST_F(NamespaceRepair, GivesADamagedNameBackToItsObject) {
  open();
  known_ = make_known_tree(*viewed_, false);
  const auto before = all();
  damage("a dentry");
  EXPECT_EQ(repair(), "record: it leads to object " + std::to_string(known_["n"]) +
                          " again, which has a record of it\n");
  EXPECT_EQ(value_of(viewed_->view().lookup(known_["d"], "n")).object, known_["n"]);
  EXPECT_EQ(all().size(), before.size());
}

// The object is invisible, so it may wait for a repair.
TEST_F(NamespaceRepair, ADamagedObjectThatIsToEndKeepsNoViewFromOpening) {
  open();
  std::vector<view::ObjectNumber> lost;
  for (const char* name : {"damaged", "whole"}) {
    lost.push_back(value_of(viewed_->view().create(view::kRoot, name, {}, {})).object);
    value_of(viewed_->view().unlink(view::kRoot, name));
  }
  delta::Batch batch;
  batch.put(view::key_of(RecordClass::kAttributes, lost[0]), "damaged");
  apply(batch);
  viewed_->reopen();
  EXPECT_EQ(viewed_->view().attributes(lost[0]).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(viewed_->view().attributes(lost[1]).error().kind(), ErrorKind::kNotFound);
  EXPECT_FALSE(repair().empty());
  expect_sound("what is to end");
  viewed_->reopen();
  EXPECT_EQ(viewed_->view().attributes(lost[0]).error().kind(), ErrorKind::kNotFound);
}

// If the count were 0, removing the name would wrap it to the largest number.
TEST_F(NamespaceRepair, ANameOfAnObjectWithoutLinksIsNotRemovedBefore) {
  open();
  const auto file = value_of(viewed_->view().create(view::kRoot, "n", {}, {})).object;
  delta::Batch batch;
  batch.set_field(view::key_of(RecordClass::kAttributes, file), view::field::kLinkCount, 0);
  apply(batch);
  EXPECT_EQ(viewed_->view().unlink(view::kRoot, "n").error().kind(), ErrorKind::kCorrupt);
  EXPECT_FALSE(repair().empty());
  EXPECT_EQ(value_of(viewed_->view().unlink(view::kRoot, "n")).attributes.link_count, 0U);
}

TEST_F(NamespaceRepair, SavesWhatIsLostUnderLostAndFound) {
  open();
  known_ = make_known_tree(*viewed_, true);
  value_of(viewed_->view().create(kRoot, "lost+found", {}, {}));
  damage("a lost directory of the image");
  damage("a lost file");
  damage("a circle");
  EXPECT_NE(repair().find("nameless: it is /lost+found.1/#"), std::string::npos);
  viewed_->reopen();
  auto& view = viewed_->view();
  const auto found = value_of(view.lookup(kRoot, "lost+found.1"));
  EXPECT_EQ(found.attributes.mode, format::kTypeDirectory | 0700U);
  EXPECT_EQ(found.attributes.mtime, (Time{5, 6}));
  EXPECT_EQ(found.attributes.children, 3U);
  EXPECT_EQ(found.attributes.link_count, 4U);
  const auto is_there = [&](const char* of) {
    const auto entry = value_of(view.lookup(found.object, "#" + std::to_string(known_[of])));
    EXPECT_EQ(entry.object, known_[of]);
    return entry.object;
  };
  EXPECT_TRUE(view.lookup(is_there("u"), "v"));
  EXPECT_TRUE(view.lookup(is_there("nd"), "deep"));
  is_there("m");
  EXPECT_GT(value_of(view.create(kRoot, "later", {}, {})).object, found.object);
}

TEST_F(NamespaceRepair, MakesDamagedAttributesOfTheTypeThatANameTells) {
  open();
  known_ = make_known_tree(*viewed_, false);
  const auto fifo = value_of(viewed_->view().create(kRoot, "p", {format::kTypeFifo, 0}, {})).object;
  delta::Batch batch;
  batch.put(view::key_of(RecordClass::kAttributes, fifo), "short");
  apply(batch);
  repair();
  const auto attributes = value_of(viewed_->view().attributes(fifo));
  EXPECT_EQ(attributes.mode, format::kTypeFifo | 0600U);
  EXPECT_EQ(attributes.link_count, 1U);
}

// The size becomes the end of the contents, so that all of them stay within reach.
TEST_F(NamespaceRepair, MakesDamagedAttributesAsLongAsTheContents) {
  open();
  known_ = make_known_tree(*viewed_, false);
  view::View& view = viewed_->view();
  const auto file = value_of(view.create(kRoot, "contents", {}, {})).object;
  const std::string text(3000, 't');
  value_of(view.write(file, 5000, as_bytes(text)));
  expect_ok(view.zero(file, 7900, 5000, view::ZeroMode::kGrow));
  delta::Batch batch;
  batch.put(view::key_of(RecordClass::kAttributes, file), "short");
  apply(batch);
  repair();
  EXPECT_EQ(value_of(viewed_->view().attributes(file)).size_bytes, 7900U);
  Buffer out(10'000);
  ASSERT_EQ(value_of(viewed_->view().read(file, 0, out)), 7900U);
  EXPECT_EQ(out[4999], 0);
  EXPECT_EQ(as_text(Bytes(out).subspan(5000, 2900)), text.substr(0, 2900));
}

TEST_F(NamespaceRepair, KeepsTheNameThatTheParentAgreesWith) {
  open();
  known_ = make_known_tree(*viewed_, false);
  const auto before = all();
  damage("a directory with two names");
  repair();
  const auto after = all();
  EXPECT_TRUE(after.contains("/nd"));
  EXPECT_FALSE(after.contains("/e/again"));
  EXPECT_EQ(after.size(), before.size());
  // The other way round: the wrong name comes first.
  delta::Batch batch;
  const view::Dentry dentry{known_["sub"], format::kTypeDirectory, true};
  batch.put(view::key_of(RecordClass::kDentry, kRoot, "a"), view::encode_dentry(dentry));
  batch.put(view::name_key(known_["sub"], kRoot, "a"), {});
  apply(batch);
  repair();
  EXPECT_TRUE(all().contains("/e/moved"));
  EXPECT_FALSE(all().contains("/a"));
}

TEST_F(NamespaceRepair, MendsWhatIsDamagedAtRandomAndLeavesTheRest) {
  std::size_t unchanged = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    open();
    change_at_random(viewed_->view(), seed, 150);
    if (chance.below(2) == 0) viewed_->seal();
    change_at_random(viewed_->view(), seed + 1000, 150);
    viewed_->reopen();
    const auto before = all();
    delta::Batch batch;
    const auto change = damage_at_random(layers(), chance, batch);
    apply(batch);
    repair(seed % 2 == 0 ? view::kFindingsMax : 2);
    expect_sound("after the repair");
    viewed_->reopen();
    expect_sound("after that");
    unchanged += expect_unchanged(before, all(), change);
  }
  EXPECT_GT(unchanged, 100U);
}

}  // namespace
}  // namespace dgfs::test
