// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Streams of names while the directory changes.
#include "delta/view/listing.h"

#include <set>

#include "delta/view/record/keys.h"
#include "format/header/section.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "tests/delta/view/view_fixture.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::Listing;
using view::ListingCookie;
using view::ListingName;
using view::ObjectNumber;

class ViewListing : public testing::Test {
 protected:
  ViewListing() {
    tree_.tree().directory("d");
    for (int i = 0; i < 100; ++i) tree_.tree().file("d/" + name_of(i), "x");
    tree_.open();
    directory_ = value_of(view().lookup(kRoot, "d")).object;
  }

  [[nodiscard]] static std::string name_of(int i) {
    auto digits = std::to_string(i);
    return "n" + std::string(4 - digits.size(), '0') + digits;
  }
  [[nodiscard]] view::View& view() { return tree_.view(); }
  [[nodiscard]] std::unique_ptr<Listing> stream() {
    return value_of(view().open_listing(directory_));
  }
  // Reads one reply of at most `count` names; the cookie then stands behind it.
  static std::vector<std::string> read(Listing& listing, ListingCookie& cookie, std::size_t count,
                                       std::vector<ListingCookie>* cookies = nullptr) {
    std::vector<std::string> names;
    expect_ok(listing.read(cookie, false, [&](const ListingName& name) {
      if (names.size() == count) return false;
      names.emplace_back(name.name);
      cookie = name.cookie;
      if (cookies != nullptr) cookies->push_back(cookie);
      return true;
    }));
    return names;
  }
  void create(std::string_view name) { value_of(view().create(directory_, name, {}, {})); }
  void unlink(std::string_view name) {
    expect_ok(view().release(value_of(view().unlink(directory_, name)).object));
  }

  ViewedTree tree_;
  ObjectNumber directory_ = 0;
};

TEST_F(ViewListing, BeginsWithTheDirectoryAndItsParent) {
  const auto listing = stream();
  std::vector<std::string> names;
  expect_ok(listing->read(0, true, [&](const ListingName& name) {
    names.emplace_back(name.name);
    EXPECT_EQ(format::type_of(name.attributes->mode), name.type);
    if (names.size() == 1) {
      EXPECT_EQ(name.object, directory_);
    }
    if (names.size() == 2) {
      EXPECT_EQ(name.object, kRoot);
    }
    return names.size() < 5;
  }));
  EXPECT_EQ(names, (std::vector<std::string>{".", "..", "n0000", "n0001", "n0002"}));
}

TEST_F(ViewListing, GoesOnBehindEachName) {
  const auto listing = stream();
  ListingCookie cookie = 0;
  std::vector<std::string> all;
  for (;;) {
    const auto names = read(*listing, cookie, 7);
    if (names.empty()) break;
    all.insert(all.end(), names.begin(), names.end());
  }
  EXPECT_EQ(all.size(), 102U);
  EXPECT_EQ(all.back(), "n0099");
  EXPECT_TRUE(read(*listing, cookie, 7).empty()) << "a stream at its end gives no more names";
}

TEST_F(ViewListing, APlaceInTheLastReplyIsExact) {
  const auto listing = stream();
  std::vector<ListingCookie> cookies;
  ListingCookie cookie = 0;
  const auto names = read(*listing, cookie, 20, &cookies);
  for (std::size_t i = 0; i + 1 < 10; ++i) {
    const auto again = stream();
    ListingCookie place = cookies[i];
    EXPECT_EQ(read(*again, place, 1).front(), names[i + 1])
        << "a cookie is valid for another stream, too";
  }
}

TEST_F(ViewListing, APlaceInAnEarlierReplyIsExact) {
  const auto listing = stream();
  std::vector<ListingCookie> cookies;
  std::vector<std::string> names;
  ListingCookie cookie = 0;
  for (int reply = 0; reply < 8; ++reply) {
    const auto more = read(*listing, cookie, 5, &cookies);
    names.insert(names.end(), more.begin(), more.end());
  }
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    ListingCookie place = cookies[i];
    EXPECT_EQ(read(*listing, place, 1).front(), names[i + 1]);
  }
}

