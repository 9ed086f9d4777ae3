// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories of very many names: in the image, in the stores, and in both. A listing gives all of
// them in order and in bounded memory, and a caller can remove each name as it comes.
#include <algorithm>
#include <set>

#include "delta/view/listing.h"
#include "tests/delta/view/view_fixture.h"
#include "tests/support/heap_meter.h"
#include "tests/support/random.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::Listing;
using view::ListingCookie;
using view::ListingName;
using view::ObjectNumber;

constexpr std::size_t kReplyNames = 100;
// Memory for a stream's replies and the caches of image and store, with a margin.
constexpr std::size_t kListingBytesMax = std::size_t{8} << 20;

enum class Layer : std::uint8_t { kImage, kStore, kBoth };

struct Case {
  const char* name = "";
  int names = 0;
  Layer layer = Layer::kImage;
};

std::string name_of(int i) {
  const auto digits = std::to_string(i);
  return "entry-" + std::string(7 - digits.size(), '0') + digits;
}

class LargeListing : public testing::TestWithParam<Case> {
 protected:
  LargeListing() {
    tree_.options() = {};
    tree_.options().create = true;
    tree_.tree().directory("d");
    for (int i = 0; i < GetParam().names; ++i) {
      if (is_in_image(i)) tree_.tree().file("d/" + name_of(i), "");
    }
    tree_.open();
    directory_ = value_of(view().lookup(kRoot, "d")).object;
    for (int i = 0; i < GetParam().names; ++i) {
      if (is_in_image(i)) continue;
      value_of(view().create(directory_, name_of(i), {}, {}));
      // Some names are in a sealed store, the others over it.
      if (GetParam().layer == Layer::kBoth && i == GetParam().names / 2 + 1) tree_.seal();
    }
  }

  [[nodiscard]] static bool is_in_image(int i) {
    return GetParam().layer == Layer::kImage || (GetParam().layer == Layer::kBoth && i % 2 == 0);
  }
  [[nodiscard]] view::View& view() { return tree_.view(); }
  [[nodiscard]] std::unique_ptr<Listing> stream() {
    return value_of(view().open_listing(directory_));
  }
  void unlink(std::string_view name) {
    expect_ok(view().release(value_of(view().unlink(directory_, name)).object));
  }

  // Lists all names after "..", piece by piece; `visit` gets each name and its number.
  template <class Visit>
  static void read_all(Listing& listing, Visit visit) {
    ListingCookie cookie = 0;
    int names = -2;
    for (std::size_t count = kReplyNames; count == kReplyNames;) {
      count = 0;
      expect_ok(listing.read(cookie, false, [&](const ListingName& name) {
        if (count == kReplyNames) return false;
        ++count;
        cookie = name.cookie;
        if (names >= 0) visit(name.name, names);
        ++names;
        return true;
      }));
    }
  }
  // Expects all numbers from 0 on, except those for which `is_gone` holds.
  template <class IsGone>
  void expect_names(IsGone is_gone) {
    int next = 0;
    int wrong = 0;
    const auto listing = stream();
    read_all(*listing, [&](std::string_view name, int) {
      while (next < GetParam().names && is_gone(next)) ++next;
      if (name != name_of(next++)) ++wrong;
    });
    while (next < GetParam().names && is_gone(next)) ++next;
    EXPECT_EQ(next, GetParam().names);
    EXPECT_EQ(wrong, 0);
  }

  ViewedTree tree_;
  ObjectNumber directory_ = 0;
};

TEST_P(LargeListing, HasEachNameInLittleMemory) {
  expect_names([](int) { return false; });  // the caches are warm now
  const HeapMeter meter;
  expect_names([](int) { return false; });
  EXPECT_LT(meter.peak_bytes(), kListingBytesMax);
}

