// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/tree_record.h"

#include <limits>

#include "builder/spool/time_coding.h"
#include "format/coding.h"
#include "format/entry/mode.h"

namespace dgfs::builder {
namespace {

using format::Decoder;
using format::Encoder;

constexpr std::uint64_t kLengthMax = std::numeric_limits<std::uint32_t>::max();

std::size_t begin_record(RecordKind kind, std::uint8_t flags, Buffer& out) {
  const std::size_t begin = out.size();
  Encoder encoder(out);
  encoder.fixed(std::uint32_t{0});
  encoder.fixed(static_cast<std::uint8_t>(kind));
  encoder.fixed(flags);
  return begin;
}

void end_record(std::size_t begin, Buffer& out) {
  format::store(MutableBytes(out), begin,
                static_cast<std::uint32_t>(out.size() - begin - sizeof(std::uint32_t)));
}

void encode_kept(const KeptContent& kept, Encoder& encoder) {
  encoder.fixed(static_cast<std::uint8_t>(kept.codec));
  encoder.varint(kept.stored_bytes);
  encoder.varint(kept.address.volume);
  encoder.varint(kept.address.offset_bytes);
  // 0: none. Else one more than the offset, which may be 0.
  encoder.varint(kept.fragment_offset ? std::uint64_t{*kept.fragment_offset} + 1 : 0);
  encoder.string(as_text(kept.sparse_map));
  encoder.string(as_text(kept.digest));
}

Result<KeptContent> decode_kept(Decoder& decoder) {
  KeptContent kept;
  DGFS_TRY(codec, decoder.fixed<std::uint8_t>());
  DGFS_TRY(stored_bytes, decoder.varint());
  DGFS_TRY(volume, decoder.varint_up_to(std::numeric_limits<format::VolumeNumber>::max()));
  DGFS_TRY(offset_bytes, decoder.varint());
  DGFS_TRY(fragment, decoder.varint_up_to(kLengthMax + 1));
  DGFS_TRY(sparse_map, decoder.string(kLengthMax));
  DGFS_TRY(digest, decoder.string(kLengthMax));
  kept.codec = static_cast<format::ExtentCodec>(codec);
  kept.stored_bytes = stored_bytes;
  kept.address = {static_cast<format::VolumeNumber>(volume), offset_bytes};
  if (fragment != 0) kept.fragment_offset = static_cast<std::uint32_t>(fragment - 1);
  kept.sparse_map = as_bytes(sparse_map);
  kept.digest = as_bytes(digest);
  return kept;
}

}  // namespace

bool ScannedEntry::has_content() const { return format::is_regular(mode) && size_bytes != 0; }

void encode_record(const DirectoryRecord& record, Buffer& out) {
  const auto begin = begin_record(RecordKind::kDirectory, 0, out);
  Encoder encoder(out);
  encoder.varint(record.shared_bytes);
  encoder.string(record.suffix);
  end_record(begin, out);
}

void encode_attributes(const EntryAttributes& attributes, Buffer& out) {
  Encoder encoder(out);
  encoder.fixed(attributes.mode);
  encoder.fixed(attributes.uid);
  encoder.fixed(attributes.gid);
  encoder.fixed(attributes.mtime.seconds);
  encoder.fixed(attributes.mtime.nanoseconds);
}

void encode_record(const ScannedEntry& entry, Buffer& out) {
  auto flags = entry.flags;
  if (entry.kept) flags |= kRecordKept;
  if (entry.ctime || entry.atime) flags |= kRecordTimes;
  const auto begin = begin_record(RecordKind::kEntry, flags, out);
  encode_attributes(entry, out);
  Encoder encoder(out);
  encoder.varint(entry.size_bytes);
  encoder.varint(entry.device);
  encoder.varint(entry.inode);
  encoder.varint(entry.rdev);
  encoder.string(entry.name);
  encoder.string(entry.target);
  encoder.string(as_text(entry.xattrs));
  if ((flags & kRecordTimes) != 0) {
    encode_time(entry.ctime, encoder);
    encode_time(entry.atime, encoder);
  }
  if (entry.kept) encode_kept(*entry.kept, encoder);
  end_record(begin, out);
}

RecordKind record_kind(Bytes record) { return static_cast<RecordKind>(record[4]); }

Result<DirectoryRecord> decode_directory_record(Bytes record) {
  Decoder decoder(record.subspan(kRecordHeaderBytes));
  DirectoryRecord directory;
  DGFS_TRY(shared, decoder.varint());
  DGFS_TRY(suffix, decoder.string(kLengthMax));
  directory.shared_bytes = static_cast<std::size_t>(shared);
  directory.suffix = suffix;
  return directory;
}

Result<ScannedEntry> decode_entry_record(Bytes record) {
  Decoder decoder(record.subspan(kRecordHeaderBytes));
  ScannedEntry entry;
  entry.flags = record[kRecordFlagsOffset];
  DGFS_TRY(mode, decoder.fixed<std::uint32_t>());
  DGFS_TRY(uid, decoder.fixed<std::uint32_t>());
  DGFS_TRY(gid, decoder.fixed<std::uint32_t>());
  DGFS_TRY(seconds, decoder.fixed<std::int64_t>());
  DGFS_TRY(nanoseconds, decoder.fixed<std::uint32_t>());
  DGFS_TRY(size_bytes, decoder.varint());
  DGFS_TRY(device, decoder.varint());
  DGFS_TRY(inode, decoder.varint());
  DGFS_TRY(rdev, decoder.varint());
  DGFS_TRY(name, decoder.string(kLengthMax));
  DGFS_TRY(target, decoder.string(kLengthMax));
  DGFS_TRY(xattrs, decoder.string(kLengthMax));
  entry.mode = mode;
  entry.uid = uid;
  entry.gid = gid;
  entry.mtime = {seconds, nanoseconds};
  entry.size_bytes = size_bytes;
  entry.device = device;
  entry.inode = inode;
  entry.rdev = rdev;
  entry.name = name;
  entry.target = target;
  entry.xattrs = as_bytes(xattrs);
  if ((entry.flags & kRecordTimes) != 0) {
    DGFS_TRY(ctime, decode_time(decoder));
    DGFS_TRY(atime, decode_time(decoder));
    entry.ctime = ctime;
    entry.atime = atime;
  }
  if ((entry.flags & kRecordKept) != 0) {
    DGFS_TRY(kept, decode_kept(decoder));
    entry.kept = kept;
  }
  return entry;
}

Status apply_directory_record(const DirectoryRecord& record, std::string& prefix) {
  if (record.shared_bytes > prefix.size()) {
    return Error(ErrorKind::kCorrupt, 4002, "temporary file is damaged");
  }
  prefix.resize(record.shared_bytes);
  prefix.append(record.suffix);
  return ok();
}

}  // namespace dgfs::builder
