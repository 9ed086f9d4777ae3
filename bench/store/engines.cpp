// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <algorithm>
#include <functional>
#include <vector>

#include "bench/store/engine.h"

namespace dgfs::bench {
namespace {

struct Known {
  std::string_view name;
  std::function<EngineResult(const EngineOptions&)> open;
};

const std::vector<Known>& known_engines() {
  static const std::vector<Known> engines = {
      {"delta", open_delta},
#ifdef DGFS_BENCH_ROCKSDB
      {"rocksdb", [](const EngineOptions& options) { return open_rocksdb(options, {}); }},
      {"rocksdb-universal",
       [](const EngineOptions& options) { return open_rocksdb(options, {.is_universal = true}); }},
      {"rocksdb-direct",
       [](const EngineOptions& options) { return open_rocksdb(options, {.is_direct = true}); }},
      {"rocksdb-blob",
       [](const EngineOptions& options) { return open_rocksdb(options, {.has_blobs = true}); }},
      {"rocksdb-merge",
       [](const EngineOptions& options) {
         return open_rocksdb(options, {.merges_patches = true});
       }},
#endif
#ifdef DGFS_BENCH_LMDB
      {"lmdb", open_lmdb},
#endif
  };
  return engines;
}

}  // namespace

EngineResult open_engine(std::string_view name, const EngineOptions& options) {
  const auto& engines = known_engines();
  const auto found = std::find_if(engines.begin(), engines.end(),
                                  [&](const Known& each) { return each.name == name; });
  if (found != engines.end()) return found->open(options);
  return Error(ErrorKind::kNotFound, 9010, "this program was built without such an engine");
}

std::string engine_names() {
  std::string names;
  for (const Known& each : known_engines()) {
    if (!names.empty()) names += ' ';
    names += each.name;
  }
  return names;
}

}  // namespace dgfs::bench
