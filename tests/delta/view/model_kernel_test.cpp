// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The model of a view against the kernel: random operations on a ModelTree and on a directory.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/delta/view/kernel_tree.h"
#include "tests/delta/view/perform.h"
#include "tests/support/temp_dir.h"

namespace dgfs::test {
namespace {

constexpr int kOperationsOfRun = 6000;
constexpr int kOperationsOfCheck = 100;

OperationResult kept(OperationResult result, const DumpOptions& options) {
  result.attributes = test::kept(result.attributes, options);
  result.replaced_attributes = test::kept(result.replaced_attributes, options);
  return result;
}

// Both trees, and how often which kinds of operation and of error came.
class TwoTrees {
 public:
  explicit TwoTrees(Random& random)
      : kernel_(place_.path()), model_(kernel_.root()), maker_(random, kernel_.limits()) {}

  bool step() {
    const Operation operation = maker_.next(model_);
    SCOPED_TRACE(to_string(operation));
    ++kinds_[operation.kind];
    const auto expected = kept(kernel_.perform(operation, model_.next_id()), options());
    const auto seen = kept(perform(operation, model_), options());
    if (expected.error) errors_.insert(*expected.error);
    EXPECT_TRUE(seen == expected) << "  kernel: " << to_string(expected)
                                  << "\n   model: " << to_string(seen);
    return seen == expected;
  }

  void expect_equal() const {
    const auto others = ids_without_name(model_);
    EXPECT_EQ(first_difference(dump(kernel_, others, options()),
                               dump(ModelFacts(model_), others, options())),
              "");
  }

  // What the kernel does not tell.
  void expect_sound() const {
    for (const auto& [id, object] : model_.objects()) {
      const auto& attributes = object.attributes;
      EXPECT_EQ(attributes.children, object.names.size()) << id;
      const bool is_directory = format::is_directory(attributes.mode);
      EXPECT_EQ(attributes.size_bytes, is_directory ? format::kPageBytes : object.target.size());
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
  TempDir place_;
  KernelTree kernel_;
  ModelTree model_;
  OperationMaker maker_;
  std::map<std::string, int> kinds_;
  std::set<ErrorKind> errors_;
};

class ModelKernelTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ModelKernelTest, AnswersAndBecomesWhatTheKernelDoes) {
  Random random(GetParam());
  TwoTrees trees(random);
  for (int count = 1; count <= kOperationsOfRun; ++count) {
    ASSERT_TRUE(trees.step()) << "operation " << count;
    if (count % kOperationsOfCheck != 0) continue;
    trees.expect_equal();
    trees.expect_sound();
    ASSERT_FALSE(HasFailure()) << "after operation " << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelKernelTest, testing::Range(std::uint64_t{1}, std::uint64_t{5}));

}  // namespace
}  // namespace dgfs::test
