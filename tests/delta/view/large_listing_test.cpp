// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories of very many names: in the image, in the stores, and in both. A listing gives all of
// them in order and in bounded memory, and a caller can remove each name as it comes.
#include <algorithm>
#include <functional>

#include "delta/view/listing.h"
#include "tests/delta/view/view_fixture.h"
#include "tests/support/heap_meter.h"

namespace dgfs::test {
namespace {

using view::kRoot;
using view::Listing;
using view::ListingCookie;
using view::ListingName;
using view::ListingPlaces;
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

// For older replies the stream remembers where they began.
TEST(LargeListingPlaces, ForgetNamesBeforeReplies) {
  constexpr int kNames = 300'000;
  constexpr int kNamesOfReply = 100;
  ListingPlaces places(kRoot, 1);
  std::vector<ListingCookie> cookies;
  for (int i = 0; i < kNames; ++i) {
    if (i % kNamesOfReply == 0) places.begin_reply(i == 0 ? "" : name_of(i - 1));
    cookies.push_back(places.prepare(name_of(i)));
    places.add_prepared();
  }
  const auto at = [&](int i) {
    return value_of(places.name_before(cookies[static_cast<std::size_t>(i)]));
  };
  EXPECT_EQ(at(250), name_of(199)) << "names come twice, but none is left out";
  const int exact = static_cast<int>(ListingPlaces::kNamesBytesMax / (name_of(0).size() + 1));
  for (int i = kNames - exact + kNamesOfReply; i < kNames; ++i) ASSERT_EQ(at(i), name_of(i));
  EXPECT_LT(places.memory_bytes(), ListingPlaces::kNamesBytesMax + 1'000'000);
}

// A stream of short replies remembers as many as its memory holds, and refuses older cookies.
TEST(LargeListingPlaces, AreForgottenInTheEnd) {
  constexpr std::uint32_t kReplies = 200'000;
  ListingPlaces places(kRoot, 1);
  std::vector<ListingCookie> cookies;
  std::string before;
  for (std::uint32_t i = 0; i < kReplies; ++i) {
    places.begin_reply(before);
    before = name_of(static_cast<int>(i));
    cookies.push_back(places.prepare(before));
    places.add_prepared();
  }
  const auto is_kept = [&](ListingCookie cookie) { return places.name_before(cookie).has_value(); };
  const auto first = std::ranges::partition_point(cookies, std::not_fn(is_kept));
  const auto forgotten = static_cast<int>(first - cookies.begin());
  EXPECT_GT(forgotten, 1000);
  EXPECT_GT(static_cast<int>(kReplies) - forgotten, 30'000);
  EXPECT_EQ(places.name_before(cookies[0]).error().kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(value_of(places.name_before(*first)), name_of(forgotten));
  EXPECT_EQ(value_of(places.name_before(cookies.back())), before);
  EXPECT_LT(places.memory_bytes(),
            ListingPlaces::kRepliesBytesMax + ListingPlaces::kNamesBytesMax + 1000);
}

// The next reply frees the memory of the long one, so that all memory is counted.
TEST(LargeListingPlaces, WhatALongReplyTakesCountsUntilTheNext) {
  ListingPlaces places(kRoot, 1);
  places.begin_reply("");
  for (int i = 0; i < 100'000; ++i) {
    static_cast<void>(places.prepare(name_of(i)));
    places.add_prepared();
  }
  EXPECT_GT(places.memory_bytes(), 100'000 * name_of(0).size());
  places.begin_reply(name_of(99'999));
  static_cast<void>(places.prepare("z"));
  places.add_prepared();
  EXPECT_LT(places.memory_bytes(), 1000U);
}

// One reply with all names is more than ended streams may keep together: the stream is forgotten at
// once, and so are those before it.
TEST(LargeListingPlaces, StreamsThatHaveEndedKeepABoundedAmount) {
  view::Listings listings(0);
  const auto end = [&](std::size_t names, std::size_t name_bytes) {
    const auto places = listings.begin(kRoot);
    places->begin_reply("");
    ListingCookie cookie = 0;
    for (std::size_t i = 0; i < names; ++i) {
      const auto each = places->prepare(std::string(name_bytes, 'n'));
      if (cookie == 0) cookie = each;
      places->add_prepared();
    }
    listings.end(places);
    return cookie;
  };
  const auto small = end(10, 10);
  EXPECT_TRUE(listings.find(kRoot, small));
  const auto half = end(1, view::Listings::kEndedBytesMax / 2);
  EXPECT_TRUE(listings.find(kRoot, small));
  const auto other_half = end(1, view::Listings::kEndedBytesMax / 2);
  EXPECT_FALSE(listings.find(kRoot, small));
  EXPECT_FALSE(listings.find(kRoot, half)) << "streams keep more than the bytes of their names";
  EXPECT_TRUE(listings.find(kRoot, other_half));
  EXPECT_FALSE(listings.find(kRoot, end(1'000'000, 14)));
  EXPECT_FALSE(listings.find(kRoot, other_half));
  EXPECT_TRUE(listings.find(kRoot, end(10, 10)));
}

}  // namespace
}  // namespace dgfs::test
