// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Engine: what an ordered, durable dictionary must do to be measured. What is written is durable
// after sync(), which all engines are told at the same moments; before, it may be in memory only.
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
  std::string directory;  ///< there, and empty if the engine is to begin anew
  std::size_t cache_bytes = std::size_t{64} << 20;
  std::size_t table_bytes = std::size_t{64} << 20;    ///< of changes, before they go to disk
  std::size_t memory_bytes = std::size_t{256} << 20;  ///< of one that divides it itself
  std::uint64_t keys = 0;
  std::uint64_t data_bytes = 0;  ///< keys and values it will hold, about
  bool is_sequential = false;    ///< keys that are put come in order, and are new
  bool has_long_scans = false;
  /// LMDB changes pages in the map instead of in copies.
  bool is_map_written = false;
};

struct Pair {
  std::string key;
  std::string value;
};

/// Replaces bytes inside of a value that is there.
struct Patch {
  std::string key;
  std::size_t offset_bytes = 0;
  std::string bytes;
};

struct Scanned {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;  ///< of keys and values
};

/// For one thread. Reads see what was synced before; closed when destroyed.
class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// All at once. They are moved from.
  [[nodiscard]] virtual Status put(std::span<Pair> pairs) = 0;
  [[nodiscard]] virtual Status patch(std::span<Patch> patches) = 0;
  /// Keys from `begin` on below `end`.
  [[nodiscard]] virtual Status remove_range(std::string_view begin, std::string_view end) = 0;
  [[nodiscard]] virtual Status sync() = 0;

  /// False: there is no such key.
  [[nodiscard]] virtual Result<bool> get(std::string_view key, std::string& value) = 0;
  /// Up to `count` pairs from the first key on that is not below `begin`, both looked at.
  [[nodiscard]] virtual Result<Scanned> scan(std::string_view begin, std::uint64_t count) = 0;

  /// Nothing waits in memory any more, and no work in the background.
  [[nodiscard]] virtual Status settle() = 0;
  /// By the engine's own counters, since it was opened; none: it does not count.
  [[nodiscard]] virtual std::optional<std::uint64_t> written_bytes() const = 0;
};

using EngineResult = Result<std::unique_ptr<Engine>>;

[[nodiscard]] EngineResult open_delta(const EngineOptions& options);

/// What is special of one of RocksDB's columns.
struct RocksDbVariant {
  bool has_blobs = false;       ///< BlobDB: large values in files of their own
  bool is_universal = false;    ///< universal compaction: fewer bytes written, more read
  bool merges_patches = false;  ///< by a merge operator, instead of reading first
  /// Past the page cache; its own cache has what memory is left by tables and filters.
  bool is_direct = false;
};
[[nodiscard]] EngineResult open_rocksdb(const EngineOptions& options,
                                        const RocksDbVariant& variant);
[[nodiscard]] EngineResult open_lmdb(const EngineOptions& options);

/// By the names that engine_names() gives. Errors: kNotFound; those of opening.
[[nodiscard]] EngineResult open_engine(std::string_view name, const EngineOptions& options);
/// Those that this program was built with, separated by spaces.
[[nodiscard]] std::string engine_names();

}  // namespace dgfs::bench
