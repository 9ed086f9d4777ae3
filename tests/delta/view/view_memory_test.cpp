// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Memory that a view cannot get. An operation happens as a whole, or is refused without effect.
#include <functional>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "tests/delta/view/faulty_view.h"
#include "tests/support/failing_heap.h"

namespace dgfs::test {
namespace {

using Step = ViewOperations::Step;
using Lasts = FailingHeap::Lasts;

struct MemorySeen {
  int refused = 0;
  int torn = 0;
  int over = 0;
  int failed_openings = 0;
  int failed_closes = 0;
  int failed_listings = 0;
};

// Whether the test itself copies a value that it reads.
bool copies(const Operation& operation) {
  switch (operation.verb) {
    case Verb::kReadLink:
    case Verb::kPaths:
    case Verb::kXattr:
    case Verb::kXattrNames:
    case Verb::kRead:
      return true;
    default:
      return false;
  }
}

class MemoryRun {
 public:
  MemoryRun(std::uint64_t seed, MemorySeen& seen)
      : faulty_(seed, FaultyView::small_options(), FaultyView::small_limits()), seen_(seen) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      const auto choice = random().below(20);
      if (choice == 0) {
        sync();
      } else if (choice == 1) {
        list();
      } else if (choice == 2 && random().one_in(4)) {
        close();
      } else {
        operate();
      }
    }
    faulty_.expect_equal();
    faulty_.reopen();
  }

 private:
  Random& random() { return faulty_.random(); }

  // Small numbers are as likely as large ones. 0: no allocation fails.
  std::uint64_t allocation() {
    if (random().one_in(6)) return 0;
    return 1 + random().below(std::uint64_t{1} << random().below(14));
  }
  Lasts lasts() { return random().one_in(3) ? Lasts::kOn : Lasts::kOnce; }

  // Calls `work` with a failing heap. If one allocation fails, there is memory for the error.
  Status call(const std::function<Status()>& work) {
    const auto at = allocation();
    const auto how = lasts();
    Status done = ok();
    const FailingHeap heap(at, how);
    try {
      done = work();
      has_thrown_ = false;
    } catch (const std::bad_alloc&) {
      has_thrown_ = true;
    }
    has_failed_ = heap.failed();
    return done;
  }

  void operate() {
    const auto operation = faulty_.next_operation();
    SCOPED_TRACE(to_string(operation));
    faulty_.perform_with([&](const Operation& of_view, view::View& view) {
      return perform_without_memory(of_view, view);
    });
    const auto step = faulty_.run(operation);
    faulty_.perform_with(FaultyView::perform_plainly);
    if (step != Step::kRefused) return;
    ++seen_.refused;
    EXPECT_TRUE(has_failed_);
    expect_limit(faulty_.refusal());
    if (is_torn() || is_over()) return come_back();
    faulty_.expect_equal();
    // No lock stays held that would block the operation.
    EXPECT_EQ(faulty_.run(operation), Step::kAgreed) << "with memory again, the operation succeeds";
  }

  OperationResult perform_without_memory(const Operation& operation, view::View& view) {
    const auto at = allocation();
    const auto how = lasts();
    OperationResult result;
    const FailingHeap heap(at, how);
    try {
      result = FaultyView::perform_plainly(operation, view);
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(how == Lasts::kOn || copies(operation));
      result = {};
      result.error = ErrorKind::kLimit;
    }
    has_failed_ = heap.failed();
    return result;
  }

  // A write that lacks memory halfway fails with an error of its own.
  void expect_limit(std::optional<ErrorKind> refusal) {
    EXPECT_TRUE(refusal == ErrorKind::kLimit || refusal == ErrorKind::kIo)
        << to_string(refusal.value_or(ErrorKind::kLoop));
  }

