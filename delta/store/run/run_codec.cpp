// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Encodes and decodes runs, as in blocks of the tree and groups of the log.
//
//   run       numbers of points and of range tombstones: varints; then these
//   point     shared: varint, length of the prefix that the key shares with the one before; rest of
//             the key: string; kind: 1 byte; for a put its value: string; for a put of a large
//             value (3) its place; for a put with a patch (5) the value: string; for the last two
//             and for a patch, the edits: patch (patch_codec.h)
//   place     of a large value: offset / 512, length: varints, checksums of its parts: 8 bytes each
//   range tombstone  begin: string; 1 byte: whether it ends; then the end: string
//
// So a small change of a known key takes its own bytes and about eight more.
#include <algorithm>
#include <utility>
#include <vector>

#include "delta/store/disk/decode_error.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/disk/place_codec.h"
#include "delta/store/message/overlay.h"
#include "delta/store/message/patch_codec.h"
#include "delta/store/run/run_builder.h"
#include "format/coding.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

// The other tags are the numbers of MessageKind.
constexpr std::uint8_t kLargePut = 3;
constexpr std::uint8_t kChangedPut = 5;

// Extra room for shared prefixes of keys, as a share of the encoded bytes.
constexpr std::size_t kSharedShare = 8;
// Bounds the room that is reserved in advance for all pages, whatever their stated number.
constexpr std::size_t kPagedBytesMax = std::size_t{16} << 20;

std::size_t shared_length(std::string_view a, std::string_view b) {
  const auto [at, other] = std::mismatch(
      a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::size_t>(at - a.begin());
}

void encode_boxed(const Message& message, Encoder& out) {
  LargeNumbers numbers;
  if (message.large) {
    static_cast<void>(numbers.add(*message.large));
    out.fixed(kLargePut);
    encode_value_place(*message.large->place(), out);
  } else if (message.value) {
    out.fixed(kChangedPut);
    out.string(*message.value);
  } else {
    out.fixed(static_cast<std::uint8_t>(MessageKind::kPatch));
  }
  encode_patch(message.patch, numbers, out);
}

void encode_point(const Point& point, Encoder& out) {
  if (point.boxed != nullptr) {
    encode_boxed(*point.boxed, out);
    return;
  }
  out.fixed(static_cast<std::uint8_t>(point.kind));
  if (point.kind == MessageKind::kPut) out.string(point.value);
  if (point.kind == MessageKind::kPatch) out.raw(as_bytes(point.value));
}

Result<Message> decode_boxed(std::uint8_t kind, std::size_t bytes_max, Decoder& in) {
  Message message;
  LargeValues values;
  if (kind == kLargePut) {
    DGFS_TRY(large, values.decode(in));
    message = Message::put(std::move(large));
  } else if (kind == kChangedPut) {
    DGFS_TRY(value, in.string(kValueBytesMax));
    if (value.size() > bytes_max) return too_large(in);
    message = Message::put(std::string(value));
  }
  DGFS_TRY(patch, decode_patch(bytes_max, values, in));
  if (kind == kChangedPut && patch.empty()) {
    return corrupt(7155, in, "a changed value without a change");
  }
  message.patch = std::move(patch);
  return message;
}

// May exceed `bytes_max` by about the encoded length of the point.
Status decode_point(std::string_view key, std::size_t bytes_max, Decoder& in, RunBuilder& points) {
  DGFS_TRY(kind, in.fixed<std::uint8_t>());
  if (kind == static_cast<std::uint8_t>(MessageKind::kPatch)) {
    DGFS_TRY(patch, pass_small_patch(in));
    if (patch) {
      if (patch->size() > bytes_max) return too_large(in);
      points.add_patch(key, *patch);
      return ok();
    }
  }
  if (kind == kLargePut || kind == kChangedPut ||
      kind == static_cast<std::uint8_t>(MessageKind::kPatch)) {
    DGFS_TRY(message, decode_boxed(kind, bytes_max, in));
    points.add(key, std::move(message));
    return ok();
  }
  switch (static_cast<MessageKind>(kind)) {
    case MessageKind::kPut: {
      DGFS_TRY(value, in.string(kValueBytesMax));
      points.add_put(key, value);
      return ok();
    }
    case MessageKind::kDelete:
    case MessageKind::kErase:
      points.add_removal(key, static_cast<MessageKind>(kind));
      return ok();
    case MessageKind::kPatch:
      break;
  }
  return corrupt(7004, in, "a message of no known kind");
}

// A point of a usual kind: a removal, or a put with a short value.
struct PlainPoint {
  std::uint64_t shared = 0;  // length of the prefix shared with the key before
  std::string_view rest;
  MessageKind kind = MessageKind::kDelete;
  std::string_view value;
};

// Almost all points are plain and have short lengths, and a point lookup decodes a whole run; so
// plain points are decoded without a Result for each field. False: nothing was consumed; the caller
// decodes the point with Results, which may still succeed.
bool read_plain(std::size_t last_key_bytes, Decoder& in, PlainPoint& point) {
  Decoder ahead = in;
  if (!ahead.try_short_varint(point.shared) || point.shared > last_key_bytes ||
      !ahead.try_short_string(point.rest) || point.rest.size() > kKeyBytesMax - point.shared ||
      ahead.at_end()) {
    return false;
  }
  point.kind = static_cast<MessageKind>(ahead.rest().front());
  ahead.skip(1);
  point.value = {};
  if (point.kind == MessageKind::kPut ? !ahead.try_short_string(point.value)
                                      : !is_needless_over_nothing(point.kind)) {
    return false;
  }
  in = ahead;
  return true;
}

/// @param bytes_max  of all points, including those of earlier pages, which stay below it
Status decode_points(std::uint64_t count, std::size_t bytes_max, Decoder& in, RunBuilder& points) {
  PlainPoint plain;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Decoder at_point = in;
    // The first key of a page shares no prefix, so that the page can be read alone.
    const std::string_view last = i == 0 ? std::string_view() : points.last_key();
    const bool is_plain = read_plain(last.size(), in, plain);
    if (!is_plain) {
      DGFS_TRY(shared, in.varint_up_to(last.size()));
      plain.shared = shared;
      DGFS_TRY(rest, in.string(kKeyBytesMax - shared));
      plain.rest = rest;
    }
    const auto shared = static_cast<std::size_t>(plain.shared);
    const bool is_above = i == 0 ? points.empty() || points.last_key() < plain.rest
                                 : last.substr(shared) < plain.rest;
    if (!is_above) return corrupt(7007, at_point, "keys out of order");
    if (is_plain) {
      points.add_next(shared, plain.rest, plain.kind, plain.value);
    } else {
      std::string key(last.substr(0, shared));
      key += plain.rest;
      DGFS_CHECK(decode_point(key, bytes_max - points.size_bytes(), in, points));
    }
    if (points.size_bytes() > bytes_max) return too_large(in);
  }
  return ok();
}

