// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sealed stores over each other, made by hand, and joins of them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delta/store/join/stack_join.h"
#include "delta/store/snapshot/stack_snapshot.h"
#include "delta/store/store.h"
#include "delta/store/store_check.h"
#include "delta/store/store_files.h"
#include "storage/env.h"

namespace dgfs::test {

/// For one thread.
class SealedStack {
 public:
  /// @param env  must outlive it
  explicit SealedStack(storage::Env& env) : env_(&env) {}

  /// Adds a sealed store with what `fill` applies to it.
  /// @param options  with the born object
  void add(delta::StoreOptions options, const std::function<void(delta::Store&)>& fill) {
    const auto path = next_path();
    options.create = true;
    options.sequence = stores_.empty() ? 0 : stores_.back()->sequence();
    {
      auto made = delta::Store::open(*env_, path, options);
      ASSERT_TRUE(made) << made.error().message();
      fill(*made.value());
      const auto closed = made.value()->close();
      ASSERT_TRUE(closed) << closed.error().message();
      const auto sealed = made.value()->make_layer({});
      ASSERT_TRUE(sealed) << sealed.error().message();
    }
    ASSERT_TRUE(delta::drop_log(*env_, path));
    push(path, stores_.size());
  }
  /// Joins the stores from one number on before another one, in a stack of its own.
  [[nodiscard]] Result<SealedStack> joined(std::size_t begin, std::size_t end,
                                           const delta::JoinHooks& hooks = {}) const {
    SealedStack other(*env_);
    other.made_ = made_;
    other.paths_ = paths_;
    other.stores_ = stores_;
    const auto path = other.next_path();
    std::vector<delta::Snapshot> layers;
    for (std::size_t i = begin; i < end; ++i) layers.push_back(stores_[i]->snapshot("a test"));
    delta::LoadRequest request;
    request.parameters = stores_[begin]->parameters();
    request.sequence = stores_[end - 1]->sequence();
    DGFS_TRY(loader, delta::LayerLoader::begin(*env_, path, request));
    DGFS_CHECK(delta::load_joined(layers, *loader, hooks));
    DGFS_CHECK(loader->finish());
    const auto from = static_cast<std::ptrdiff_t>(begin);
    const auto until = static_cast<std::ptrdiff_t>(end);
    other.paths_.erase(other.paths_.begin() + from, other.paths_.begin() + until);
    other.stores_.erase(other.stores_.begin() + from, other.stores_.begin() + until);
    other.push(path, begin);
    made_ = other.made_;
    return other;
  }

  [[nodiscard]] delta::StackSnapshot snapshot() const { return snapshot(size()); }
  /// Of the oldest stores.
  [[nodiscard]] delta::StackSnapshot snapshot(std::size_t stores) const {
    std::vector<delta::Snapshot> all;
    for (std::size_t i = 0; i < stores; ++i) all.push_back(stores_[i]->snapshot("a test"));
    return delta::StackSnapshot(std::move(all));
  }
  [[nodiscard]] std::size_t size() const { return stores_.size(); }
  [[nodiscard]] delta::Store& store(std::size_t number) const { return *stores_[number]; }
  [[nodiscard]] const std::string& path(std::size_t number) const { return paths_[number]; }
  [[nodiscard]] delta::StoreReport report(std::size_t number) const {
    auto checked = delta::check_store(*env_, paths_[number]);
    EXPECT_TRUE(checked) << checked.error().message();
    return checked ? std::move(checked).value() : delta::StoreReport();
  }

 private:
  std::string next_path() { return "/layer" + std::to_string(made_++); }
  void push(const std::string& path, std::size_t at) {
    delta::StoreOptions options;
    options.access = delta::StoreAccess::kReadOnly;
    options.cache_bytes = 4096;
    auto opened = delta::Store::open(*env_, path, options);
    ASSERT_TRUE(opened) << opened.error().message();
    paths_.insert(paths_.begin() + static_cast<std::ptrdiff_t>(at), path);
    stores_.insert(stores_.begin() + static_cast<std::ptrdiff_t>(at), std::move(opened).value());
  }

  storage::Env* env_;
  mutable std::size_t made_ = 0;
  std::vector<std::string> paths_;  // the oldest first
  std::vector<std::shared_ptr<delta::Store>> stores_;
};

}  // namespace dgfs::test
