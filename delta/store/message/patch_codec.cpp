// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/message/patch_codec.h"

#include <algorithm>
#include <utility>

#include "delta/store/disk/decode_error.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/extent/value_place.h"

namespace dgfs::delta {
namespace {

using format::Decoder;
using format::Encoder;

// The other tags are the numbers of FieldOperation.
constexpr std::uint8_t kPieceTag = 0;
constexpr std::uint8_t kZerosTag = 6;
constexpr std::uint8_t kLeastTag = 7;
constexpr std::uint8_t kLargePieceTag = 8;
constexpr std::uint8_t kKnownLargePieceTag = 9;

void encode_large_piece(const LargePiece& piece, LargeNumbers& numbers, Encoder& out) {
  const bool is_new = numbers.add(*piece.large);
  out.fixed(is_new ? kLargePieceTag : kKnownLargePieceTag);
  out.varint(piece.offset_bytes);
  if (is_new) {
    encode_value_place(*piece.large->place(), out);
  } else {
    out.varint(numbers[*piece.large]);
  }
  out.varint(piece.skip_bytes);
  out.varint(piece.length_bytes);
}

void encode_edit(const Edit& edit, LargeNumbers& numbers, Encoder& out) {
  if (const auto* piece = std::get_if<Piece>(&edit)) {
    out.fixed(kPieceTag);
    out.varint(piece->offset_bytes);
    out.string(piece->bytes);
  } else if (const auto* zeros = std::get_if<Zeros>(&edit)) {
    out.fixed(kZerosTag);
    out.varint(zeros->offset_bytes);
    out.varint(zeros->length_bytes);
  } else if (const auto* large = std::get_if<LargePiece>(&edit)) {
    encode_large_piece(*large, numbers, out);
  } else {
    const auto& change = std::get<FieldChange>(edit);
    out.fixed(static_cast<std::uint8_t>(change.operation));
    out.varint(change.offset_bytes);
    out.varint(change.operand);
  }
}

Result<Edit> decode_large_piece(std::uint8_t tag, LargeValues& values, Decoder& in) {
  DGFS_TRY(offset, in.varint_up_to(kValueBytesMax));
  auto found = tag == kLargePieceTag ? values.decode(in) : values.decode_known(in);
  if (!found) return std::move(found).error();
  LargeRef large = std::move(found).value();
  DGFS_TRY(skip, in.varint_up_to(large->length_bytes()));
  DGFS_TRY(length, in.varint_up_to(std::min(large->length_bytes() - skip,
                                            std::uint64_t{kValueBytesMax} - offset)));
  if (length == 0) return corrupt(7154, in, "a large piece without bytes");
  return Edit(LargePiece{offset, std::move(large), skip, length});
}

// An edit without a large piece, by reference.
struct SmallEdit {
  std::uint8_t tag = 0;
  std::uint64_t offset_bytes = 0;
  std::string_view bytes;    // of a piece
  std::uint64_t number = 0;  // number of zeros, or operand
};

Result<SmallEdit> read_small_edit(std::uint8_t tag, Decoder& in) {
  SmallEdit edit{tag, 0, {}, 0};
  DGFS_TRY(offset, in.varint_up_to(kValueBytesMax));
  edit.offset_bytes = offset;
  if (tag == kPieceTag) {
    DGFS_TRY(bytes, in.string(kValueBytesMax - offset));
    if (bytes.empty()) return corrupt(7001, in, "a piece without bytes");
    edit.bytes = bytes;
    return edit;
  }
  if (tag == kZerosTag) {
    DGFS_TRY(length, in.varint_up_to(kValueBytesMax - offset));
    if (length == 0) return corrupt(7151, in, "a range of zeros without length");
    edit.number = length;
    return edit;
  }
  if (tag > static_cast<std::uint8_t>(FieldOperation::kSignedMin)) {
    return corrupt(7002, in, "an edit of an unknown kind");
  }
  if (offset > kValueBytesMax - FieldChange::kFieldBytes) {
    return corrupt(7003, in, "a field beyond the longest value");
  }
  DGFS_TRY(operand, in.varint());
  edit.number = operand;
  return edit;
}

Edit edit_of(const SmallEdit& edit) {
  if (edit.tag == kPieceTag) return Piece{edit.offset_bytes, std::string(edit.bytes)};
  if (edit.tag == kZerosTag) return Zeros{edit.offset_bytes, edit.number};
  return FieldChange{edit.offset_bytes, static_cast<FieldOperation>(edit.tag), edit.number};
}

bool is_large(std::uint8_t tag) { return tag == kLargePieceTag || tag == kKnownLargePieceTag; }

Result<Edit> decode_edit(std::uint8_t tag, LargeValues& values, Decoder& in) {
  if (is_large(tag)) return decode_large_piece(tag, values, in);
  DGFS_TRY(edit, read_small_edit(tag, in));
  return edit_of(edit);
}

// The least length, with which a patch ends.
Result<std::uint64_t> decode_least(Decoder& in) {
  DGFS_TRY(least, in.varint_up_to(kValueBytesMax));
  if (least == 0) return corrupt(7152, in, "a minimum length of 0");
  return least;
}

}  // namespace

Error too_large(const Decoder& in) {
  return corrupt(7010, in, "a run takes more memory than announced");
}

Result<LargeRef> LargeValues::decode(Decoder& in) {
  DGFS_TRY(place, decode_value_place(in));
  if (!offsets_.insert(place.offset_bytes).second) {
    return corrupt(7153, in, "two large values at one place");
  }
  return all_.emplace_back(std::make_shared<const LargeValue>(std::move(place)));
}

Result<LargeRef> LargeValues::decode_known(Decoder& in) const {
  DGFS_TRY(number, in.varint());
  if (number >= all_.size()) return corrupt(7159, in, "a large value that was not named before");
  return all_[static_cast<std::size_t>(number)];
}

void encode_patch(const Patch& patch, LargeNumbers& numbers, Encoder& out) {
  const bool has_least = patch.least_bytes() != 0;
  out.varint(patch.edits().size() + (has_least ? 1 : 0));
  for (const Edit& edit : patch.edits()) encode_edit(edit, numbers, out);
  if (!has_least) return;
  out.fixed(kLeastTag);
  out.varint(patch.least_bytes());
}

Result<Patch> decode_patch(std::size_t bytes_max, LargeValues& values, Decoder& in) {
  DGFS_TRY(count, in.varint_up_to(in.remaining()));
  Edits edits;
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    DGFS_TRY(tag, in.fixed<std::uint8_t>());
    if (tag == kLeastTag && i + 1 == count) {
      DGFS_TRY(least, decode_least(in));
      return Patch(std::move(edits), least);
    }
    DGFS_TRY(edit, decode_edit(tag, values, in));
    bytes += Patch::bytes_of(edit);
    if (bytes > bytes_max) return too_large(in);
    edits.push_back(std::move(edit));
  }
  return Patch(std::move(edits));
}

Result<std::optional<Bytes>> pass_small_patch(Decoder& in) {
  const Decoder begin = in;
  DGFS_TRY(count, in.varint_up_to(in.remaining()));
  for (std::uint64_t i = 0; i < count; ++i) {
    DGFS_TRY(tag, in.fixed<std::uint8_t>());
    if (is_large(tag)) {
      in = begin;
      return std::optional<Bytes>();
    }
    if (tag == kLeastTag && i + 1 == count) {
      DGFS_CHECK(decode_least(in));
    } else {
      DGFS_CHECK(read_small_edit(tag, in));
    }
  }
  return std::optional(begin.rest().first(begin.remaining() - in.remaining()));
}

Patch small_patch_of(std::string_view bytes) {
  LargeValues none;
  Decoder in(as_bytes(bytes));
  return decode_patch(SIZE_MAX, none, in).value();
}

}  // namespace dgfs::delta
