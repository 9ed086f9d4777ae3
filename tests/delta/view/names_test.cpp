// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Names that hide each other across layers, one case after the other.
#include "delta/view/record/dentry.h"
#include "delta/view/record/keys.h"
#include "format/entry/access_list.h"
#include "tests/delta/view/view_fixture.h"

namespace dgfs::test {
namespace {

using view::Entry;
using view::kRoot;
using view::ObjectNumber;
using view::RenameMode;

class ViewNames : public testing::Test {
 protected:
  ViewNames() {
    tree().directory("d");
    tree().file("d/f", "of the image");
    tree().file("d/g", "likewise");
    tree().directory("d/sub");
    tree().file("d/sub/x", "deep");
    tree().symlink("s", "d/f");
    tree().directory("e");
    viewed_.open();
  }

  [[nodiscard]] PackedTree& tree() { return viewed_.tree(); }
  [[nodiscard]] view::View& view() { return viewed_.view(); }

  [[nodiscard]] Result<Entry> find(std::string_view path) {
    Entry entry{kRoot, {}};
    while (!path.empty()) {
      const auto slash = path.find('/');
      DGFS_TRY(next, view().lookup(entry.object, path.substr(0, slash)));
      entry = next;
      path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return entry;
  }
  [[nodiscard]] ObjectNumber object(std::string_view path) { return value_of(find(path)).object; }
  [[nodiscard]] bool is_there(std::string_view path) { return static_cast<bool>(find(path)); }
  [[nodiscard]] ErrorKind error(std::string_view path) { return find(path).error().kind(); }
  [[nodiscard]] std::string listing(ObjectNumber directory) {
    std::string names;
    expect_ok(view().list(directory, "", [&](const view::View::ListedName& listed) {
      names += std::string(listed.name) + " ";
      return true;
    }));
    return names;
  }
  ObjectNumber create(ObjectNumber directory, std::string_view name) {
    return value_of(view().create(directory, name, {}, {})).object;
  }
  ObjectNumber make_directory(ObjectNumber directory, std::string_view name) {
    return value_of(view().make_directory(directory, name, 0755, {})).object;
  }
  void unlink(ObjectNumber directory, std::string_view name) {
    const auto entry = value_of(view().unlink(directory, name));
    expect_ok(view().release(entry.object));
  }
  void remove_directory(ObjectNumber directory, std::string_view name) {
    const auto entry = value_of(view().remove_directory(directory, name));
    expect_ok(view().release(entry.object));
  }
  void rename(ObjectNumber from, std::string_view old_name, ObjectNumber to,
              std::string_view new_name) {
    const auto renamed = value_of(view().rename(from, old_name, to, new_name));
    if (renamed.replaced.object != 0) expect_ok(view().release(renamed.replaced.object));
  }
  void seal() { viewed_.seal(); }

  ViewedTree viewed_;
};

TEST_F(ViewNames, OfTheImageAreThere) {
  EXPECT_EQ(listing(kRoot), "d e s ");
  EXPECT_EQ(listing(object("d")), "f g sub ");
  EXPECT_EQ(value_of(find("d")).attributes.children, 3U);
  EXPECT_EQ(value_of(find("d")).attributes.link_count, 3U);
  EXPECT_EQ(value_of(view().read_link(object("s"))), "d/f");
  EXPECT_EQ(error("d/none"), ErrorKind::kNotFound);
  EXPECT_EQ(error("d/f/none"), ErrorKind::kNotDirectory);
  EXPECT_EQ(object("d/sub/.."), object("d"));
  EXPECT_EQ(object(".."), kRoot);
}

TEST_F(ViewNames, AreMadeAndGoAgainAndLeaveNothing) {
  const auto directory = object("d");
  const auto made = create(directory, "h");
  EXPECT_GE(made, viewed_.image().superblock().next_inode);
  EXPECT_EQ(listing(directory), "f g h sub ");
  EXPECT_EQ(value_of(view().paths(made)), std::vector<std::string>{"d/h"});
  unlink(directory, "h");
  EXPECT_EQ(listing(directory), "f g sub ");
  EXPECT_EQ(view().attributes(made).error().kind(), ErrorKind::kNotFound);
  viewed_.reopen();
  EXPECT_EQ(value_of(find("d")).attributes.children, 3U);
}

TEST_F(ViewNames, AnObjectOfTheImageDiesByItsWhiteoutAlone) {
  const auto file = object("d/f");
  const auto entry = value_of(view().unlink(object("d"), "f"));
  EXPECT_EQ(entry.attributes.link_count, 0U);
  EXPECT_EQ(value_of(view().attributes(file)).link_count, 0U);
  EXPECT_TRUE(value_of(view().paths(file)).empty());
  EXPECT_FALSE(viewed_.delta().newest().may_have('A', file));
  EXPECT_FALSE(viewed_.delta().newest().may_have('O', file));
  // The first record of the file in the store gets the mark.
  value_of(view().set_attributes(file, {0600, {}, {}, {}, {}}));
  EXPECT_TRUE(viewed_.delta().newest().may_have('O', file));
  EXPECT_EQ(value_of(view().attributes(file)).link_count, 0U);
  expect_ok(view().release(file));
  EXPECT_EQ(view().attributes(file).error().kind(), ErrorKind::kNotFound);
}

TEST_F(ViewNames, PutOverANameOfTheImageAndUnlinkedAfterASeal) {
  unlink(object("d"), "f");
  create(object("d"), "f");
  seal();
  EXPECT_TRUE(is_there("d/f"));
  unlink(object("d"), "f");
  EXPECT_EQ(error("d/f"), ErrorKind::kNotFound);
  seal();
  EXPECT_EQ(error("d/f"), ErrorKind::kNotFound);
  EXPECT_EQ(listing(object("d")), "g sub ");
}

TEST_F(ViewNames, ThatNoLayerHadSealedUnlinkedAndCreatedAgain) {
  create(object("d"), "n");
  seal();
  unlink(object("d"), "n");
  EXPECT_FALSE(is_there("d/n"));
  const auto again = create(object("d"), "n");
  EXPECT_EQ(object("d/n"), again);
  unlink(object("d"), "n");
  EXPECT_FALSE(is_there("d/n"));
  seal();
  EXPECT_FALSE(is_there("d/n"));
  EXPECT_EQ(value_of(find("d")).attributes.children, 3U);
}

TEST_F(ViewNames, ABaseDirectoryIsRenamedAndItsOldNameUsedAgain) {
  const auto directory = object("d");
  rename(kRoot, "d", object("e"), "moved");
  EXPECT_EQ(object("e/moved"), directory);
  EXPECT_TRUE(is_there("e/moved/sub/x"));
  EXPECT_EQ(object("e/moved/.."), object("e"));
  EXPECT_FALSE(is_there("d"));
  const auto again = make_directory(kRoot, "d");
  EXPECT_EQ(listing(again), "");
  create(again, "f");
  EXPECT_EQ(listing(object("e/moved")), "f g sub ");
  EXPECT_EQ(value_of(view().paths(object("e/moved/sub/x"))),
            std::vector<std::string>{"e/moved/sub/x"});
  seal();
  EXPECT_EQ(listing(object("d")), "f ");
  EXPECT_EQ(value_of(find("e")).attributes.link_count, 3U);
}

TEST_F(ViewNames, ARemovedDirectoryShowsNothingOfTheImage) {
  const auto directory = object("d/sub");
  EXPECT_EQ(view().remove_directory(object("d"), "sub").error().kind(), ErrorKind::kNotEmpty);
  unlink(directory, "x");
  value_of(view().remove_directory(object("d"), "sub"));
  EXPECT_EQ(listing(directory), "");
  EXPECT_EQ(view().lookup(directory, "x").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(view().create(directory, "y", {}, {}).error().kind(), ErrorKind::kNotFound);
  expect_ok(view().release(directory));
  EXPECT_EQ(view().lookup(directory, "x").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(value_of(find("d")).attributes.link_count, 2U);
}

TEST_F(ViewNames, RenameOverItselfAndOverAHardLinkOfItselfDoesNothing) {
  const auto directory = object("d");
  rename(directory, "f", directory, "f");
  value_of(view().link(object("d/f"), kRoot, "l"));
  rename(directory, "f", kRoot, "l");
  EXPECT_TRUE(is_there("d/f"));
  EXPECT_TRUE(is_there("l"));
  EXPECT_EQ(value_of(find("l")).attributes.link_count, 2U);
  EXPECT_EQ(value_of(view().paths(object("l"))), (std::vector<std::string>{"d/f", "l"}));
}

TEST_F(ViewNames, ADirectoryDoesNotGoIntoItself) {
  const auto rename_kind = [&](ObjectNumber from, std::string_view old_name, ObjectNumber to,
                               std::string_view new_name) {
    return view().rename(from, old_name, to, new_name).error().kind();
  };
  EXPECT_EQ(rename_kind(kRoot, "d", object("d"), "in"), ErrorKind::kInvalidArgument);
  EXPECT_EQ(rename_kind(kRoot, "d", object("d/sub"), "in"), ErrorKind::kInvalidArgument);
  EXPECT_EQ(rename_kind(object("d/sub"), "x", kRoot, "d"), ErrorKind::kNotEmpty);
  EXPECT_EQ(rename_kind(kRoot, "s", kRoot, "d"), ErrorKind::kIsDirectory);
  EXPECT_EQ(rename_kind(kRoot, "d", kRoot, "s"), ErrorKind::kNotDirectory);
  EXPECT_EQ(rename_kind(kRoot, "e", kRoot, "d"), ErrorKind::kNotEmpty);
  rename(kRoot, "d", kRoot, "e");
  EXPECT_EQ(listing(kRoot), "e s ");
}

TEST_F(ViewNames, DirectoriesThatLieInEachOtherAreDamageAndNoHang) {
  using view::RecordClass;
  const auto d = object("d");
  const auto e = object("e");
  delta::Batch batch;
  batch.put(view::key_of(RecordClass::kParent, d), view::number_value(e));
  batch.put(view::key_of(RecordClass::kParent, e), view::number_value(d));
  batch.remove(view::key_of(RecordClass::kDentry, kRoot, "d"));
  batch.put(view::name_key(d, e, "d"), "");
  batch.put(view::key_of(RecordClass::kDentry, kRoot, "e"),
            view::encode_dentry({object("d/sub"), format::kTypeDirectory, true}));
  batch.put(view::name_key(e, d, "e"), "");
  value_of(viewed_.delta().newest().apply(batch));
  EXPECT_EQ(view().paths(d).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(view().rename(kRoot, "e", d, "in").error().kind(), ErrorKind::kCorrupt);
}

TEST_F(ViewNames, AreExchanged) {
  const auto file = object("d/f");
  const auto directory = object("e");
  value_of(view().rename(object("d"), "f", kRoot, "e", RenameMode::kExchange));
  EXPECT_EQ(object("e"), file);
  EXPECT_EQ(object("d/f"), directory);
  EXPECT_EQ(object("d/f/.."), object("d"));
  EXPECT_EQ(value_of(view().attributes(kRoot)).link_count, 3U);
  EXPECT_EQ(value_of(find("d")).attributes.link_count, 4U);
}

TEST_F(ViewNames, AWhiteoutDeviceStandsForARenamedName) {
  value_of(view().rename(object("d"), "f", kRoot, "f", RenameMode::kReplace,
                         view::Credentials{1000, 100, 0}));
  const auto entry = value_of(find("d/f"));
  EXPECT_EQ(entry.attributes.mode, format::kTypeCharacterDevice);
  EXPECT_EQ(entry.attributes.uid, 1000U);
  EXPECT_EQ(entry.attributes.gid, 100U);
  EXPECT_EQ(entry.attributes.rdev, 0U);
  EXPECT_EQ(value_of(find("d")).attributes.children, 3U);
}

TEST_F(ViewNames, TheLastNamesGoOneAfterTheOther) {
  const auto file = create(kRoot, "a");
  value_of(view().link(file, kRoot, "b"));
  EXPECT_EQ(value_of(view().unlink(kRoot, "a")).attributes.link_count, 1U);
  EXPECT_EQ(value_of(view().unlink(kRoot, "b")).attributes.link_count, 0U);
  EXPECT_EQ(view().link(file, kRoot, "c").error().kind(), ErrorKind::kNotFound);
  expect_ok(view().release(file));
}

TEST_F(ViewNames, AnObjectMadeWithoutANameGetsOne) {
  const auto file = value_of(view().create_unnamed(kRoot, 0600, {}));
  EXPECT_EQ(file.attributes.link_count, 0U);
  EXPECT_EQ(value_of(view().link(file.object, kRoot, "n")).attributes.link_count, 1U);
  expect_ok(view().release(file.object));
  EXPECT_EQ(object("n"), file.object);
  viewed_.reopen();
  EXPECT_EQ(object("n"), file.object);
}

TEST_F(ViewNames, ASymlinkHasNoAccessLists) {
  const auto link = value_of(view().make_symlink(kRoot, "l", "t", {})).object;
  for (const auto name : {format::kAccessListXattr, format::kDefaultListXattr}) {
    EXPECT_EQ(view().xattr(link, name).error().kind(), ErrorKind::kUnsupported);
    EXPECT_EQ(view().set_xattr(link, name, {}).error().kind(), ErrorKind::kUnsupported);
    EXPECT_EQ(view().remove_xattr(link, name).error().kind(), ErrorKind::kUnsupported);
  }
}

TEST_F(ViewNames, AnAccessListThatIsNotThereIsRemovedWithoutAChange) {
  const auto file = create(kRoot, "a");
  const auto before = value_of(view().attributes(file));
  expect_ok(view().set_xattr(file, format::kAccessListXattr, {}));
  expect_ok(view().remove_xattr(file, format::kAccessListXattr));
  EXPECT_EQ(value_of(view().attributes(file)), before);
}

TEST_F(ViewNames, OrphansEndWhenTheViewIsOpenedAgain) {
  const auto file = create(kRoot, "a");
  value_of(view().unlink(kRoot, "a"));
  EXPECT_EQ(value_of(view().attributes(file)).link_count, 0U);
  viewed_.reopen();
  EXPECT_EQ(view().attributes(file).error().kind(), ErrorKind::kNotFound);
}

TEST_F(ViewNames, NumbersAreNeverGivenTwice) {
  std::set<ObjectNumber> numbers;
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 40; ++i) {
      const auto name = std::to_string(round) + "." + std::to_string(i);
      EXPECT_TRUE(numbers.insert(create(i % 2 == 0 ? kRoot : object("e"), name)).second);
    }
    round % 2 == 0 ? viewed_.reopen() : seal();
  }
}

// The image lists the names of its links.
TEST(ViewLinks, OfTheImageLeadToTheirObjectWhicheverIsLeft) {
  ViewedTree viewed;
  viewed.tree().directory("d");
  viewed.tree().file("a", "linked");
  viewed.tree().link("a", "d/b");
  viewed.open();
  const auto file = value_of(viewed.view().lookup(kRoot, "a")).object;
  const auto directory = value_of(viewed.view().lookup(kRoot, "d")).object;
  using Paths = std::vector<std::string>;
  EXPECT_EQ(value_of(viewed.view().paths(file)), (Paths{"a", "d/b"}));
  EXPECT_EQ(value_of(viewed.view().unlink(kRoot, "a")).attributes.link_count, 1U);
  EXPECT_EQ(value_of(viewed.view().paths(file)), Paths{"d/b"});
  value_of(viewed.view().rename(directory, "b", kRoot, "r"));
  EXPECT_EQ(value_of(viewed.view().paths(file)), Paths{"r"});
  viewed.seal();
  EXPECT_EQ(value_of(viewed.view().unlink(kRoot, "r")).attributes.link_count, 0U);
}

}  // namespace
}  // namespace dgfs::test
