// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/model/view_operations.h"

#include <gtest/gtest.h>

#include "tests/delta/view/model/perform.h"
#include "tests/delta/view/model/tree_dump.h"

namespace dgfs::test {
namespace {

class ViewFacts final : public TreeFacts {
 public:
  ViewFacts(const view::View& view, const ObjectPairs& pairs) : view_(view), pairs_(pairs) {}

  Answer<ObjectFacts> facts(ModelId id) const override {
    const auto number = pairs_.number_of(id);
    ObjectFacts facts;
    DGFS_TRY(attributes, answer(view_.attributes(number)));
    facts.attributes = attributes;
    if (format::is_symlink(attributes.mode)) {
      DGFS_TRY(target, answer(view_.read_link(number)));
      facts.target = target;
    }
    if (format::is_regular(attributes.mode)) {
      facts.content.resize(static_cast<std::size_t>(attributes.size_bytes));
      DGFS_TRY(count, answer(view_.read(number, 0, as_mutable_bytes(facts.content))));
      facts.content.resize(count);
    }
    DGFS_TRY(names, answer(view_.xattr_names(number)));
    for (const auto& name : names) {
      DGFS_TRY(value, answer(view_.xattr(number, name)));
      facts.xattrs.emplace(name, value);
    }
    DGFS_TRY(paths, answer(view_.paths(number)));
    facts.paths = paths;
    return facts;
  }

  Answer<std::vector<ListedObject>> names(ModelId directory) const override {
    std::vector<ListedObject> names;
    const Status listed =
        view_.list(pairs_.number_of(directory), "", [&](const view::View::ListedName& name) {
          names.push_back({std::string(name.name), pairs_.id_of(name.object), name.type});
          return true;
        });
    if (!listed) return listed.assume_error().kind();
    return names;
  }

  Answer<ModelId> parent(ModelId directory) const override {
    DGFS_TRY(parent, answer(view_.lookup(pairs_.number_of(directory), "..")));
    return pairs_.id_of(parent.object);
  }

 private:
  template <class T>
  static Answer<T> answer(Result<T> result) {
    if (!result) return result.assume_error().kind();
    return std::move(result).assume_value();
  }

  const view::View& view_;
  const ObjectPairs& pairs_;
};

bool is_refusal(const OperationResult& result) {
  return result.error == ErrorKind::kIo || result.error == ErrorKind::kNoSpace ||
         result.error == ErrorKind::kLimit;
}

bool makes_something(Verb verb) { return verb >= Verb::kCreate && verb <= Verb::kMakeSymlink; }

}  // namespace

std::string difference(const view::View& view, const ModelTree& model, const ObjectPairs& pairs,
                       const DumpOptions& options) {
  const auto others = ids_without_name(model);
  return first_difference(dump(ModelFacts(model), others, options),
                          dump(ViewFacts(view, pairs), others, options));
}

std::string difference_of_names(const view::View& view, const ModelTree& model,
                                const ObjectPairs& pairs, const DumpOptions& options) {
  return first_difference(dump(ModelFacts(model), {}, options),
                          dump(ViewFacts(view, pairs), {}, options));
}

ViewOperations::ViewOperations(view::View& view, const reader::Image& image, SteppingEnv& clock,
                               Random& random, const OperationLimits& limits)
    : view_(&view),
      model_(ModelTree::of_image(image)),
      pairs_(model_),
      clock_(clock),
      maker_(random, limits),
      perform_(
          [](const Operation& operation, view::View& tree) { return perform(operation, tree); }) {}

ViewOperations::Step ViewOperations::run(const Operation& operation) {
  SCOPED_TRACE(to_string(operation));
  clock_.step();
  model_.set_now(clock_.now());
  const auto seen = perform_(for_view(operation), *view_);
  if (may_refuse_ && is_refusal(seen)) return Step::kRefused;
  const auto expected = perform(operation, model_);
  if (may_fail_otherwise_ && seen.error && expected.error) return Step::kAgreed;
  if (!add_made(operation, seen, expected)) return Step::kDiffers;
  auto translated = for_model(seen);
  if (!compares_blocks_) {
    translated.attributes.blocks = expected.attributes.blocks;
    translated.replaced_attributes.blocks = expected.replaced_attributes.blocks;
  }
  if (translated != expected) {
    ADD_FAILURE() << "expected: " << to_string(expected) << "\n    seen: " << to_string(translated);
    return Step::kDiffers;
  }
  if (!expected.error) ++done_[operation.kind];
  for (const ModelId id : {operation.directory, operation.to, operation.object, expected.object}) {
    if (id != 0 && !expect_same_attributes(id)) return Step::kDiffers;
  }
  return Step::kAgreed;
}

bool ViewOperations::expect_equal() const {
  const auto found = difference(*view_, model_, pairs_, {.has_blocks = compares_blocks_});
  EXPECT_TRUE(found.empty()) << found;
  return found.empty();
}

void ViewOperations::reopened(view::View& view, const ModelTree& model) {
  view_ = &view;
  model_ = model;
  model_.end_unnamed();
  pairs_.return_to(model_);
}

Operation ViewOperations::for_view(Operation operation) const {
  for (ModelId* id : {&operation.directory, &operation.to, &operation.object}) {
    if (*id != 0) *id = pairs_.number_of(*id);
  }
  return operation;
}

OperationResult ViewOperations::for_model(OperationResult result) const {
  result.object = pairs_.id_of(result.object);
  result.replaced = pairs_.id_of(result.replaced);
  for (auto& listed : result.listed) listed.object = pairs_.id_of(listed.object);
  return result;
}

bool ViewOperations::add_made(const Operation& operation, const OperationResult& seen,
                              const OperationResult& expected) {
  if (seen.error || expected.error) return true;
  if (operation.leaves_whiteout) return add_whiteout(operation);
  if (!makes_something(operation.verb)) return true;
  EXPECT_TRUE(pairs_.is_new(seen.object)) << "number " << seen.object << " was given before";
  if (!pairs_.is_new(seen.object)) return false;
  pairs_.add(seen.object, expected.object);
  return true;
}

bool ViewOperations::add_whiteout(const Operation& operation) {
  const auto expected = model_.lookup(operation.directory, operation.name).assume_value().object;
  if (pairs_.has(expected)) return true;  // a rename onto itself makes no whiteout
  const auto seen = view_->lookup(pairs_.number_of(operation.directory), operation.name);
  const auto number = seen ? seen.assume_value().object : 0;
  EXPECT_TRUE(pairs_.is_new(number)) << "number " << number << " of a whiteout";
  if (!pairs_.is_new(number)) return false;
  pairs_.add(number, expected);
  return true;
}

bool ViewOperations::expect_same_attributes(ModelId id) const {
  OperationResult expected;
  OperationResult seen;
  const auto of_model = model_.attributes(id);
  const auto of_view = view_->attributes(pairs_.number_of(id));
  if (of_model) expected.attributes = of_model.assume_value();
  if (!of_model) expected.error = of_model.assume_error();
  if (of_view) seen.attributes = of_view.assume_value();
  if (!of_view) seen.error = of_view.assume_error().kind();
  if (!compares_blocks_) seen.attributes.blocks = expected.attributes.blocks;
  EXPECT_TRUE(seen == expected) << "afterwards #" << id << "\nexpected: " << to_string(expected)
                                << "\n    seen: " << to_string(seen);
  return seen == expected;
}

}  // namespace dgfs::test
