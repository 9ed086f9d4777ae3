// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Compares the model of a view with the kernel: random operations on a ModelTree and on a
// directory.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/delta/view/model/kernel_tree.h"
#include "tests/delta/view/model/perform.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

constexpr int kOperationsOfRun = 2500;
constexpr int kOperationsOfCheck = 100;

OperationResult kept(OperationResult result, const DumpOptions& options) {
  result.attributes = test::kept(result.attributes, options);
  result.replaced_attributes = test::kept(result.replaced_attributes, options);
  return result;
}

// Both trees, with counts of the kinds of operations and errors that occurred.
class KernelRun {
 public:
  explicit KernelRun(Random& random)
      : kernel_(place_.path()), model_(kernel_.root()), maker_(random, kernel_.limits()) {}

  bool step() {
    const Operation operation = maker_.next(model_);
    SCOPED_TRACE(to_string(operation));
    ++kinds_[operation.kind];
    const auto before = all_times();
    model_.set_now({++seconds_, 0});
    const bool keeps_times = keeps_ext4_times(operation);
    const auto expected = kept(kernel_.perform(operation, model_.next_id()), options());
    const auto seen = kept(perform(operation, model_), options());
    // ext4 writes the whiteout before it refuses a rename over a directory with names.
    const bool has_touched = expected.error && operation.leaves_whiteout;
    if (expected.error) errors_.insert(*expected.error);
    EXPECT_TRUE(seen == expected) << "  kernel: " << to_string(expected)
                                  << "\n   model: " << to_string(seen);
    return seen == expected && (keeps_times || has_touched || expect_same_changes(before));
  }

  void expect_equal() const {
    const auto others = ids_without_name(model_);
    const auto found = first_difference(dump(kernel_, others, options()),
                                        dump(ModelFacts(model_), others, options()));
    EXPECT_TRUE(found.empty()) << found;
  }

  // Checks facts that the kernel does not show.
  void expect_sound() const {
    for (const auto& [id, object] : model_.objects()) {
      const auto& attributes = object.attributes;
      EXPECT_EQ(attributes.children, object.names.size()) << id;
      const bool is_directory = format::is_directory(attributes.mode);
      EXPECT_EQ(attributes.size_bytes,
                is_directory ? format::kPageBytes : object.target.size() + object.content.size());
      if (!is_directory) {
        EXPECT_EQ(attributes.link_count, object.places.size()) << id;
      }
    }
  }

  [[nodiscard]] const DumpOptions& options() const { return kernel_.dump_options(); }
  [[nodiscard]] const OperationLimits& limits() const { return kernel_.limits(); }
  [[nodiscard]] const std::map<std::string, int>& kinds() const { return kinds_; }
  [[nodiscard]] const std::set<ErrorKind>& errors() const { return errors_; }

 private:
  struct Times {
    std::pair<Time, Time> kernel;  // mtime and ctime
    std::pair<Time, Time> model;
  };

  [[nodiscard]] std::map<ModelId, Times> all_times() const {
    std::map<ModelId, Times> all;
    if (!kernel_.has_fine_times()) return all;
    for (const auto& [id, object] : model_.objects()) {
      all[id] = {kernel_.times(id).value(), {object.attributes.mtime, object.attributes.ctime}};
    }
    return all;
  }

  // ext4 does not touch an object if its extended attribute gets the value that it already has.
  [[nodiscard]] bool keeps_ext4_times(const Operation& operation) const {
    // ext4 ignores zeroing behind the end, and copies from there.
    if (operation.verb == Verb::kZero || operation.verb == Verb::kCopy) return true;
    if (operation.verb != Verb::kSetXattr) return false;
    const auto value = model_.xattr(operation.object, operation.xattr);
    return value && value.assume_value() == operation.value;
  }

  // Returns whether the same times have changed in both trees.
  [[nodiscard]] bool expect_same_changes(const std::map<ModelId, Times>& before) const {
    bool are_same = true;
    for (const auto& [id, now] : all_times()) {
      const auto old = before.find(id);
      if (old == before.end()) continue;
      const auto& [kernel, model] = old->second;
      const bool is_same =
          (kernel.first == now.kernel.first) == (model.first == now.model.first) &&
          (kernel.second == now.kernel.second) == (model.second == now.model.second);
      EXPECT_TRUE(is_same) << "of #" << id
                           << " the kernel changes mtime: " << (kernel.first != now.kernel.first)
                           << ", ctime: " << (kernel.second != now.kernel.second)
                           << "; the model changes mtime: " << (model.first != now.model.first)
                           << ", ctime: " << (model.second != now.model.second);
      are_same = are_same && is_same;
    }
    return are_same;
  }

  TempDir place_;
  KernelTree kernel_;
  ModelTree model_;
  OperationMaker maker_;
  std::map<std::string, int> kinds_;
  std::set<ErrorKind> errors_;
  std::int64_t seconds_ = 1'700'000'000;
};

class ModelKernelTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ModelKernelTest, AnswersAndBecomesWhatTheKernelDoes) {
  Random random(GetParam());
  KernelRun run(random);
  for (int count = 1; count <= kOperationsOfRun; ++count) {
    ASSERT_TRUE(run.step()) << "operation " << count;
    if (count % kOperationsOfCheck != 0) continue;
    run.expect_equal();
    run.expect_sound();
    ASSERT_FALSE(HasFailure()) << "after operation " << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelKernelTest,
                         testing::Range(std::uint64_t{1}, std::uint64_t{5}));

}  // namespace
}  // namespace dgfs::test
