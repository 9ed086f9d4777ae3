// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The store of delta/store/, with default parameters and one thread for maintenance.
#include "bench/store/engine.h"
#include "delta/store/process_memory.h"
#include "delta/store/store.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

class DeltaEngine final : public Engine {
 public:
  DeltaEngine(std::unique_ptr<storage::Env> env, std::unique_ptr<delta::Store> store)
      : env_(std::move(env)), store_(std::move(store)) {}

  Status put(std::span<Pair> pairs) override {
    delta::Batch batch;
    for (Pair& pair : pairs) batch.put(std::move(pair.key), std::move(pair.value));
    DGFS_CHECK(store_->apply(batch));
    return ok();
  }

  Status patch(std::span<Patch> patches) override {
    delta::Batch batch;
    for (Patch& each : patches) {
      batch.patch(std::move(each.key), each.offset_bytes, std::move(each.bytes));
    }
    DGFS_CHECK(store_->apply(batch));
    return ok();
  }

  Status remove_range(std::string_view begin, std::string_view end) override {
    delta::Batch batch;
    batch.remove_range({std::string(begin), std::string(end)});
    DGFS_CHECK(store_->apply(batch));
    return ok();
  }

  Status sync() override { return store_->sync(); }

  Result<bool> get(std::string_view key, std::string& value) override {
    DGFS_TRY(found, store_->get(key));
    if (!found) return false;
    value = std::move(*found);
    return true;
  }

  Result<Scanned> scan(std::string_view begin, std::uint64_t count) override {
    delta::Cursor cursor = store_->cursor();
    DGFS_CHECK(cursor.seek(begin));
    Scanned scanned;
    while (cursor.is_at_key()) {
      DGFS_TRY(value, cursor.value());
      scanned.bytes += cursor.key().size() + value.size();
      if (++scanned.keys == count) break;
      DGFS_CHECK(cursor.next());
    }
    return scanned;
  }

  Status settle() override { return store_->checkpoint(); }

  std::optional<std::uint64_t> written_bytes() const override {
    const auto counters = store_->counters();
    return counters.log_bytes + counters.block_bytes + counters.value_bytes + counters.moved_bytes;
  }

 private:
  std::unique_ptr<storage::Env> env_;
  std::unique_ptr<delta::Store> store_;
};

}  // namespace

EngineResult open_delta(const EngineOptions& options) {
  delta::give_back_freed_memory();
  delta::StoreOptions store_options;
  store_options.create = true;
  store_options.memory_bytes = options.memory_bytes;  // the store divides it itself
  store_options.level = 0;                            // like the others: values are random bytes
  store_options.in_background = true;
  auto env = storage::make_posix_env();
  DGFS_TRY(store, delta::Store::open(*env, options.directory, store_options));
  DGFS_CHECK(store->start());
  return std::unique_ptr<Engine>(std::make_unique<DeltaEngine>(std::move(env), std::move(store)));
}

}  // namespace dgfs::bench
