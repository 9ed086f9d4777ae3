// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include <algorithm>

#include "bench/store/record_target.h"
#include "delta/store/store.h"
#include "storage/posix/env.h"

namespace dgfs::bench {
namespace {

constexpr std::uint64_t kChunkBytes = 4096;
constexpr std::uint64_t kObject = 1;

void append_big_endian(std::string& text, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xff);
}

std::string key_of(std::uint64_t chunk) {
  std::string key;
  append_big_endian(key, kObject);
  append_big_endian(key, chunk);
  return key;
}

class StoreTarget final : public RecordTarget {
 public:
  StoreTarget(std::unique_ptr<storage::Env> env, std::unique_ptr<delta::Store> store)
      : env_(std::move(env)), store_(std::move(store)) {}

  // A record that crosses a chunk boundary is two pieces in one batch.
  Status write(std::uint64_t offset_bytes, std::string_view record) override {
    delta::Batch batch;
    while (!record.empty()) {
      const std::uint64_t within = offset_bytes % kChunkBytes;
      const auto piece = record.substr(0, kChunkBytes - within);
      // A whole chunk replaces the old one without reading it.
      if (piece.size() == kChunkBytes) {
        batch.put(key_of(offset_bytes / kChunkBytes), std::string(piece));
      } else {
        batch.patch(key_of(offset_bytes / kChunkBytes), within, std::string(piece));
      }
      offset_bytes += piece.size();
      record.remove_prefix(piece.size());
    }
    DGFS_CHECK(store_->apply(batch));
    return ok();
  }

  Status sync() override { return store_->sync(); }
  Status settle() override { return store_->checkpoint(); }

  Status read(std::uint64_t offset_bytes, std::string& record) override {
    for (std::size_t at = 0; at < record.size();) {
      const std::uint64_t within = (offset_bytes + at) % kChunkBytes;
      DGFS_TRY(chunk, store_->get(key_of((offset_bytes + at) / kChunkBytes)));
      const auto bytes = std::min<std::size_t>(record.size() - at, kChunkBytes - within);
      if (!chunk || chunk->size() < within + bytes) {
        return Error(ErrorKind::kCorrupt, 9016, "a chunk is missing, or too short");
      }
      record.replace(at, bytes, *chunk, within, bytes);
      at += bytes;
    }
    return ok();
  }

 private:
  std::unique_ptr<storage::Env> env_;
  std::unique_ptr<delta::Store> store_;
};

}  // namespace

Result<std::unique_ptr<RecordTarget>> make_store_target(const std::string& directory) {
  delta::StoreOptions options;
  options.create = true;
  options.in_background = true;
  auto env = storage::make_posix_env();
  DGFS_TRY(store, delta::Store::open(*env, directory + "/records", options));
  DGFS_CHECK(store->start());
  return std::unique_ptr<RecordTarget>(
      std::make_unique<StoreTarget>(std::move(env), std::move(store)));
}

}  // namespace dgfs::bench
