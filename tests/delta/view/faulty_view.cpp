// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/faulty_view.h"

#include <string>
#include <utility>

#include "tests/delta/view/model/perform.h"

namespace dgfs::test {
namespace {

constexpr const char* kDelta = "/delta";

void fill(PackedTree& tree) {
  for (const char* directory : {"a", "b", "a/a"}) tree.directory(directory);
  for (const char* file : {"f", "g", "a/f", "a/a/f"}) tree.file(file, file);
  tree.link("f", "b/f");
  tree.symlink("a/l", "../f");
  tree.pack();
}

}  // namespace

delta::StoreOptions FaultyView::small_options() {
  delta::StoreOptions options;
  options.create = true;
  options.parameters = {1024, 4096, 4, 1 << 16, 256};
  options.cache_bytes = 1 << 20;
  options.table_bytes = 8192;
  options.dirty_bytes = 16384;
  options.spare_bytes = 1024;
  options.filter_prefixes = 32;
  options.level = 0;
  return options;
}

OperationLimits FaultyView::small_limits() {
  OperationLimits limits;
  limits.objects_max = 40;
  limits.value_bytes_max = 1500;
  return limits;
}

FaultyView::FaultyView(std::uint64_t seed, const delta::StoreOptions& options,
                       const OperationLimits& limits)
    : options_(options),
      random_(seed),
      maker_(random_, limits),
      faulty_(storage::make_faulty_env(tree_.memory(), seed)),
      clock_(*faulty_) {
  fill(tree_);
  const auto image = tree_.open();
  expect_ok(delta::DeltaDirectory::create(tree_.memory(), kDelta, image->superblock().uuid,
                                          image->superblock().next_inode, options_, 512));
  open_layers();
  expect_ok(open_view());
  operations_.emplace(*view_, *image_, clock_, random_);
  operations_->allow_refusals();
  operations_->perform_with([this](const Operation& operation, view::View& view) {
    auto result = perform_(operation, view);
    refusal_ = result.error;
    return result;
  });
  note_synced();
}

ViewOperations::Step FaultyView::run(const Operation& operation) {
  const auto step = operations_->run(operation);
  if (step != ViewOperations::Step::kRefused) refusal_.reset();
  if (keeps_states_ && step == ViewOperations::Step::kAgreed) states_.push_back(model());
  return step;
}

OperationResult FaultyView::perform_plainly(const Operation& operation, view::View& view) {
  return perform(operation, view);
}

void FaultyView::drop() {
  view_ = nullptr;
  delta_ = nullptr;
  image_ = nullptr;
}

void FaultyView::crash(storage::CrashLoss loss, std::uint64_t seed) {
  drop();
  tree_.memory().crash(loss, seed);
}

void FaultyView::open_layers() {
  reader::OpenOptions options;
  options.page_cache_bytes = options_.cache_bytes;
  image_ = value_of(reader::Image::open(clock_, kImage, options));
  delta_ = value_of(delta::DeltaDirectory::open(clock_, kDelta, options_));
}

Status FaultyView::open_view() {
  DGFS_TRY(view, view::View::open(clock_, *image_, *delta_, {4, 16}));
  view_ = std::move(view);
  return ok();
}

void FaultyView::expect_state() {
  std::string found;
  for (std::size_t at = states_.size(); at-- > 0;) {
    auto model = states_[at];
    model.end_unnamed();
    auto pairs = operations_->pairs();
    pairs.return_to(model);
    found = difference(*view_, model, pairs);
    if (!found.empty()) continue;
    operations_->reopened(*view_, states_[at]);
    note_synced();
    return;
  }
  ADD_FAILURE() << found << "\nand none of " << states_.size() << " states";
}

void FaultyView::reopen() {
  expect_ok(view_->close());
  states_ = {model()};
  drop();
  open_layers();
  expect_ok(open_view());
  expect_state();
}

bool removes(const Operation& operation) {
  switch (operation.verb) {
    case Verb::kUnlink:
    case Verb::kRemoveDirectory:
    case Verb::kRelease:
    case Verb::kRemoveXattr:
      return true;
    default:
      return false;
  }
}

}  // namespace dgfs::test
