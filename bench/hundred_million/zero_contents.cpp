// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/hundred_million/zero_contents.h"

#include "bench/hundred_million/generated_tree.h"
#include "format/content/extent.h"

namespace dgfs::bench {

ZeroContents::ZeroContents() {
  const Buffer zeros(kFileBytesMax);
  for (std::uint64_t size = 0; size <= kFileBytesMax; ++size) {
    const auto content = Bytes(zeros).first(static_cast<std::size_t>(size));
    checksum_of_size_.push_back(format::frame_checksum(0, content));
  }
}

void ZeroContents::fill(builder::Batch& batch) {
  // Fresh memory from the system is zero and takes no space until it is touched.
  batch.reserve_data(builder::kBatchBytesMax);
  if (auto filled = fill_items(batch); !filled) batch.failure = std::move(filled).error();
}

Status ZeroContents::fill_items(builder::Batch& batch) const {
  for (const builder::BatchItem& item : batch.items) {
    const Bytes record = batch.record(item);
    if (builder::record_kind(record) == builder::RecordKind::kDirectory) continue;
    DGFS_TRY(entry, builder::decode_entry_record(record));
    if (!builder::needs_reading(entry, item)) continue;
    if (entry.size_bytes > kFileBytesMax || batch.piece) {
      return Error(ErrorKind::kLimit, 9004, "a file is larger than generated ones are");
    }
    batch.checksums.push_back(checksum_of_size_[static_cast<std::size_t>(entry.size_bytes)]);
    batch.data_bytes += static_cast<std::size_t>(format::raw_extent_bytes(entry.size_bytes));
  }
  return ok();
}

}  // namespace dgfs::bench
