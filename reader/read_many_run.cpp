// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/read_many_run.h"

#include <algorithm>

#include "format/limits.h"

namespace dgfs::reader {

ReadManyRun::ReadManyRun(const Image& image, const ReadManyOptions& options,
                         const VisitPiece& visit)
    : image_(image),
      visit_(visit),
      piece_bytes_(std::max<std::size_t>(1, options.piece_bytes / format::kFrameBytes) *
                   format::kFrameBytes) {}

void ReadManyRun::run(ReadManyPlan& plan) {
  for (auto round = plan.next(); go_on_ && !round.empty(); round = plan.next()) {
    for (const auto& file : round) {
      if (!go_on_) return;
      if (file.node) {
        read_alone(file.index, file.node.assume_value());
      } else {
        tell(file.index, file.node.assume_error());
      }
    }
  }
}

void ReadManyRun::tell(std::size_t index, const Result<FilePiece>& piece) {
  go_on_ = go_on_ && visit_(index, piece);
}

// As any reader would, piece by piece.
void ReadManyRun::read_alone(std::size_t index, const Node& node) {
  std::uint64_t offset = 0;
  for (bool is_last = false; go_on_ && !is_last;) {
    piece_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes_, node.size_bytes - offset)));
    const auto count = image_.read(node, offset, piece_);
    if (!count) return tell(index, count.assume_error());
    is_last = offset + piece_.size() == node.size_bytes;
    tell(index, FilePiece{&node, offset, piece_, is_last});
    offset += piece_.size();
  }
}

}  // namespace dgfs::reader
