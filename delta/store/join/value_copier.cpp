// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/join/value_copier.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "delta/store/message/value_part.h"
#include "format/checksum.h"

namespace dgfs::delta {
namespace {

// Longer values are not in memory as a whole. A multiple of each value_part_bytes().
constexpr std::size_t kCopiedPieceBytes = std::size_t{1} << 20;
static_assert(kCopiedPieceBytes % value_part_bytes(kValueBytesMax) == 0);

bool is_bytes(const Edit& edit) {
  return std::holds_alternative<Piece>(edit) || std::holds_alternative<LargePiece>(edit);
}

// The bytes of all pieces.
std::uint64_t bytes_in(const Patch& patch) {
  std::uint64_t bytes = 0;
  for (const Edit& edit : patch.edits()) {
    if (is_bytes(edit)) bytes += end_of(edit) - begin_of(edit);
  }
  return bytes;
}

std::uint64_t bytes_of_base(const Message& put) {
  return put.value ? put.value->size() : put.large->length_bytes();
}

Status nothing_below(std::uint64_t /*begin_bytes*/, MutableBytes out) {
  std::ranges::fill(out, std::uint8_t{0});
  return ok();
}

// The end of the pieces that touch one another.
std::size_t end_of_touching(const Edits& edits, std::size_t begin) {
  auto end = begin + 1;
  while (end < edits.size() && is_bytes(edits[end]) &&
         end_of(edits[end - 1]) == begin_of(edits[end])) {
    ++end;
  }
  return end;
}

const ExtentVolume& volume_of(const LargeRef& large, std::span<const MessageOfStore> said) {
  for (const MessageOfStore& each : said) {
    bool has_it = false;
    visit_large(each.message, [&](const LargeRef& other) { has_it |= other == large; });
    if (has_it) return *each.values;
  }
  return *said.front().values;  // cannot be: the merged message has no others
}

}  // namespace

bool ValueCopier::has_work(const Message& message) const {
  if (message.large) return true;
  if (message.value && message.value->size() > bounds_.value_bytes_max) return true;
  return std::ranges::any_of(message.patch.edits(), [this](const Edit& edit) {
    return std::holds_alternative<LargePiece>(edit) ||
           (std::holds_alternative<Piece>(edit) &&
            end_of(edit) - begin_of(edit) > bounds_.piece_bytes_max);
  });
}

// A put becomes one value if that has no more bytes than its parts.
Result<Message> ValueCopier::copied(Message joined, std::span<const MessageOfStore> said,
                                    bool is_over_nothing) {
  StackedValue parts;
  for (const MessageOfStore& each : said) parts.add_older(each.message, *each.values);
  if (is_over_nothing) parts.add_nothing_older();
  if (joined.kind == MessageKind::kPut) {
    const auto length_bytes = length_of_value(joined);
    if (length_bytes <= bytes_of_base(joined) + bytes_in(joined.patch)) {
      return folded(length_bytes, parts);
    }
  }
  if (!joined.patch.is_ordered() || parts.has_fields()) {
    return copied_singly(std::move(joined), said);
  }
  if (joined.large) {
    DGFS_TRY(large, copy_of(joined.large, 0, joined.large->length_bytes(), said));
    joined.large = std::move(large);
  }
  DGFS_TRY(patch, copied_stretches(joined.patch, parts));
  joined.patch = std::move(patch);
  return joined;
}

// Fields that patches change may lie across the ends of pieces, so such a value is read at once.
Result<Message> ValueCopier::folded(std::uint64_t length_bytes, const StackedValue& parts) {
  const Fill fill = [&](std::uint64_t begin, MutableBytes out) {
    return parts.read(begin, out, nothing_below);
  };
  if (length_bytes <= bounds_.value_bytes_max) {
    DGFS_TRY(bytes, filled(length_bytes, fill));
    return Message::put(std::move(bytes));
  }
  if (parts.has_fields()) {
    DGFS_TRY(bytes, filled(length_bytes, fill));
    DGFS_TRY(large, made(length_bytes, [&](std::uint64_t begin, MutableBytes out) {
               bytes.copy(reinterpret_cast<char*>(out.data()), out.size(),
                          static_cast<std::size_t>(begin));
               return Status(ok());
             }));
    return Message::put(std::move(large));
  }
  DGFS_TRY(large, made(length_bytes, fill));
  return Message::put(std::move(large));
}

// Of an ordered patch.
Result<Patch> ValueCopier::copied_stretches(const Patch& patch, const StackedValue& parts) {
  const auto& edits = patch.edits();
  Edits all;
  for (std::size_t begin = 0; begin < edits.size();) {
    const auto end = is_bytes(edits[begin]) ? end_of_touching(edits, begin) : begin + 1;
    const auto offset = begin_of(edits[begin]);
    const auto length = end_of(edits[end - 1]) - offset;
    const Fill fill = [&](std::uint64_t at, MutableBytes out) {
      return parts.read(offset + at, out, nothing_below);
    };
    if (!is_bytes(edits[begin])) {
      all.push_back(edits[begin]);
    } else if (length <= bounds_.piece_bytes_max) {
      DGFS_TRY(bytes, filled(length, fill));
      all.emplace_back(Piece{offset, std::move(bytes)});
    } else {
      DGFS_TRY(large, made(length, fill));
      all.emplace_back(LargePiece{offset, std::move(large), 0, length});
    }
    begin = end;
  }
  return Patch(std::move(all), patch.least_bytes());
}

// The order of the edits stays, so each piece is copied alone.
Result<Message> ValueCopier::copied_singly(Message joined, std::span<const MessageOfStore> said) {
  if (joined.large) {
    DGFS_TRY(large, copy_of(joined.large, 0, joined.large->length_bytes(), said));
    joined.large = std::move(large);
  }
  auto edits = joined.patch.edits();
  for (Edit& edit : edits) {
    auto* piece = std::get_if<LargePiece>(&edit);
    if (piece == nullptr) continue;
    DGFS_TRY(large, copy_of(piece->large, piece->skip_bytes, piece->length_bytes, said));
    piece->large = std::move(large);
    piece->skip_bytes = 0;
  }
  joined.patch = Patch(std::move(edits), joined.patch.least_bytes());
  return joined;
}

Result<LargeRef> ValueCopier::copy_of(const LargeRef& large, std::uint64_t skip_bytes,
                                      std::uint64_t length_bytes,
                                      std::span<const MessageOfStore> said) {
  const ExtentVolume& volume = volume_of(large, said);
  return made(length_bytes, [&](std::uint64_t begin, MutableBytes out) -> Status {
    DGFS_TRY(slice, large->load_part(volume, skip_bytes + begin, out.size()));
    slice.bytes().copy(reinterpret_cast<char*>(out.data()), out.size());
    return ok();
  });
}

Result<std::string> ValueCopier::filled(std::uint64_t length_bytes, const Fill& fill) {
  std::string bytes(static_cast<std::size_t>(length_bytes), '\0');
  if (bytes.empty()) return bytes;
  DGFS_CHECK(before_read_(length_bytes));
  DGFS_CHECK(fill(0, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}));
  return bytes;
}

