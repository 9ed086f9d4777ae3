// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RocksDB with the best settings for these workloads, and the same durability as the others. All
// other settings are its defaults.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "bench/store/engine.h"

namespace dgfs::bench {
namespace {

constexpr std::uint64_t kLongScanKeys = 1000;
constexpr std::size_t kLongScanReadBytes = std::size_t{1} << 20;

Status checked(const rocksdb::Status& status) {
  if (status.ok()) return ok();
  return Error(ErrorKind::kIo, 9011, status.ToString());
}

rocksdb::Slice slice_of(std::string_view text) { return {text.data(), text.size()}; }

/// An operand consists of the offset (8 bytes, in machine order) and the bytes.
std::string operand_of(const Patch& patch) {
  const std::uint64_t offset_bytes = patch.offset_bytes;
  std::string operand(sizeof(offset_bytes), '\0');
  std::memcpy(operand.data(), &offset_bytes, sizeof(offset_bytes));
  return operand + patch.bytes;
}

class PatchOperator final : public rocksdb::MergeOperator {
 public:
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    std::string& value = out->new_value;
    if (in.existing_value != nullptr) value = in.existing_value->ToString();
    for (const rocksdb::Slice& operand : in.operand_list) {
      std::uint64_t offset_bytes = 0;
      if (operand.size() < sizeof(offset_bytes)) return false;
      std::memcpy(&offset_bytes, operand.data(), sizeof(offset_bytes));
      const std::size_t length_bytes = operand.size() - sizeof(offset_bytes);
      if (value.size() < offset_bytes + length_bytes) value.resize(offset_bytes + length_bytes);
      value.replace(offset_bytes, length_bytes, operand.data() + sizeof(offset_bytes),
                    length_bytes);
    }
    return true;
  }
  const char* Name() const override { return "patch"; }
};

class RocksDbEngine final : public Engine {
 public:
  RocksDbEngine(std::unique_ptr<rocksdb::DB> db, std::shared_ptr<rocksdb::Statistics> statistics,
                const RocksDbVariant& variant)
      : variant_(variant), statistics_(std::move(statistics)), db_(std::move(db)) {}

  Status put(std::span<Pair> pairs) override {
    rocksdb::WriteBatch batch;
    for (const Pair& pair : pairs) {
      DGFS_CHECK(checked(batch.Put(pair.key, pair.value)));
    }
    return checked(db_->Write({}, &batch));
  }

  Status patch(std::span<Patch> patches) override {
    rocksdb::WriteBatch batch;
    std::string value;
    for (const Patch& each : patches) {
      if (variant_.merges_patches) {
        DGFS_CHECK(checked(batch.Merge(each.key, operand_of(each))));
        continue;
      }
      DGFS_CHECK(checked(db_->Get({}, each.key, &value)));
      value.replace(each.offset_bytes, each.bytes.size(), each.bytes);
      DGFS_CHECK(checked(batch.Put(each.key, value)));
    }
    return checked(db_->Write({}, &batch));
  }

  Status remove_range(std::string_view begin, std::string_view end) override {
    return checked(
        db_->DeleteRange({}, db_->DefaultColumnFamily(), slice_of(begin), slice_of(end)));
  }

  Status sync() override { return checked(db_->FlushWAL(true)); }

  Result<bool> get(std::string_view key, std::string& value) override {
    const auto status = db_->Get({}, slice_of(key), &value);
    if (status.IsNotFound()) return false;
    DGFS_CHECK(checked(status));
    return true;
  }

  Result<Scanned> scan(std::string_view begin, std::uint64_t count) override {
    rocksdb::ReadOptions reading;
    // The default would begin with 8 KiB and end with 256.
    if (count >= kLongScanKeys) reading.readahead_size = kLongScanReadBytes;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(reading));
    Scanned scanned;
    for (iterator->Seek(slice_of(begin)); iterator->Valid(); iterator->Next()) {
      scanned.bytes += iterator->key().size() + iterator->value().size();
      if (++scanned.keys == count) break;
    }
    DGFS_CHECK(checked(iterator->status()));
    return scanned;
  }

