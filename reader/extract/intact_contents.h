// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IntactContents: reads the intact contents of a damaged file, frame by frame if necessary.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "format/section/sparse_map.h"
#include "reader/extract/options.h"
#include "reader/node.h"

namespace dgfs::reader {

class Image;

/// For one thread. References must outlive it.
class IntactContents {
 public:
  /// Gets intact bytes, at rising offsets. Its error ends read().
  using Take = std::function<Status(std::uint64_t offset, Bytes bytes)>;
  /// Gets lost ranges, which rise and do not touch, each with the first error in it.
  using Lost = std::function<void(const LostRange& range, const Error& error)>;

  IntactContents(const Image& image, const Node& node, Take take, Lost lost)
      : image_(image), node_(node), take_(std::move(take)), lost_(std::move(lost)) {}

  /// Reads all of a regular file. Holes go to neither function. Errors: those of `take`, and of the
  /// sparse map.
  [[nodiscard]] Status read();
  /// After read(): kCorrupt if something was lost.
  [[nodiscard]] Status check_complete() const;
  /// Lost bytes of contents.
  [[nodiscard]] std::uint64_t lost_bytes() const { return lost_bytes_; }

 private:
  [[nodiscard]] Status read_segment(const format::SparseMap::Segment& segment, Buffer& buffer);
  /// @param content  offset of the range in the content (the file without holes), which is divided
  ///                 into frames
  [[nodiscard]] Status read_range(std::uint64_t begin, std::uint64_t content, MutableBytes out);
  [[nodiscard]] bool is_in_file(std::uint64_t offset) const;
  void lose(std::uint64_t begin, std::uint64_t end, const Error& error);
  void tell();

  const Image& image_;
  const Node& node_;
  Take take_;
  Lost lost_;
  std::uint64_t lost_bytes_ = 0;
  LostRange range_;  // not reported yet; empty if none
  std::optional<Error> reason_;
};

}  // namespace dgfs::reader
