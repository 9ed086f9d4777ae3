// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/tree_spool.h"

#include <utility>

#include "format/coding.h"
#include "format/entry/key.h"

namespace dgfs::builder {

Status TreeSpool::begin_directory(std::string_view prefix) {
  DirectoryRecord record;
  record.shared_bytes = format::shared_prefix_bytes(prefix_, prefix);
  record.suffix = prefix.substr(record.shared_bytes);
  record_.clear();
  encode_record(record, record_);
  prefix_ = prefix;
  return spool_.append(record_);
}

Result<std::uint64_t> TreeSpool::add(const ScannedEntry& entry) {
  const std::uint64_t offset = spool_.size_bytes();
  if (entry_count_ % sample_stride_ == 0) sample();
  record_.clear();
  encode_record(entry, record_);
  DGFS_CHECK(spool_.append(record_));
  ++entry_count_;
  return offset;
}

Status TreeSpool::omit(std::uint64_t record_offset) {
  return spool_.patch(record_offset + kRecordFlagsOffset, Bytes(&kRecordOmitted, 1));
}

Status TreeSpool::restate(std::uint64_t record_offset, const EntryAttributes& attributes) {
  Buffer encoded;
  encode_attributes(attributes, encoded);
  return spool_.patch(record_offset + kRecordAttributesOffset, encoded);
}

Result<Bytes> TreeSpool::read(std::uint64_t record_offset) {
  record_.resize(sizeof(std::uint32_t));
  DGFS_CHECK(spool_.read(record_offset, record_));
  record_.resize(sizeof(std::uint32_t) + format::load<std::uint32_t>(record_, 0));
  DGFS_CHECK(spool_.read(record_offset, record_));
  return Bytes(record_);
}

void TreeSpool::sample() {
  if (samples_.size() == kSamplePointsMax) {
    for (std::size_t i = 0; i < kSamplePointsMax / 2; ++i) {
      samples_[i] = std::move(samples_[2 * i]);
    }
    samples_.resize(kSamplePointsMax / 2);
    sample_stride_ *= 2;
    if (entry_count_ % sample_stride_ != 0) return;
  }
  samples_.push_back({spool_.size_bytes(), prefix_, entry_count_});
}

TreeReader::TreeReader(const TreeSpool& tree)
    : cursor_(tree.spool(), 0, tree.spool().size_bytes()), packed_(tree.packed()) {}

TreeReader::TreeReader(const TreeSpool& tree, const SamplePoint& from)
    : TreeReader(tree, from, tree.spool().size_bytes()) {}

TreeReader::TreeReader(const TreeSpool& tree, const SamplePoint& from, std::uint64_t end_bytes)
    : cursor_(tree.spool(), from.offset_bytes, end_bytes),
      packed_(tree.packed()),
      prefix_(from.prefix) {}

Result<std::optional<Bytes>> TreeReader::next() {
  if (cursor_.at_end()) return std::nullopt;
  record_offset_ = cursor_.offset_bytes();
  // Takes the length field twice: alone, and then as part of the whole record.
  DGFS_TRY(head, cursor_.take(sizeof(std::uint32_t)));
  const auto length = format::load<std::uint32_t>(head, 0);
  if (length < kRecordHeaderBytes - sizeof(std::uint32_t)) {
    return Error(ErrorKind::kCorrupt, 4003, "temporary file is damaged");
  }
  DGFS_TRY(record, cursor_.take_again(sizeof(std::uint32_t), length));
  if (record_kind(record) == RecordKind::kDirectory) {
    DGFS_TRY(directory, decode_directory_record(record));
    DGFS_CHECK(apply_directory_record(directory, prefix_));
  } else if (!packed_.empty() && (record[kRecordFlagsOffset] & kRecordKept) != 0) {
    DGFS_TRY(changed, without_packed(record));
    return changed;
  }
  return record;
}

// The place of the content stands last in a record, and nobody reads it without the flag.
Result<Bytes> TreeReader::without_packed(Bytes record) {
  DGFS_TRY(entry, decode_entry_record(record));
  if (!packed_.contains(entry.kept->address.volume)) return record;
  changed_.assign(record.begin(), record.end());
  changed_[kRecordFlagsOffset] &= static_cast<std::uint8_t>(~kRecordKept);
  return Bytes(changed_);
}

}  // namespace dgfs::builder
