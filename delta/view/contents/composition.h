// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Composition: reads bytes of one file, composed from all layers in one walk.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/view/contents/chunks.h"
#include "delta/view/contents/composed_chunks.h"
#include "delta/view/contents/layered_file.h"
#include "format/limits.h"

namespace dgfs::view {

/// Parts of the image that are read with one call each, even across chunks. A value.
class Stretches {
 public:
  /// @param begin_bytes  not before the end of the last one
  void add(std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    if (begin_bytes == end_bytes) return;
    if (!all_.empty() && begin_bytes - all_.back().end_bytes < kGapBytes) {
      all_.back().end_bytes = end_bytes;
    } else {
      all_.push_back({begin_bytes, end_bytes});
    }
  }
  [[nodiscard]] const auto& all() const { return all_; }

 private:
  // The image reads whole frames, so a gap inside one frame is read anyway.
  static constexpr std::uint64_t kGapBytes = format::kFrameBytes;

  boost::container::small_vector<delta::ValueRange, 4> all_;
};

/// One read. For one thread, and one call of make().
class Composition {
 public:
  /// All must outlive it.
  /// @param ticket       for chunks of the file
  /// @param is_sequence  the read continues one that goes through the file in order
  Composition(LayeredFile& file, ComposedChunks& composed, const ComposedChunks::Ticket& ticket,
              bool is_sequence)
      : file_(file), composed_(composed), ticket_(ticket), is_sequence_(is_sequence) {}

  /// Reads as many bytes as `out` has from an offset on; zeros where no layer has bytes. Reads the
  /// image once for neighbouring chunks. As far as frames allow, it does not read bytes of the
  /// image that other layers replace. Errors: those of LayeredFile and of StackedValue::read.
  [[nodiscard]] Status make(std::uint64_t offset_bytes, MutableBytes out);

 private:
  /// A chunk, or the part of it that is wanted.
  struct Piece {
    ChunkPart part;
    MutableBytes out;
    delta::StackedValue value;
    ComposedChunks::Chunk composed = nullptr;  ///< if it is cached
    bool is_kept = false;                      ///< cached as a whole, once it is composed

    /// Whether more of the chunk is read than is wanted.
    [[nodiscard]] bool is_widened(const Chunks& chunks) const {
      return is_kept && !chunks.is_whole(part);
    }
  };
  using Pieces = boost::container::small_vector<Piece, 2>;

  [[nodiscard]] Result<Pieces> find_pieces(std::uint64_t offset_bytes, MutableBytes out);
  [[nodiscard]] Status read_image(std::uint64_t offset_bytes, MutableBytes out,
                                  const Pieces& pieces);
  [[nodiscard]] Status complete(const Piece& piece);
  [[nodiscard]] Status complete_widened(const Piece& piece);

  LayeredFile& file_;
  ComposedChunks& composed_;
  const ComposedChunks::Ticket& ticket_;
  const bool is_sequence_;
};

/// Announces to the disk that bytes of the file will be read soon, in whatever layer they are.
/// Errors: those of LayeredFile.
[[nodiscard]] Status announce(LayeredFile& file, std::uint64_t begin_bytes,
                              std::uint64_t end_bytes);

}  // namespace dgfs::view
