// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/page_directory_writer.h"

#include <utility>

#include "format/header/section.h"

namespace dgfs::builder {
namespace {

using format::SectionKind;

// Blocks also end by bytes, for trees with very long paths: a block body has at most 16 MiB.
constexpr std::size_t kBlockStringBytesMax = std::size_t{1} << 20;

}  // namespace

Status PageDirectoryWriter::add(format::PageRecord record) {
  record_bytes_ += record.prefix.size() + record.separator.size();
  records_.push_back(std::move(record));
  ++page_count_;
  const bool full = records_.size() == format::kPageDirectoryBlockRecords ||
                    record_bytes_ >= kBlockStringBytesMax;
  return full ? end_block() : Status(ok());
}

Status PageDirectoryWriter::end_block() {
  const format::PageRecord& first = records_.front();
  Buffer block;
  format::seal_block(SectionKind::kPageDirectory, format::encode_page_block(records_), block);
  format::PageRootRow row;
  row.zone = first.zone;
  row.bound = first.prefix + first.separator;
  row.first_ordinal = first.first_ordinal;
  row.first_page = page_count_ - records_.size();
  row.page_count = static_cast<std::uint32_t>(records_.size());
  row.offset_bytes = blocks_.size_bytes();
  row.length_bytes = static_cast<std::uint32_t>(block.size());
  row_bytes_ += row.bound.size();
  rows_.push_back(std::move(row));
  records_.clear();
  record_bytes_ = 0;
  DGFS_CHECK(blocks_.append(block));
  const bool full =
      rows_.size() == format::kPageRootBlockRows || row_bytes_ >= kBlockStringBytesMax;
  return full ? end_root_block() : Status(ok());
}

Status PageDirectoryWriter::end_root_block() {
  Buffer body;
  format::encode_page_root(rows_, body);
  Buffer block;
  format::seal_block(SectionKind::kPageRoot, body, block);
  rows_.clear();
  row_bytes_ = 0;
  return root_.append(block);
}

Status PageDirectoryWriter::finish() {
  if (!records_.empty()) {
    DGFS_CHECK(end_block());
  }
  return rows_.empty() ? Status(ok()) : end_root_block();
}

}  // namespace dgfs::builder
