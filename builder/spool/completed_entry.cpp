// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/spool/completed_entry.h"

#include <limits>

#include "builder/spool/time_coding.h"
#include "builder/spool/tree_path.h"
#include "format/coding.h"
#include "format/content/extent.h"
#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::builder {
namespace {

using format::Decoder;
using format::Encoder;
using format::SideRef;

constexpr std::uint64_t kStringBytesMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kFragmentOffsetMax = std::numeric_limits<std::uint32_t>::max();

void encode_ref(const SideRef& ref, Encoder& encoder) {
  encoder.varint(ref.offset_bytes);
  encoder.varint(ref.length_bytes);
}

Status decode_ref(Decoder& decoder, SideRef& ref) {
  DGFS_TRY(offset, decoder.varint());
  DGFS_TRY(length, decoder.varint_up_to(std::numeric_limits<std::uint32_t>::max()));
  ref = {offset, static_cast<std::uint32_t>(length)};
  return ok();
}

Status decode_attributes(Decoder& decoder, format::Entry& record) {
  DGFS_TRY(mode, decoder.fixed<std::uint32_t>());
  DGFS_TRY(uid, decoder.fixed<std::uint32_t>());
  DGFS_TRY(gid, decoder.fixed<std::uint32_t>());
  DGFS_TRY(seconds, decoder.fixed<std::int64_t>());
  DGFS_TRY(nanoseconds, decoder.fixed<std::uint32_t>());
  DGFS_TRY(link_count, decoder.fixed<std::uint32_t>());
  DGFS_TRY(rdev, decoder.varint());
  record.mode = mode;
  record.uid = uid;
  record.gid = gid;
  record.mtime = {seconds, nanoseconds};
  record.link_count = link_count;
  record.rdev = rdev;
  DGFS_TRY(ctime, decode_time(decoder));
  DGFS_TRY(atime, decode_time(decoder));
  record.ctime = ctime;
  record.atime = atime;
  return ok();
}

Status decode_content(Decoder& decoder, format::Entry& record) {
  DGFS_TRY(size_bytes, decoder.varint());
  DGFS_TRY(stored_bytes, decoder.varint());
  DGFS_TRY(codec, decoder.fixed<std::uint8_t>());
  DGFS_TRY(fragment, decoder.varint_up_to(std::uint64_t{kFragmentOffsetMax} + 1));
  DGFS_TRY(address, decoder.varint());
  DGFS_TRY(volume, decoder.varint());
  DGFS_TRY(target, decoder.string(kStringBytesMax));
  record.size_bytes = size_bytes;
  record.stored_bytes = stored_bytes;
  record.codec = static_cast<format::ExtentCodec>(codec);
  record.fragment_offset.reset();
  if (fragment != 0) record.fragment_offset = static_cast<std::uint32_t>(fragment - 1);
  record.address.reset();
  if (address != 0) {
    record.address = format::DataAddress{static_cast<format::VolumeNumber>(volume), address};
  }
  record.target = target;
  DGFS_CHECK(decode_ref(decoder, record.long_target));
  DGFS_CHECK(decode_ref(decoder, record.xattrs));
  return decode_ref(decoder, record.sparse_map);
}

}  // namespace

void complete_entry(std::string_view prefix, const ScannedEntry& scanned, format::Entry& entry) {
  set_key(entry.key, prefix, scanned.name);
  entry.mode = scanned.mode;
  entry.uid = scanned.uid;
  entry.gid = scanned.gid;
  entry.mtime = scanned.mtime;
  entry.ctime = scanned.ctime;
  entry.atime = scanned.atime;
  const bool symlink = format::is_symlink(scanned.mode);
  entry.size_bytes = symlink ? scanned.target.size() : scanned.size_bytes;
  entry.stored_bytes =
      format::is_regular(scanned.mode) ? format::raw_extent_bytes(scanned.size_bytes) : 0;
  entry.codec = format::ExtentCodec::kRaw;
  entry.address.reset();
  entry.gap_bytes = 0;
  entry.fragment_offset.reset();
  entry.link_inode = 0;
  entry.link_count = 0;
  entry.rdev = scanned.rdev;
  entry.target.clear();
  if (scanned.target.size() <= format::kInlineTargetBytesMax) entry.target = scanned.target;
  entry.long_target = {};
  entry.xattrs = {};
  entry.sparse_map = {};
}

void encode_link_record(const format::Entry& record, Buffer& out) {
  Buffer body;
  Encoder encoder(body);
  encoder.string(record.key);
  encoder.fixed(record.mode);
  encoder.fixed(record.uid);
  encoder.fixed(record.gid);
  encoder.fixed(record.mtime.seconds);
  encoder.fixed(record.mtime.nanoseconds);
  encoder.fixed(record.link_count);
  encoder.varint(record.rdev);
  encode_time(record.ctime, encoder);
  encode_time(record.atime, encoder);
  encoder.varint(record.size_bytes);
  encoder.varint(record.stored_bytes);
  encoder.fixed(static_cast<std::uint8_t>(record.codec));
  // 0: none. Else one more than the offset, which may be 0.
  encoder.varint(record.fragment_offset ? std::uint64_t{*record.fragment_offset} + 1 : 0);
  encoder.varint(record.address ? record.address->offset_bytes : 0);
  encoder.varint(record.address ? record.address->volume : 0);
  encoder.string(record.target);
  encode_ref(record.long_target, encoder);
  encode_ref(record.xattrs, encoder);
  encode_ref(record.sparse_map, encoder);
  Encoder(out).fixed(static_cast<std::uint32_t>(body.size()));
  Encoder(out).raw(body);
}

Status decode_link_record(SpoolCursor& cursor, format::Entry& record) {
  DGFS_TRY(length, cursor.take(sizeof(std::uint32_t)));
  DGFS_TRY(body, cursor.take(format::load<std::uint32_t>(length, 0)));
  Decoder decoder(body);
  DGFS_TRY(key, decoder.string(kStringBytesMax));
  record = {};
  record.key = key;
  DGFS_CHECK(decode_attributes(decoder, record));
  return decode_content(decoder, record);
}

}  // namespace dgfs::builder