TEST_F(ViewListing, APlaceIsFoundByAnyLaterListing) {
  ListingCookie cookie = 0;
  { read(*stream(), cookie, 12); }
  for (int i = 0; i < 2000; ++i) {
    ListingCookie other = 0;
    read(*stream(), other, 1);
  }
  auto place = cookie;
  EXPECT_EQ(read(*stream(), place, 1).front(), "n0010");
  tree_.reopen();
  place = cookie;
  EXPECT_EQ(read(*stream(), place, 1).front(), "n0010") << "also when the view was opened again";
}

// Both have one code, as they differ only far behind their beginnings.
TEST_F(ViewListing, ANameThatIsMadeBehindAPlaceComes) {
  const std::string name(254, 'x');
  create(name);
  const auto listing = stream();
  ListingCookie cookie = 0;
  EXPECT_EQ(read(*listing, cookie, 200).back(), name);
  create(name + "x");
  create(std::string(253, 'x'));
  EXPECT_EQ(read(*listing, cookie, 200), std::vector<std::string>{name + "x"});
}

TEST_F(ViewListing, EachNameHasAPlaceOfItsOwn) {
  const auto listing = stream();
  std::vector<ListingCookie> cookies;
  ListingCookie cookie = 0;
  EXPECT_EQ(read(*listing, cookie, 200, &cookies).size(), 102U);
  EXPECT_EQ(std::set(cookies.begin(), cookies.end()).size(), cookies.size());
  for (const ListingCookie each : cookies) EXPECT_LT(each, ListingCookie{1} << 63U);
}

// A cookie of an anchor that no name can have been.
TEST_F(ViewListing, APlaceThatNobodyKnowsIsRefused) {
  const auto refused = stream()->read((ListingCookie{1} << 62U) + 12345, false,
                                      [](const ListingName&) { return true; });
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalidArgument);
}

TEST_F(ViewListing, AllThatIsListedMayBeRemovedMeanwhile) {
  const auto listing = stream();
  ListingCookie cookie = 0;
  int removed = 0;
  for (;;) {
    const auto names = read(*listing, cookie, 6);
    if (names.empty()) break;
    for (const auto& name : names) {
      if (name == "." || name == "..") continue;
      unlink(name);
      ++removed;
    }
  }
  EXPECT_EQ(removed, 100);
  expect_ok(view().release(value_of(view().remove_directory(kRoot, "d")).object));
  EXPECT_EQ(listing->read(0, false, [](const ListingName&) { return true; }).error().kind(),
            ErrorKind::kNotFound);
}

// The parent may have ended: ".." would lead to no object.
TEST_F(ViewListing, ARemovedDirectoryHasNoNames) {
  const auto parent = value_of(view().make_directory(kRoot, "p", 0755, {})).object;
  const auto child = value_of(view().make_directory(parent, "c", 0755, {})).object;
  const auto before = value_of(view().open_listing(child));
  ListingCookie cookie = 0;
  EXPECT_EQ(read(*before, cookie, 1), std::vector<std::string>{"."});
  value_of(view().remove_directory(parent, "c"));
  expect_ok(view().release(value_of(view().remove_directory(kRoot, "p")).object));
  EXPECT_TRUE(read(*before, cookie, 9).empty());
  const auto after = value_of(view().open_listing(child));
  for (const bool wants_attributes : {false, true}) {
    expect_ok(after->read(0, wants_attributes, [](const ListingName& name) {
      ADD_FAILURE() << name.name;
      return true;
    }));
  }
}