// Short values are written together.
Result<LargeRef> ValueCopier::made(std::uint64_t length_bytes, const Fill& fill) {
  if (length_bytes > kCopiedPieceBytes) return made_in_pieces(length_bytes, fill);
  DGFS_TRY(bytes, filled(length_bytes, fill));
  auto large = std::make_shared<const LargeValue>(
      std::make_shared<const std::string>(std::move(bytes)), to_);
  DGFS_CHECK(binder_.add(*large));
  return LargeRef(std::move(large));
}

Result<LargeRef> ValueCopier::made_in_pieces(std::uint64_t length_bytes, const Fill& fill) {
  ValuePlace place{0, length_bytes, {}};
  const auto part_bytes = static_cast<std::size_t>(value_part_bytes(length_bytes));
  DGFS_TRY(extent, to_.file().write_in_pieces(
                       length_bytes, kCopiedPieceBytes,
                       [&](std::uint64_t begin, MutableBytes out) -> Status {
                         DGFS_CHECK(before_read_(out.size()));
                         DGFS_CHECK(fill(begin, out));
                         for (std::size_t at = 0; at < out.size(); at += part_bytes) {
                           place.sums.push_back(format::checksum64(
                               Bytes(out).subspan(at, std::min(part_bytes, out.size() - at))));
                         }
                         return ok();
                       }));
  place.offset_bytes = extent.offset_bytes;
  return LargeRef(std::make_shared<const LargeValue>(std::move(place)));
}

}  // namespace dgfs::delta
