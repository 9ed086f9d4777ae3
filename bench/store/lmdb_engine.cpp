// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// LMDB with the best settings for these workloads: all writes between two syncs are one
// transaction, applied in key order, because then a page with several changes is copied only once.
// Its cache is the page cache. Without --map-written, pages are changed in copies; this was faster
// in random and sequential inserts of 100 B and 8 KiB, because a new page of the map must be
// faulted in first.
#include <lmdb.h>

#include <algorithm>
#include <cstring>
#include <variant>
#include <vector>

#include "bench/store/engine.h"

namespace dgfs::bench {
namespace {

Status checked(int result) {
  if (result == MDB_SUCCESS) return ok();
  return Error(ErrorKind::kIo, 9012, mdb_strerror(result));
}

// LMDB does not write to its arguments.
MDB_val value_of(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }
std::string_view text_of(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

/// A cursor and its transaction; rolls back unless it was committed.
class Transaction {
 public:
  Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
    if (transaction_ != nullptr) mdb_txn_abort(transaction_);
  }

  [[nodiscard]] Status begin(MDB_env* env, unsigned flags) {
    DGFS_CHECK(checked(mdb_txn_begin(env, nullptr, flags, &transaction_)));
    DGFS_CHECK(checked(mdb_dbi_open(transaction_, nullptr, 0, &table_)));
    return checked(mdb_cursor_open(transaction_, table_, &cursor_));
  }
  [[nodiscard]] Status commit() {
    mdb_cursor_close(std::exchange(cursor_, nullptr));
    return checked(mdb_txn_commit(std::exchange(transaction_, nullptr)));
  }
  [[nodiscard]] MDB_cursor* cursor() const { return cursor_; }

 private:
  MDB_txn* transaction_ = nullptr;
  MDB_dbi table_ = 0;
  MDB_cursor* cursor_ = nullptr;
};

struct Removal {
  std::string key;  ///< the first key
  std::string end;
};
using Change = std::variant<Pair, Patch, Removal>;

const std::string& key_of(const Change& change) {
  return std::visit([](const auto& each) -> const std::string& { return each.key; }, change);
}

class LmdbEngine final : public Engine {
 public:
  LmdbEngine(MDB_env* env, bool is_sequential) : env_(env), is_sequential_(is_sequential) {}
  ~LmdbEngine() override { mdb_env_close(env_); }

  Status put(std::span<Pair> pairs) override { return add(pairs); }
  Status patch(std::span<Patch> patches) override { return add(patches); }
  Status remove_range(std::string_view begin, std::string_view end) override {
    waiting_.emplace_back(Removal{std::string(begin), std::string(end)});
    is_order_free_ = false;
    return ok();
  }

  Status sync() override {
    if (waiting_.empty()) return ok();
    if (is_order_free_) {
      std::stable_sort(waiting_.begin(), waiting_.end(),
                       [](const Change& a, const Change& b) { return key_of(a) < key_of(b); });
    }
    Transaction transaction;
    DGFS_CHECK(transaction.begin(env_, 0));
    for (const Change& change : waiting_) {
      DGFS_CHECK(std::visit([&](const auto& each) { return write(transaction, each); }, change));
    }
    waiting_.clear();
    is_order_free_ = true;
    return transaction.commit();
  }

  Result<bool> get(std::string_view key, std::string& value) override {
    Transaction transaction;
    DGFS_CHECK(transaction.begin(env_, MDB_RDONLY));
    MDB_val name = value_of(key);
    MDB_val found{};
    const int result = mdb_cursor_get(transaction.cursor(), &name, &found, MDB_SET);
    if (result == MDB_NOTFOUND) return false;
    DGFS_CHECK(checked(result));
    value.assign(text_of(found));
    return true;
  }

