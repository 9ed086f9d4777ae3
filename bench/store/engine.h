// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Engine: an ordered, durable dictionary that can be measured. Writes are durable after sync(),
// which all engines get at the same moments; before it they may be only in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dgfs::bench {

struct EngineOptions {
  std::string directory;  ///< exists; it is empty if the engine starts without data
  std::size_t cache_bytes = std::size_t{64} << 20;
  std::size_t table_bytes = std::size_t{64} << 20;    ///< for changes before they go to disk
  std::size_t memory_bytes = std::size_t{256} << 20;  ///< for an engine that divides it itself
  std::uint64_t keys = 0;
  std::uint64_t data_bytes = 0;  ///< approximate bytes of the keys and values it will hold
  bool is_sequential = false;    ///< put() gets new keys in ascending order
  bool has_long_scans = false;
  /// LMDB changes pages in the map instead of in copies.
  bool is_map_written = false;
};

struct Pair {
  std::string key;
  std::string value;
};

/// Replaces bytes inside of an existing value.
struct Patch {
  std::string key;
  std::size_t offset_bytes = 0;
  std::string bytes;
};

struct Scanned {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;  ///< of keys and values
};

/// Not thread-safe. Reads see everything that was synced before. The destructor closes the engine.
class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Puts all pairs in one batch; moves from them.
  [[nodiscard]] virtual Status put(std::span<Pair> pairs) = 0;
  [[nodiscard]] virtual Status patch(std::span<Patch> patches) = 0;
  /// Removes the keys from `begin` on and below `end`.
  [[nodiscard]] virtual Status remove_range(std::string_view begin, std::string_view end) = 0;
  [[nodiscard]] virtual Status sync() = 0;

  /// Returns false if there is no such key.
  [[nodiscard]] virtual Result<bool> get(std::string_view key, std::string& value) = 0;
  /// Reads up to `count` pairs (keys and values) from the first key that is not below `begin`.
  [[nodiscard]] virtual Result<Scanned> scan(std::string_view begin, std::uint64_t count) = 0;

  /// Waits until nothing is left in memory and no background work runs.
  [[nodiscard]] virtual Status settle() = 0;
  /// From the engine's own counters, since it was opened; nullopt: it does not count.
  [[nodiscard]] virtual std::optional<std::uint64_t> written_bytes() const = 0;
};

using EngineResult = Result<std::unique_ptr<Engine>>;

[[nodiscard]] EngineResult open_delta(const EngineOptions& options);

/// The settings of one of RocksDB's columns.
struct RocksDbVariant {
  bool has_blobs = false;       ///< BlobDB: large values in separate files
  bool is_universal = false;    ///< universal compaction: fewer bytes written, more read
  bool merges_patches = false;  ///< with a merge operator, instead of reading first
  /// Bypasses the page cache; its own cache gets the memory that tables and filters leave.
  bool is_direct = false;
};
[[nodiscard]] EngineResult open_rocksdb(const EngineOptions& options,
                                        const RocksDbVariant& variant);
[[nodiscard]] EngineResult open_lmdb(const EngineOptions& options);

/// @param name  one of engine_names(). Errors: kNotFound; those of opening.
[[nodiscard]] EngineResult open_engine(std::string_view name, const EngineOptions& options);
/// The engines in this build, separated by spaces.
[[nodiscard]] std::string engine_names();

}  // namespace dgfs::bench