// Names with even numbers stay; others come and go, are renamed over, sealed and opened again.
TEST_F(ViewListing, ANameThatStaysComesOnceWhateverHappensToOthers) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    auto listing = stream();
    ListingCookie cookie = 0;
    std::multiset<std::string> seen;
    for (;;) {
      const auto names = read(*listing, cookie, 1 + random.below(9));
      if (names.empty()) break;
      seen.insert(names.begin(), names.end());
      for (int i = 0; i < 5; ++i) {
        const auto name = name_of(static_cast<int>(random.below(60)) * 2 + 1);
        const bool is_there = static_cast<bool>(view().lookup(directory_, name));
        if (!is_there) {
          create(name);
        } else if (random.one_in(2)) {
          unlink(name);
        } else {
          const auto renamed = value_of(view().rename(
              directory_, name, directory_, name_of(2 * static_cast<int>(random.below(60)) + 1)));
          expect_ok(view().release(renamed.replaced.object));
        }
      }
    }
    for (int i = 0; i < 100; i += 2) EXPECT_EQ(seen.count(name_of(i)), 1U) << seed << " " << i;
    for (const auto& name : seen) EXPECT_EQ(seen.count(name), 1U) << name;
    listing = nullptr;
    if (seed % 7 == 6) tree_.seal();
  }
}

TEST_F(ViewListing, GoesOnBehindAnObjectWhoseRecordIsDamaged) {
  const auto lost = value_of(view().lookup(directory_, name_of(40))).object;
  delta::Batch batch;
  batch.put(view::key_of(view::RecordClass::kAttributes, lost), "no record");
  ASSERT_TRUE(tree_.delta().newest().apply(batch));
  std::size_t count = 0;
  expect_ok(stream()->read(0, true, [&](const ListingName& name) {
    ++count;
    EXPECT_EQ(name.attributes == nullptr, name.object == lost) << name.name;
    EXPECT_EQ(name.lost != nullptr, name.object == lost) << name.name;
    if (name.lost != nullptr) {
      EXPECT_EQ(name.name, name_of(40));
      EXPECT_EQ(name.lost->kind(), ErrorKind::kCorrupt);
    }
    return true;
  }));
  EXPECT_EQ(count, 102U);
}

// Overwrites the last page of names in both copies of the index.
void lose_last_page(storage::Env& env, const format::Superblock& superblock) {
  const auto pages = superblock.section(format::SectionKind::kPages);
  ASSERT_GT(pages.length_bytes, 2 * format::kPageBytes);
  const auto place = pages.offset_bytes + pages.length_bytes - format::kPageBytes;
  const auto image = value_of(env.open(kImage, {storage::OpenOptions::Mode::kReadWrite}));
  Buffer header(format::kPageBytes);
  expect_ok(storage::read_exactly(*image, 0, header));
  const auto copy = value_of(format::decode_volume_header(header)).index_offset;
  expect_ok(image->write_at(copy + place, Buffer(format::kPageBytes)));
  const auto index = value_of(env.open(kIndex, {storage::OpenOptions::Mode::kReadWrite}));
  expect_ok(index->write_at(place, Buffer(format::kPageBytes)));
}

// Names behind a lost page are none of a reply: the next one would go on behind the page, and the
// loss would not show.
TEST(ViewListingOfALostPage, EndsBeforeThePage) {
  constexpr std::size_t kNames = 3000;
  ViewedTree tree;
  tree.tree().directory("d");
  // Names that compress badly, so that they take several pages.
  const auto name_of = [](std::size_t i) {
    return std::to_string(10'000 + i) + std::to_string(i * 0x9E3779B97F4A7C15U);
  };
  for (std::size_t i = 0; i < kNames; ++i) tree.tree().file("d/" + name_of(i), "x");
  tree.open();
  const auto directory = value_of(tree.view().lookup(kRoot, "d")).object;
  value_of(tree.view().create(directory, "z", {}, {}));
  lose_last_page(tree.tree().memory(), tree.image().superblock());
  tree.reopen_image();
  const auto listing = value_of(tree.view().open_listing(directory));
  for (const bool wants_attributes : {false, true}) {
    std::vector<std::string> names;
    const auto read = listing->read(0, wants_attributes, [&](const ListingName& name) {
      names.emplace_back(name.name);
      return true;
    });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt);
    ASSERT_GT(names.size(), 3U);
    ASSERT_LT(names.size(), kNames);
    EXPECT_EQ(names.back(), name_of(names.size() - 3)) << "behind . and ..";
  }
}

}  // namespace
}  // namespace dgfs::test
