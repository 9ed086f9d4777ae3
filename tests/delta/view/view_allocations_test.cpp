// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Each allocation of a call of a view fails in turn. The call returns an error, and throws nothing.
#include <functional>
#include <new>
#include <string>

#include "tests/delta/view/faulty_view.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

class EachAllocation : public testing::Test {
 protected:
  EachAllocation() : faulty_(1, FaultyView::small_options(), FaultyView::small_limits()) {
    for (int i = 0; i < 60; ++i) faulty_.run(faulty_.next_operation());
    EXPECT_TRUE(view().make_symlink(view::kRoot, "s", std::string(100, 't'), {}));
    link_ = view().lookup(view::kRoot, "s").value().object;
    EXPECT_TRUE(view().set_xattr(view::kRoot, "user.long enough for the heap", {}));
  }

  view::View& view() { return faulty_.view(); }

  // Expects kLimit of a call that changes nothing; with enough memory it succeeds, or fails for its
  // own reason.
  void expect_said(const std::function<Status()>& call) {
    int refused = 0;
    for (std::uint64_t at = 1;; ++at) {
      SCOPED_TRACE("allocation " + std::to_string(at));
      Status done = ok();
      bool has_failed = false;
      bool has_thrown = false;
      {
        const FailingHeap heap(at);
        try {
          done = call();
        } catch (const std::bad_alloc&) {
          has_thrown = true;
        }
        has_failed = heap.failed();
      }
      EXPECT_FALSE(has_thrown);
      if (!has_failed) break;
      if (!done && done.error().kind() == ErrorKind::kLimit) ++refused;
    }
    EXPECT_GT(refused, 0);
  }
  template <class T>
  static Status status_of(Result<T> result) {
    if (!result) return std::move(result).assume_error();  // moved, so it takes no memory
    return ok();
  }

  FaultyView faulty_;
  view::ObjectNumber link_ = 0;
};

TEST_F(EachAllocation, OfWhatReads) {
  expect_said([&] { return status_of(view().lookup(view::kRoot, "s")); });
  expect_said([&] { return status_of(view().attributes(link_)); });
  expect_said([&] { return status_of(view().read_link(link_)); });
  expect_said([&] { return status_of(view().paths(link_)); });
  expect_said([&] { return status_of(view().xattr_names(view::kRoot)); });
  expect_said(
      [&] { return status_of(view().xattr(view::kRoot, "user.long enough for the heap")); });
  expect_said([&] {
    return view().list(view::kRoot, "", [](const view::View::ListedName&) { return true; });
  });
}

TEST_F(EachAllocation, OfContents) {
  const auto file = value_of(view().create(view::kRoot, "contents", {}, {})).object;
  value_of(view().write(file, 100, Buffer(3000, 'c')));
  Buffer out(1000);
  expect_said([&] { return status_of(view().read(file, 50, out)); });
  expect_said([&] { return status_of(view().next_data(file, 0)); });
  expect_said([&] { return status_of(view().next_hole(file, 0)); });
  // Repeated calls write the same bytes, so the contents are the same however far a call came.
  expect_ok(view().sync());
  const Buffer bytes(2000, 'c');
  expect_said([&] { return status_of(view().write(file, 300, bytes)); });
  // Where memory has run out within a change of the table, the store is torn until it is opened
  // again.
  if (const auto read = view().read(file, 300, out); !read) {
    EXPECT_EQ(read.error().kind(), ErrorKind::kLimit);
    faulty_.drop();
    faulty_.open_layers();
    expect_ok(faulty_.open_view());
  }
  ASSERT_EQ(value_of(view().read(file, 300, out)), out.size());
  EXPECT_EQ(out, Buffer(1000, 'c'));
}

TEST_F(EachAllocation, OfListings) {
  expect_said([&] { return status_of(view().open_listing(view::kRoot)); });
  const auto listing = value_of(view().open_listing(view::kRoot));
  for (const bool wants_attributes : {false, true}) {
    expect_said([&] {
      return listing->read(0, wants_attributes, [](const view::ListingName&) { return true; });
    });
  }
}

// A caller that returns the cookie of a shown name continues after that name.
TEST_F(EachAllocation, ANameThatWasShownHasItsPlace) {
  const auto listing = value_of(view().open_listing(view::kRoot));
  bool has_failed = true;
  int shown = 0;
  for (std::uint64_t at = 1; has_failed; ++at) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    view::ListingCookie last = 0;
    {
      const FailingHeap heap(at);
      static_cast<void>(listing->read(0, false, [&](const view::ListingName& name) {
        last = name.cookie;
        return true;
      }));
      has_failed = heap.failed();
    }
    if (last == 0) continue;
    ++shown;
    EXPECT_TRUE(listing->read(last, false, [](const view::ListingName&) { return true; }));
  }
  EXPECT_GT(shown, 1);
}

TEST_F(EachAllocation, OfWhatFailsInAnyCase) {
  expect_said([&] { return status_of(view().create(view::kRoot, "x", {040755, 0}, {})); });
  expect_said([&] { return status_of(view().make_symlink(view::kRoot, "x", "", {})); });
  expect_said([&] { return status_of(view().lookup(view::kRoot, "nothing")); });
  expect_said([&] { return status_of(view().link(link_, view::kRoot, "s")); });
  expect_said([&] { return status_of(view().remove_directory(view::kRoot, "s")); });
  expect_said([&] { return view().remove_xattr(view::kRoot, "user.of no object"); });
  expect_said([&] { return view().sync(); });
}

}  // namespace
}  // namespace dgfs::test