  Result<Scanned> scan(std::string_view begin, std::uint64_t count) override {
    Transaction transaction;
    DGFS_CHECK(transaction.begin(env_, MDB_RDONLY));
    MDB_val key = value_of(begin);
    MDB_val value{};
    Scanned scanned;
    int result = mdb_cursor_get(transaction.cursor(), &key, &value, MDB_SET_RANGE);
    while (result == MDB_SUCCESS) {
      looked_at_ += touched(text_of(value));
      scanned.bytes += key.mv_size + value.mv_size;
      if (++scanned.keys == count) break;
      result = mdb_cursor_get(transaction.cursor(), &key, &value, MDB_NEXT);
    }
    if (result != MDB_NOTFOUND) {
      DGFS_CHECK(checked(result));
    }
    return scanned;
  }

  Status settle() override { return sync(); }
  std::optional<std::uint64_t> written_bytes() const override { return std::nullopt; }

 private:
  template <class Each>
  Status add(std::span<Each> changes) {
    for (Each& each : changes) waiting_.emplace_back(std::move(each));
    return ok();
  }

  Status write(const Transaction& to, const Pair& pair) const {
    MDB_val key = value_of(pair.key);
    MDB_val value = value_of(pair.value);
    // Appending fills pages completely instead of splitting them in halves.
    const unsigned flags = is_sequential_ ? MDB_APPEND : 0;
    return checked(mdb_cursor_put(to.cursor(), &key, &value, flags));
  }

  static Status write(const Transaction& to, const Patch& patch) {
    MDB_val key = value_of(patch.key);
    MDB_val value{};
    // Does not let LMDB change `key`: a key inside of a page would move while the page is changed.
    DGFS_CHECK(checked(mdb_cursor_get(to.cursor(), &key, &value, MDB_SET)));
    std::string changed(text_of(value));
    changed.replace(patch.offset_bytes, patch.bytes.size(), patch.bytes);
    value = value_of(changed);
    return checked(mdb_cursor_put(to.cursor(), &key, &value, MDB_CURRENT));
  }

  static Status write(const Transaction& to, const Removal& removal) {
    MDB_val key = value_of(removal.key);
    MDB_val value{};
    int result = mdb_cursor_get(to.cursor(), &key, &value, MDB_SET_RANGE);
    while (result == MDB_SUCCESS && text_of(key) < removal.end) {
      DGFS_CHECK(checked(mdb_cursor_del(to.cursor(), 0)));
      // Moves to the key after the removed one, without skipping one.
      result = mdb_cursor_get(to.cursor(), &key, &value, MDB_NEXT);
    }
    return result == MDB_NOTFOUND ? Status(ok()) : checked(result);
  }

  // The other engines read and verify a whole value when they read its page or block.
  static std::uint64_t touched(std::string_view value) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < value.size(); at += 4096) {
      sum += static_cast<unsigned char>(value[at]);
    }
    return sum;
  }

  MDB_env* env_;
  const bool is_sequential_;
  std::vector<Change> waiting_;
  bool is_order_free_ = true;  ///< all waiting writes are single keys
  std::uint64_t looked_at_ = 0;
};

}  // namespace

EngineResult open_lmdb(const EngineOptions& options) {
  MDB_env* env = nullptr;
  DGFS_CHECK(checked(mdb_env_create(&env)));
  auto engine = std::make_unique<LmdbEngine>(env, options.is_sequential);
  // Split pages are half full, and a transaction copies its pages. The file is sparse, so only used
  // pages count.
  const std::uint64_t map_bytes = 6 * options.data_bytes + (std::uint64_t{1} << 30);
  DGFS_CHECK(checked(mdb_env_set_mapsize(env, map_bytes)));
  // Read-ahead does not help random keys.
  const unsigned flags =
      (options.has_long_scans ? 0 : MDB_NORDAHEAD) | (options.is_map_written ? MDB_WRITEMAP : 0);
  DGFS_CHECK(checked(mdb_env_open(env, options.directory.c_str(), flags, 0666)));
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace dgfs::bench
