// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/store/paced_writer.h"

#include <utility>

namespace dgfs::bench {

void PacedWriter::count(std::size_t bytes) {
  ++phase_.operations;
  ++unsynced_operations_;
  phase_.given_bytes += bytes;
  unsynced_bytes_ += bytes;
}

Status PacedWriter::put(Pair pair) {
  count(pair.key.size() + pair.value.size());
  pairs_.push_back(std::move(pair));
  return pairs_.size() < options_.batch ? Status(ok()) : write_batch();
}

Status PacedWriter::patch(Patch patch) {
  count(patch.key.size() + patch.bytes.size());
  patches_.push_back(std::move(patch));
  return patches_.size() < options_.batch ? Status(ok()) : write_batch();
}

Status PacedWriter::remove_range(const std::string& begin, const std::string& end) {
  count(begin.size() + end.size());
  DGFS_CHECK(timed(phase_.calls, [&] { return engine_.remove_range(begin, end); }));
  return sync_if_due();
}

Status PacedWriter::write_batch() {
  if (!pairs_.empty()) {
    DGFS_CHECK(timed(phase_.calls, [&] { return engine_.put(pairs_); }));
  }
  if (!patches_.empty()) {
    DGFS_CHECK(timed(phase_.calls, [&] { return engine_.patch(patches_); }));
  }
  pairs_.clear();
  patches_.clear();
  return sync_if_due();
}

Status PacedWriter::sync_if_due() {
  if (unsynced_operations_ < options_.sync_operations && unsynced_bytes_ < options_.sync_bytes) {
    return ok();
  }
  unsynced_operations_ = unsynced_bytes_ = 0;
  return timed(phase_.syncs, [&] { return engine_.sync(); });
}

Status PacedWriter::finish() {
  DGFS_CHECK(write_batch());
  return timed(phase_.syncs, [&] { return engine_.sync(); });
}

}  // namespace dgfs::bench