  // The view then refuses all that needs the store, reads included, since the table may have a part
  // of an operation. The image still answers for untouched objects.
  bool is_torn() {
    const auto listed = faulty_.view().list(view::kRoot, "", [](const auto&) { return false; });
    if (listed) return false;
    EXPECT_EQ(listed.error().kind(), ErrorKind::kLimit);
    EXPECT_EQ(faulty_.view().sync().error().kind(), ErrorKind::kLimit);
    EXPECT_EQ(faulty_.view().create(view::kRoot, "torn", {}, {}).error().kind(), ErrorKind::kLimit);
    ++seen_.torn;
    return true;
  }
  bool is_over() {
    const auto synced = faulty_.view().sync();
    if (synced) faulty_.note_synced();
    if (!synced) ++seen_.over;
    if (!synced) faulty_.expect_equal();
    return !synced;
  }

  void sync() {
    const auto synced = call([&] { return faulty_.view().sync(); });
    if (synced && !has_thrown_) return faulty_.note_synced();
    expect_limit(synced ? ErrorKind::kLimit : synced.error().kind());
    if (is_torn() || is_over()) come_back();
  }

  void close() {
    const auto closed = call([&] { return faulty_.view().close(); });
    if (closed && !has_thrown_) {
      faulty_.note_synced();
    } else {
      ++seen_.failed_closes;
    }
    come_back();
  }

  void come_back() {
    faulty_.drop();
    faulty_.open_layers();
    const auto opened = call([&] { return faulty_.open_view(); });
    if (!opened || has_thrown_) {
      ++seen_.failed_openings;
      expect_limit(opened ? ErrorKind::kLimit : opened.error().kind());
      faulty_.drop();
      faulty_.open_layers();
      expect_ok(faulty_.open_view());
    }
    faulty_.expect_state();
  }

  // Lists any directory piece by piece. If a piece fails, the test asks for it again.
  void list() {
    std::vector<view::ObjectNumber> directories;
    for (const auto& [id, object] : faulty_.model().objects()) {
      if (!format::is_directory(object.attributes.mode)) continue;
      directories.push_back(faulty_.operations().pairs().number_of(id));
    }
    const auto directory = directories[random().below(directories.size())];
    std::set<std::string> expected{".", ".."};
    expect_ok(faulty_.view().list(directory, "", [&](const view::View::ListedName& name) {
      expected.emplace(name.name);
      return true;
    }));
    std::unique_ptr<view::Listing> listing;
    while (listing == nullptr) {
      static_cast<void>(call([&]() -> Status {
        DGFS_TRY(opened, faulty_.view().open_listing(directory));
        listing = std::move(opened);
        return ok();
      }));
    }
    if (faulty_.view().attributes(directory).value().link_count == 0) expected.clear();
    EXPECT_EQ(read_all(*listing), expected);
  }

  std::set<std::string> read_all(view::Listing& listing) {
    std::set<std::string> names;
    view::ListingCookie cookie = 0;
    for (int pieces = 0; pieces < 1000; ++pieces) {
      std::vector<std::pair<std::string, view::ListingCookie>> piece;
      piece.reserve(4);
      const bool wants_attributes = random().one_in(2);
      const auto read = call([&] {
        return listing.read(cookie, wants_attributes, [&](const view::ListingName& name) {
          if (piece.size() == 3) return false;
          piece.emplace_back(name.name, name.cookie);
          return true;
        });
      });
      if (!read || has_thrown_) {
        ++seen_.failed_listings;
        EXPECT_TRUE(read || read.error().kind() == ErrorKind::kLimit) << read.error().message();
        continue;
      }
      if (piece.empty()) return names;
      for (const auto& [name, behind] : piece) names.insert(name);
      cookie = piece.back().second;
    }
    ADD_FAILURE() << "the listing has no end";
    return names;
  }

  FaultyView faulty_;
  MemorySeen& seen_;
  bool has_failed_ = false;
  bool has_thrown_ = false;
};

TEST(ViewMemory, AnOperationHappensOrTheViewSaysThatItDidNot) {
  MemorySeen seen;
  for (std::uint64_t seed = 0; seed < 10 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryRun(seed, seen).run(300);
  }
  EXPECT_GT(seen.refused, 400);
  EXPECT_GT(seen.torn, 4);
  EXPECT_GT(seen.failed_openings, 10);
  EXPECT_GT(seen.failed_closes, 10);
  EXPECT_GT(seen.failed_listings, 100);
}

}  // namespace
}  // namespace dgfs::test