// The range tombstones of a run, or of its next page.
Status decode_tombstones(std::uint64_t count, std::size_t bytes_max, Decoder& in,
                         RangeTombstones& tombstones) {
  KeyEnd last;
  for (std::uint64_t i = 0; i < count; ++i) {
    KeyRange range;
    DGFS_TRY(begin, in.string(kKeyBytesMax));
    range.begin = begin;
    DGFS_TRY(ends, in.fixed<std::uint8_t>());
    if (ends > 1) return corrupt(7005, in, "a range tombstone has an invalid end mark");
    if (ends == 1) {
      DGFS_TRY(end, in.string(kKeyBytesMax));
      range.end = std::string(end);
    }
    if (range.empty() || (i != 0 && (!last || *last >= range.begin))) {
      return corrupt(7006, in, "range tombstones are empty, out of order, or touch");
    }
    last = range.end;
    tombstones.add(std::move(range));
    if (tombstones.size_bytes() > bytes_max) return too_large(in);
  }
  return ok();
}

}  // namespace

void Run::encode_points(std::size_t begin, std::size_t end, Encoder& encoder) const {
  std::string_view last;
  for (auto at = begin; at < end; ++at) {
    const Point each = point(at);
    const auto shared = shared_length(last, each.key);
    encoder.varint(shared);
    encoder.string(each.key.substr(shared));
    encode_point(each, encoder);
    last = each.key;
  }
}

void Run::encode_page(std::size_t begin, std::size_t end, const RangeTombstones& tombstones,
                      Buffer& out) const {
  Encoder encoder(out);
  encoder.varint(end - begin);
  encoder.varint(tombstones.size());
  encode_points(begin, end, encoder);
  for (const auto& [from, to] : tombstones) {
    encoder.string(from);
    encoder.fixed(static_cast<std::uint8_t>(to.has_value()));
    if (to) encoder.string(*to);
  }
}

void Run::encode(Buffer& out) const { encode_page(0, size(), tombstones_, out); }

Status Run::decode_page(Bytes bytes, std::size_t pages, std::size_t size_bytes_max,
                        RunBuilder& points, RangeTombstones& tombstones) {
  Decoder in(bytes);
  // A point or a range tombstone takes at least two bytes, so a false count cannot ask for more
  // memory than the bytes can fill.
  DGFS_TRY(point_count, in.varint_up_to(bytes.size()));
  DGFS_TRY(tombstone_count, in.varint_up_to(bytes.size()));
  if (points.empty()) {
    const auto alike = std::min(pages, kPagedBytesMax / std::max(bytes.size(), std::size_t{1}) + 1);
    const auto count = std::min(static_cast<std::size_t>(point_count), bytes.size() / 3) * alike;
    const auto room = (bytes.size() + bytes.size() / kSharedShare) * alike;
    points.reserve(std::min(count, size_bytes_max / Point::kBytes), std::min(room, size_bytes_max));
  }
  DGFS_CHECK(decode_points(point_count, size_bytes_max - tombstones.size_bytes(), in, points));
  DGFS_CHECK(
      decode_tombstones(tombstone_count, size_bytes_max - points.size_bytes(), in, tombstones));
  return in.finish();
}

Result<RunRef> Run::whole(RunBuilder& points, RangeTombstones tombstones) {
  RunRef run = points.take(std::move(tombstones));
  if (run->tombstones().empty()) return run;
  for (const Point point : run->points()) {
    if (point.kind != MessageKind::kPut && run->tombstones().covers(point.key)) {
      return Error(ErrorKind::kCorrupt, 7008, "a message that a range tombstone covers");
    }
  }
  return run;
}

Result<RunRef> Run::decode(Bytes bytes, std::size_t size_bytes_max) {
  RunBuilder points;
  RangeTombstones tombstones;
  DGFS_CHECK(decode_page(bytes, 1, size_bytes_max, points, tombstones));
  return whole(points, std::move(tombstones));
}

}  // namespace dgfs::delta