  Status settle() override {
    DGFS_CHECK(checked(db_->Flush({})));
    while (is_at_work()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return ok();
  }

  // Flushes and compactions also count blobs.
  std::optional<std::uint64_t> written_bytes() const override {
    return statistics_->getTickerCount(rocksdb::WAL_FILE_BYTES) +
           statistics_->getTickerCount(rocksdb::FLUSH_WRITE_BYTES) +
           statistics_->getTickerCount(rocksdb::COMPACT_WRITE_BYTES);
  }

 private:
  [[nodiscard]] bool is_at_work() const {
    using Properties = rocksdb::DB::Properties;
    for (const std::string& property :
         {Properties::kMemTableFlushPending, Properties::kNumRunningFlushes,
          Properties::kCompactionPending, Properties::kNumRunningCompactions}) {
      std::uint64_t number = 0;
      if (db_->GetIntProperty(property, &number) && number != 0) return true;
    }
    return false;
  }

  const RocksDbVariant variant_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
};

constexpr std::size_t kTables = 3;  // so that one can fill while another one is written
constexpr std::size_t kFilterBits = 14;

// The cache gets the memory that tables and filters leave of the engine's share.
std::size_t cache_beside(const EngineOptions& options) {
  const auto filter_bytes = options.keys * kFilterBits / 8;
  const auto others = kTables * options.table_bytes + static_cast<std::size_t>(filter_bytes);
  return std::max(options.cache_bytes,
                  options.memory_bytes - std::min(options.memory_bytes, others));
}

rocksdb::BlockBasedTableOptions table_options(const EngineOptions& options,
                                              const RocksDbVariant& variant) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache =
      rocksdb::NewLRUCache(variant.is_direct ? cache_beside(options) : options.cache_bytes);
  // Filters and indexes lie outside of the cache, where they are never evicted: faster, but with
  // more memory than the store has (1.75 bytes per key for the filters, which have as many bits as
  // the store's).
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kFilterBits, false));
  table.format_version = 5;
  return table;
}

void set_writing(rocksdb::Options& to, const EngineOptions& options) {
  to.write_buffer_size = options.table_bytes;
  to.max_write_buffer_number = kTables;
  to.max_background_jobs = 2;
  to.compression = rocksdb::kNoCompression;  // like the store's blocks: values are random bytes
  to.level_compaction_dynamic_level_bytes = true;
  to.max_bytes_for_level_base = 4 * options.table_bytes;
  // The kernel writes files back while they grow, and not all at once at the sync.
  to.bytes_per_sync = std::uint64_t{1} << 20;
  // The log is on, but stays in memory until a sync, as the store's log does. Its files are reused,
  // so that a sync does not have to write a new length.
  to.manual_wal_flush = true;
  to.recycle_log_file_num = 4;
}

}  // namespace

EngineResult open_rocksdb(const EngineOptions& options, const RocksDbVariant& variant) {
  rocksdb::Options to;
  to.create_if_missing = true;
  set_writing(to, options);
  to.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options(options, variant)));
  to.merge_operator = std::make_shared<PatchOperator>();
  to.statistics = rocksdb::CreateDBStatistics();
  to.statistics->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
  to.enable_blob_files = variant.has_blobs;
  to.use_direct_reads = variant.is_direct;
  to.use_direct_io_for_flush_and_compaction = variant.is_direct;
  if (variant.is_universal) {
    to.compaction_style = rocksdb::kCompactionStyleUniversal;
    to.level_compaction_dynamic_level_bytes = false;
  }
  to.min_blob_size = 1024;
  to.enable_blob_garbage_collection = variant.has_blobs;
  rocksdb::DB* db = nullptr;
  DGFS_CHECK(checked(rocksdb::DB::Open(to, options.directory, &db)));
  return std::unique_ptr<Engine>(
      std::make_unique<RocksDbEngine>(std::unique_ptr<rocksdb::DB>(db), to.statistics, variant));
}

}  // namespace dgfs::bench
