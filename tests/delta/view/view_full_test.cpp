// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A view with a full disk, or a store at its size limit. It refuses to make objects, with no
// effect; it removes objects, which makes room.
#include <algorithm>
#include <string>
#include <tuple>

#include "tests/delta/view/faulty_view.h"

namespace dgfs::test {
namespace {

using Step = ViewOperations::Step;

constexpr std::uint64_t kRoomBytes = std::uint64_t{900} << 10;
constexpr int kRemovalsAtLeast = 25;  // as many as the reserve has space for
constexpr std::uint64_t kLargeDiskBytes = std::uint64_t{1} << 40;

OperationLimits many_objects() {
  OperationLimits limits;
  limits.objects_max = 1000;
  limits.value_bytes_max = 3000;
  return limits;
}

delta::StoreOptions options_of_little_room(bool is_capped) {
  auto options = FaultyView::small_options();
  options.table_bytes = 32768;  // so the reserve lasts for some operations only
  if (is_capped) options.max_bytes = kRoomBytes;
  return options;
}

class FullRun {
 public:
  FullRun(std::uint64_t seed, bool is_capped)
      : faulty_(seed, options_of_little_room(is_capped), many_objects()), is_capped_(is_capped) {
    faulty_.keep_no_states();
    faulty_.memory().set_capacity(kLargeDiskBytes);
    const auto file = value_of(faulty_.memory().open(kImage));
    others_bytes_ = kLargeDiskBytes - value_of(file->free_bytes());
    limit_to(kRoomBytes);
  }

  void run(int rounds) {
    for (int i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
      fill();
      removed_since_full_ = 0;
      for (int k = 0; k < 40; ++k) operate(faulty_.next_operation());
      if (random().one_in(2)) expect_ok(faulty_.view().sync());
      if (random().one_in(3)) faulty_.reopen();
      remove_all();
      make_space();
      operate(filling(1000));
      faulty_.reopen();
      limit_to(2 * kRoomBytes);
      EXPECT_EQ(faulty_.run(filling(1000)), Step::kAgreed)
          << "with room again, the operation succeeds";
      remove_all();
      limit_to(kRoomBytes);
    }
  }
  [[nodiscard]] int refused() const { return refused_; }

 private:
  Random& random() { return faulty_.random(); }

  // An operation on a new name.
  Operation filling(std::size_t bytes) {
    Operation operation;
    operation.verb = Verb::kMakeSymlink;
    operation.directory = view::kRoot;
    operation.name = "filling " + std::to_string(++made_);
    operation.target = std::string(bytes, 't');
    return operation;
  }

  // From now on the store alone may have so many bytes.
  void limit_to(std::uint64_t bytes) {
    if (is_capped_) {
      faulty_.options().max_bytes = bytes;
      faulty_.reopen();
    } else {
      faulty_.memory().set_capacity(others_bytes_ + bytes);
      make_space();
    }
  }

  // Makes space as the owner of a store without threads does.
  void make_space() { expect_ok(faulty_.delta().newest().make_space()); }

  // Fills the disk until even small operations find no space.
  void fill() {
    std::size_t bytes = 2000;
    for (int i = 0; i < 5000 && !testing::Test::HasFailure(); ++i) {
      operate(faulty_.next_operation());
      const auto operation = filling(bytes);
      if (operate(operation) != Step::kRefused) continue;
      make_space();
      if (operate(operation) != Step::kRefused) continue;
      if (bytes == 200) return;
      bytes = 200;
    }
    ADD_FAILURE() << "the disk never became full";
  }

  Step operate(const Operation& operation) {
    SCOPED_TRACE(to_string(operation));
    const auto step = faulty_.run(operation);
    if (removes(operation) && step == Step::kAgreed) ++removed_since_full_;
    if (step != Step::kRefused) return step;
    ++refused_;
    EXPECT_EQ(faulty_.refusal(), ErrorKind::kNoSpace);
    if (removes(operation)) {
      EXPECT_GT(removed_since_full_, kRemovalsAtLeast);
    }
    if (refused_ % 8 == 0) faulty_.expect_equal();
    return step;
  }

  // Removes from the leaves on. Removals write, too. If the reserve is used up and their freed
  // space is not found yet, the test adds room.
  void remove_all() {
    while (!testing::Test::HasFailure()) {
      const auto& objects = faulty_.model().objects();
      const auto leaf = std::ranges::find_if(objects, [](const auto& each) {
        return each.first != view::kRoot && each.second.names.empty();
      });
      if (leaf == objects.end()) break;
      Operation operation;
      const auto& object = leaf->second;
      operation.object = leaf->first;
      operation.verb = Verb::kRelease;
      if (!object.places.empty()) {
        std::tie(operation.directory, operation.name) = *object.places.begin();
        const bool is_directory = format::is_directory(object.attributes.mode);
        operation.verb = is_directory ? Verb::kRemoveDirectory : Verb::kUnlink;
      }
      if (operate(operation) != Step::kRefused) continue;
      limit_to(2 * kRoomBytes);
      EXPECT_EQ(operate(operation), Step::kAgreed) << "with room again, the operation succeeds";
    }
    faulty_.expect_equal();
  }

  FaultyView faulty_;
  int made_ = 0;
  int refused_ = 0;
  int removed_since_full_ = 0;
  const bool is_capped_;
  std::uint64_t others_bytes_ = 0;  ///< bytes of other files on the disk, when the store was empty
};

TEST(ViewFull, RemovesWhereItMakesNothing) {
  for (std::uint64_t seed = 0; seed < 10 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FullRun run(seed, seed % 2 == 0);
    run.run(2);
    EXPECT_GT(run.refused(), 10);
  }
}

}  // namespace
}  // namespace dgfs::test
