// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/contents/composition.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace dgfs::view {
namespace {

// Adds the bytes of the file that the image supplies for a part of a chunk.
void add_below(Stretches& below, const Chunks& chunks, const ChunkPart& part,
               const delta::StackedValue& value) {
  if (!value.is_over_bottom()) return;
  const auto shown = value.from_base({part.begin_bytes, part.begin_bytes + part.length_bytes});
  const auto begin = chunks.begin_of(part.chunk);
  below.add(begin + shown.begin_bytes, begin + shown.end_bytes);
}

void copy_part(Bytes chunk, std::uint64_t begin_bytes, MutableBytes out) {
  std::ranges::copy(chunk.subspan(static_cast<std::size_t>(begin_bytes), out.size()), out.begin());
}

}  // namespace

Status Composition::make(std::uint64_t offset_bytes, MutableBytes out) {
  DGFS_TRY(pieces, find_pieces(offset_bytes, out));
  DGFS_CHECK(read_image(offset_bytes, out, pieces));
  for (const Piece& piece : pieces) {
    DGFS_CHECK(complete(piece));
  }
  return ok();
}

// A chunk is composed as a whole and kept if most of it is wanted, or if it is asked for again. A
// sequence that takes whole chunks leaves none behind: its reader, mostly the kernel, has all of
// their bytes, and a long file that is read once would drive other chunks out of the caches.
Result<Composition::Pieces> Composition::find_pieces(std::uint64_t offset_bytes, MutableBytes out) {
  const Chunks& chunks = file_.chunks();
  Pieces pieces;
  for (const ChunkPart& part : chunks.parts(offset_bytes, out.size())) {
    const auto bytes = out.subspan(static_cast<std::size_t>(part.skip_bytes),
                                   static_cast<std::size_t>(part.length_bytes));
    if (auto composed = composed_.find(ticket_, file_.object(), part.chunk)) {
      pieces.push_back({part, bytes, {}, std::move(composed)});
      continue;
    }
    DGFS_TRY(value, file_.chunk(part.chunk));
    const bool passes = is_sequence_ && chunks.is_whole(part);
    const bool is_wanted = !passes && 2 * part.length_bytes >= chunks.chunk_bytes();
    const bool is_kept =
        value.is_patched() && (is_wanted || composed_.is_asked_again(file_.object(), part.chunk));
    pieces.push_back({part, bytes, std::move(value), nullptr, is_kept});
  }
  return pieces;
}

Status Composition::read_image(std::uint64_t offset_bytes, MutableBytes out, const Pieces& pieces) {
  Stretches below;
  for (const Piece& piece : pieces) {
    if (!piece.composed && !piece.is_widened(file_.chunks())) {
      add_below(below, file_.chunks(), piece.part, piece.value);
    }
  }
  for (const delta::ValueRange& each : below.all()) {
    const auto length = static_cast<std::size_t>(each.end_bytes - each.begin_bytes);
    DGFS_CHECK(file_.read_image(
        each.begin_bytes,
        out.subspan(static_cast<std::size_t>(each.begin_bytes - offset_bytes), length)));
  }
  return ok();
}

// The bytes of the image are in `out` already.
Status Composition::complete(const Piece& piece) {
  const auto& part = piece.part;
  if (piece.composed) {
    copy_part(*piece.composed, part.begin_bytes, piece.out);
    return ok();
  }
  if (piece.is_widened(file_.chunks())) return complete_widened(piece);
  const auto is_read = [](std::uint64_t, MutableBytes) { return ok(); };
  DGFS_CHECK(piece.value.read(part.begin_bytes, piece.out, is_read));
  if (piece.is_kept) {
    composed_.keep(ticket_, file_.object(), part.chunk,
                   std::make_shared<Buffer>(piece.out.begin(), piece.out.end()));
  }
  return ok();
}

Status Composition::complete_widened(const Piece& piece) {
  const Chunks& chunks = file_.chunks();
  const auto bottom = [&](std::uint64_t at, MutableBytes bytes) {
    return file_.read_image(chunks.begin_of(piece.part.chunk) + at, bytes);
  };
  const auto whole = std::make_shared<Buffer>(static_cast<std::size_t>(chunks.chunk_bytes()));
  DGFS_CHECK(piece.value.read(0, *whole, bottom));
  copy_part(*whole, piece.part.begin_bytes, piece.out);
  composed_.keep(ticket_, file_.object(), piece.part.chunk, whole);
  return ok();
}

Status announce(LayeredFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
  Stretches below;
  for (const ChunkPart& part : file.chunks().parts(begin_bytes, end_bytes - begin_bytes)) {
    DGFS_TRY(value, file.chunk(part.chunk));
    value.announce({part.begin_bytes, part.begin_bytes + part.length_bytes});
    add_below(below, file.chunks(), part, value);
  }
  for (const delta::ValueRange& each : below.all()) {
    DGFS_CHECK(file.announce_image(each.begin_bytes, each.end_bytes - each.begin_bytes));
  }
  return ok();
}

}  // namespace dgfs::view