// Removes each third name first, then all that are left.
TEST_P(LargeListing, NamesAreRemovedAsTheyCome) {
  const auto is_third = [](int i) { return i % 3 == 0; };
  {
    const auto listing = stream();
    int removed = 0;
    read_all(*listing, [&](std::string_view name, int i) {
      EXPECT_EQ(name, name_of(i)) << "removals do not move the place of a stream";
      if (!is_third(i)) return;
      unlink(name);
      ++removed;
    });
    EXPECT_EQ(removed, (GetParam().names + 2) / 3);
  }
  expect_names(is_third);
  read_all(*stream(), [&](std::string_view name, int) { unlink(name); });
  EXPECT_EQ(value_of(view().attributes(directory_)).children, 0U);
  expect_ok(view().release(value_of(view().remove_directory(kRoot, "d")).object));
  tree_.reopen();
  EXPECT_FALSE(view().lookup(kRoot, "d"));
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Few, LargeListing,
                         testing::Values(Case{"Image", 20'000, Layer::kImage},
                                         Case{"Store", 20'000, Layer::kStore},
                                         Case{"Both", 20'000, Layer::kBoth}),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Many, LargeListing,
                         testing::Values(Case{"Image", 1'000'000, Layer::kImage},
                                         Case{"Store", 1'000'000, Layer::kStore},
                                         Case{"Both", 1'000'000, Layer::kBoth}),
                         name_of_case);

// How the names of a directory look.
enum class Names : std::uint8_t { kNumbered, kLongBeginning, kRandom, kPairs };

struct PlacesCase {
  const char* name = "";
  int names = 0;
  Layer layer = Layer::kImage;
  Names kind = Names::kNumbered;
};

// Random access to the places of a directory: each leads to the name behind it.
class ListingOrder : public testing::TestWithParam<PlacesCase> {
 protected:
  ListingOrder() {
    tree_.options() = {};
    tree_.options().create = true;
    tree_.tree().directory("d");
    Random random(seed());
    while (static_cast<int>(names_.size()) < GetParam().names) names_.insert(any_name(random));
    int i = 0;
    for (const auto& name : names_) {
      if (is_in_image(i++)) tree_.tree().file("d/" + name, "");
    }
    tree_.open();
    directory_ = value_of(view().lookup(kRoot, "d")).object;
    i = 0;
    for (const auto& name : names_) {
      if (!is_in_image(i++)) value_of(view().create(directory_, name, {}, {}));
    }
  }

  [[nodiscard]] static std::uint64_t seed() { return 17; }
  [[nodiscard]] static bool is_in_image(int i) {
    return GetParam().layer == Layer::kImage || (GetParam().layer == Layer::kBoth && i % 2 == 0);
  }
  [[nodiscard]] view::View& view() { return tree_.view(); }

  [[nodiscard]] std::string any_name(Random& random) const {
    const auto number = std::to_string(10'000'000 + names_.size());
    switch (GetParam().kind) {
      case Names::kNumbered:
        return "f" + number;
      case Names::kLongBeginning:
        return "pictures of the long holiday in 2014, second week, number " + number + ".jpg";
      case Names::kRandom: {
        std::string name;
        while (name.size() < 20) name.push_back("0123456789abcdef"[random.below(16)]);
        return name;
      }
      case Names::kPairs:
        return "photo-" + std::to_string(10'000'000 + names_.size() / 2) +
               "-with-a-long-end-of-its-name" + (names_.size() % 2 == 0 ? ".jpg" : ".jpg.xmp");
    }
    return number;
  }

  // All names with their places, listed in replies of 100.
  [[nodiscard]] std::vector<std::pair<std::string, ListingCookie>> list_all() {
    std::vector<std::pair<std::string, ListingCookie>> all;
    ListingCookie cookie = view::kBehindParent;
    const auto listing = value_of(view().open_listing(directory_));
    for (std::size_t before = 1; before != all.size();) {
      before = all.size();
      expect_ok(listing->read(cookie, false, [&](const ListingName& name) {
        if (all.size() == before + kReplyNames) return false;
        all.emplace_back(name.name, cookie = name.cookie);
        return true;
      }));
    }
    return all;
  }
  // The first name behind a place that is one of `names_`; empty: there is none.
  [[nodiscard]] std::string behind(ListingCookie cookie) {
    std::string found;
    expect_ok(value_of(view().open_listing(directory_))
                  ->read(cookie, false, [&](const ListingName& name) {
                    if (!names_.contains(std::string(name.name))) return true;
                    found = name.name;
                    return false;
                  }));
    return found;
  }
  // @return places that lead elsewhere
  [[nodiscard]] int count_wrong(const std::vector<std::pair<std::string, ListingCookie>>& all,
                                std::size_t step) {
    int wrong = 0;
    for (std::size_t i = 0; i < all.size(); i += step) {
      const auto next = names_.upper_bound(all[i].first);
      if (behind(all[i].second) != (next == names_.end() ? "" : *next)) ++wrong;
    }
    return wrong;
  }

  ViewedTree tree_;
  ObjectNumber directory_ = 0;
  std::set<std::string> names_;
};

TEST_P(ListingOrder, EachPlaceLeadsToTheNextName) {
  const auto all = list_all();
  ASSERT_EQ(all.size(), names_.size());
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &std::pair<std::string, ListingCookie>::first));
  std::set<ListingCookie> places;
  for (const auto& [name, place] : all) places.insert(place);
  EXPECT_EQ(places.size(), all.size());
  EXPECT_EQ(count_wrong(all, 1), 0);
}

// Names that were there before come and go, too: a place stays where its name was.
TEST_P(ListingOrder, EachPlaceStaysWhileOtherNamesComeAndGo) {
  const auto all = list_all();
  Random random(seed() + 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& name = all[i].first;
    if (random.one_in(3)) {
      auto other = name;
      other.insert(random.below(name.size() + 1), 1, "05az~"[random.below(5)]);
      if (names_.contains(other)) continue;
      const auto made = view().create(directory_, other, {}, {});
      EXPECT_TRUE(made || made.error().kind() == ErrorKind::kExists);
    } else if (random.one_in(10)) {
      expect_ok(view().release(value_of(view().unlink(directory_, name)).object));
      names_.erase(name);
    }
    // Places are asked for long after names near them have changed.
    if (i % 10 == 9 && i > 5000) {
      const auto& [old, place] = all[i - 5000];
      const auto next = names_.upper_bound(old);
      ASSERT_EQ(behind(place), next == names_.end() ? "" : *next);
    }
  }
  EXPECT_EQ(count_wrong(all, 7), 0);
}

// A place that needs an anchor is found again if the name that was the anchor is still there.
TEST_P(ListingOrder, PlacesOutliveTheView) {
  const auto all = list_all();
  tree_.reopen();
  EXPECT_EQ(count_wrong(all, 97), 0);
}

std::string name_of_places_case(const testing::TestParamInfo<PlacesCase>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Few, ListingOrder,
    testing::Values(PlacesCase{"NumberedInImage", 20'000, Layer::kImage, Names::kNumbered},
                    PlacesCase{"NumberedInStore", 20'000, Layer::kStore, Names::kNumbered},
                    PlacesCase{"LongBeginningInImage", 20'000, Layer::kImage,
                               Names::kLongBeginning},
                    PlacesCase{"LongBeginningInBoth", 20'000, Layer::kBoth, Names::kLongBeginning},
                    PlacesCase{"RandomInStore", 20'000, Layer::kStore, Names::kRandom},
                    PlacesCase{"PairsInStore", 20'000, Layer::kStore, Names::kPairs}),
    name_of_places_case);
INSTANTIATE_TEST_SUITE_P(Many, ListingOrder,
                         testing::Values(PlacesCase{"NumberedInBoth", 1'000'000, Layer::kBoth,
                                                    Names::kNumbered},
                                         PlacesCase{"LongBeginningInStore", 1'000'000,
                                                    Layer::kStore, Names::kLongBeginning}),
                         name_of_places_case);

TEST(LargeListingPlaces, RememberABoundedAmount) {
  using Place = view::ListingPlace;
  const auto exact = [](int i) {
    return Place{Place::Kind::kIsAnchor, view::anchor_of(view::name_hash(kRoot, name_of(i))),
                 view::name_hash(kRoot, name_of(i))};
  };
  view::ListingPlaces places;
  const auto first = places.add_anchor(kRoot, name_of(0));
  const Place anchored{Place::Kind::kAnchored, first, 5};
  EXPECT_EQ(places.add_anchor(kRoot, name_of(0)), first);
  EXPECT_EQ(places.anchor(kRoot, anchored), name_of(0));
  EXPECT_FALSE(places.anchor(kRoot + 1, anchored));
  std::set<std::uint32_t> numbers;
  for (int i = 0; i < 20'000; ++i) numbers.insert(places.add_anchor(kRoot, name_of(i)));
  EXPECT_EQ(numbers.size(), 20'000U) << "an anchor has a number of its own";
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(places.anchor(kRoot, exact(i)), name_of(i));
  for (int i = 0; i < 100'000; ++i) static_cast<void>(places.add_anchor(kRoot, name_of(i)));
  EXPECT_FALSE(places.anchor(kRoot, exact(0)));
  EXPECT_EQ(places.anchor(kRoot, exact(99'999)), name_of(99'999));
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_TRUE(places.give(kRoot, static_cast<ListingCookie>(i), name_of(i)));
  }
  EXPECT_FALSE(places.given(kRoot, 0));
  EXPECT_EQ(places.given(kRoot, 99'999), name_of(99'999));
  EXPECT_FALSE(places.given(kRoot + 1, 99'999));
  EXPECT_TRUE(places.give(kRoot, 99'999, name_of(99'999)));
  EXPECT_FALSE(places.give(kRoot, 99'999, name_of(1)));
  EXPECT_LE(places.memory_bytes(),
            view::ListingPlaces::kAnchorBytesMax + view::ListingPlaces::kGivenBytesMax);
}

}  // namespace
}  // namespace dgfs::test
