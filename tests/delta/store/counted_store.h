// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A fixture: a store in memory whose storage counts its calls.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "storage/memory/env.h"
#include "storage/testing/counting_env.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {

inline std::string numbered_key(int number) { return "key" + std::to_string(100000 + number); }

class CountedStore : public testing::Test {
 protected:
  explicit CountedStore(const delta::StoreParameters& parameters) {
    options_.create = true;
    options_.parameters = parameters;
    options_.cache_bytes = 0;
    reopen();
  }

  /// Resets the counts.
  void reopen() {
    store_.reset();
    store_ = open_store(*env_, options_);
    env_->reset();
  }
  void put(int number, std::string value) {
    delta::Batch batch;
    batch.put(numbered_key(number), std::move(value));
    ASSERT_TRUE(store_->apply(batch));
  }
  [[nodiscard]] delta::StoreReport report() {
    auto checked = delta::check_store(*memory_, "/s");
    EXPECT_TRUE(checked) << checked.error().message();
    return checked ? checked.value() : delta::StoreReport();
  }
  [[nodiscard]] storage::IoCounts counts(const std::string& file) const {
    return env_->counts("/s/" + file);
  }
  [[nodiscard]] std::uint64_t logged_bytes() const {
    return counts("log.0").written_bytes + counts("log.1").written_bytes;
  }
  [[nodiscard]] std::uint64_t size_bytes(const std::string& file) const {
    return memory_->open("/s/" + file, {}).value()->size().value();
  }

  std::unique_ptr<storage::MemoryEnv> memory_ = storage::make_memory_env(1);
  std::unique_ptr<storage::CountingEnv> env_ = storage::make_counting_env(*memory_);
  delta::StoreOptions options_;
  std::unique_ptr<delta::Store> store_;
};

}  // namespace dgfs::test
