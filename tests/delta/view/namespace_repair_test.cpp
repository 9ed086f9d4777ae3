// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What a repair does of each rule that is broken, and of damage at random.
#include "delta/view/namespace_repair.h"

#include <algorithm>
#include <set>

#include "delta/view/namespace_check.h"
#include "delta/view/object_facts.h"
#include "tests/delta/view/namespace_damage.h"
#include "tests/delta/view/random_changes.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::ObjectNumber;
using view::RecordClass;

// A tree whose records are damaged, and mended.
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
  [[nodiscard]] view::Layers layers() { return {viewed_->image(), viewed_->delta()}; }
  /// Lines of what was done.
  std::string repair() {
    std::string text;
    const auto stack = layers();
    const auto count = value_of(
        view::repair_namespace(stack, {5, 6}, [&](const auto& finding, std::string_view action) {
          text += std::string(word_of(finding.rule)) + ": " + std::string(action) + "\n";
        }));
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
  /// A path, from the root, and the objects on it.
  struct Seen {
    std::vector<ObjectNumber> objects;
    std::vector<view::NamePlace> places;
    view::Attributes attributes;
  };
  std::map<std::string, Seen> all() {
    std::map<std::string, Seen> seen;
    collect("", {{kRoot}, {}, {}}, seen);
    return seen;
  }
  void collect(const std::string& path, const Seen& above, std::map<std::string, Seen>& seen) {
    const auto directory = above.objects.back();
    expect_ok(viewed_->view().list(directory, "", [&](const view::View::ListedName& listed) {
      Seen next = above;
      next.objects.push_back(listed.object);
      next.places.push_back({directory, std::string(listed.name)});
      next.attributes = value_of(viewed_->view().attributes(listed.object));
      const auto name = path + "/" + std::string(listed.name);
      seen[name] = next;
      if (listed.type == format::kTypeDirectory) collect(name, next, seen);
      return true;
    }));
  }

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

TEST_F(NamespaceRepair, SavesWhatIsLostUnderLostAndFound) {
  open();
  known_ = make_known_tree(*viewed_, true);
  value_of(viewed_->view().create(kRoot, "lost+found", {}, {}));
  damage("a lost directory of the image");
  damage("a lost file");
  damage("a circle");
  EXPECT_NE(repair().find("nameless: it is lost+found.1/#"), std::string::npos);
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

// A record that is changed at random, and what that may change.
struct Change {
  std::set<ObjectNumber> objects;
  std::set<view::NamePlace> places;

  void note(std::string_view key, std::string_view value) {
    const auto object = view::object_of(key);
    const auto rest = view::rest_of(key);
    if (key.front() == static_cast<char>(RecordClass::kReserved)) return;
    if (key.front() != static_cast<char>(RecordClass::kDentry)) {
      objects.insert(object);
      return;
    }
    places.insert({object, std::string(rest)});
    if (const auto dentry = view::decode_dentry(value)) objects.insert(dentry->object);
  }
  [[nodiscard]] bool may_have_changed(const std::vector<ObjectNumber>& on_path,
                                      const std::vector<view::NamePlace>& names) const {
    return std::ranges::any_of(on_path, [&](auto object) { return objects.contains(object); }) ||
           std::ranges::any_of(names, [&](const auto& place) { return places.contains(place); });
  }
};

// Some of all records: dropped, cut, or with a byte that is another.
Change damage_at_random(const view::Layers& layers, Chance& chance, delta::Batch& batch) {
  Change change;
  const view::Moment moment(layers);
  auto cursor = moment.stores().cursor();
  Status moved = cursor.seek("");
  for (; moved && cursor.is_at_place(); moved = cursor.next()) {
    if (!cursor.has_message() || chance.below(20) != 0) continue;
    const auto message = value_of(cursor.message());
    if (!view::is_said(message)) continue;
    const std::string key(cursor.key());
    std::string value = message.value ? *message.value : std::string(100, '\0');
    change.note(key, value);
    const auto way = chance.below(3);
    if (way == 0 || value.empty()) {
      batch.remove(key);
      continue;
    }
    if (way == 1) value.resize(chance.below(value.size()));
    if (way == 2) value[chance.below(value.size())] ^= static_cast<char>(1 + chance.below(255));
    change.note(key, value);
    batch.put(key, value);
  }
  expect_ok(moved);
  return change;
}

TEST_F(NamespaceRepair, MendsWhatIsDamagedAtRandomAndLeavesTheRest) {
  std::size_t unchanged = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    open(false);
    change_at_random(viewed_->view(), seed, 150);
    if (chance.below(2) == 0) viewed_->seal();
    change_at_random(viewed_->view(), seed + 1000, 150);
    viewed_->reopen();
    const auto before = all();
    delta::Batch batch;
    const auto change = damage_at_random(layers(), chance, batch);
    apply(batch);
    repair();
    expect_sound("after the repair");
    viewed_->reopen();
    expect_sound("after that");
    const auto after = all();
    std::set<ObjectNumber> with_changed_names;
    for (const auto& [path, seen] : before) {
      if (change.may_have_changed(seen.objects, seen.places)) {
        with_changed_names.insert(seen.objects.back());
      }
    }
    for (const auto& [path, seen] : before) {
      if (change.may_have_changed(seen.objects, seen.places)) continue;
      ++unchanged;
      const auto now = after.find(path);
      if (now == after.end()) {
        ADD_FAILURE() << path << " is gone";
        continue;
      }
      EXPECT_EQ(now->second.objects, seen.objects) << path;
      if (format::is_directory(seen.attributes.mode)) continue;  // names in it may have gone
      if (with_changed_names.contains(seen.objects.back())) continue;
      EXPECT_EQ(now->second.attributes, seen.attributes) << path;
    }
  }
  EXPECT_GT(unchanged, 100U);
}

}  // namespace
}  // namespace dgfs::test
