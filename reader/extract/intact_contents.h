// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IntactContents: reads what is left of a damaged file's contents, frame by frame where need be.
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

/// For one thread. References outlive it.
class IntactContents {
 public:
  /// Given intact bytes, which rise. An error of its ends read().
  using Take = std::function<Status(std::uint64_t offset, Bytes bytes)>;
  /// Given ranges that are lost, which rise and do not touch, with the first reason.
  using Lost = std::function<void(const LostRange& range, const Error& error)>;

  IntactContents(const Image& image, const Node& node, Take take, Lost lost)
      : image_(image), node_(node), take_(std::move(take)), lost_(std::move(lost)) {}

  /// All of a regular file; holes are neither given nor lost. Errors: those of `take`, and the
  /// sparse map's.
  [[nodiscard]] Status read();
  /// After read(): kCorrupt where something was lost.
  [[nodiscard]] Status check_complete() const;
  /// What was lost, in bytes of contents.
  [[nodiscard]] std::uint64_t lost_bytes() const { return lost_bytes_; }

 private:
  [[nodiscard]] Status read_segment(const format::SparseMap::Segment& segment, Buffer& buffer);
  /// @param content  where the range begins in the content, which is what frames are cut of
  [[nodiscard]] Status read_range(std::uint64_t begin, std::uint64_t content, MutableBytes out);
  [[nodiscard]] bool is_in_file(std::uint64_t offset) const;
  void lose(std::uint64_t begin, std::uint64_t end, const Error& error);
  void tell();

  const Image& image_;
  const Node& node_;
  Take take_;
  Lost lost_;
  std::uint64_t lost_bytes_ = 0;
  LostRange range_;  // not told yet, empty if none
  std::optional<Error> reason_;
};

}  // namespace dgfs::reader
