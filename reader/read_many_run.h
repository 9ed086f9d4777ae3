// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadManyRun: one call of Image::read_many().
#pragma once

#include <cstddef>
#include <vector>

#include "reader/image.h"
#include "reader/read_many.h"
#include "reader/read_many_plan.h"

namespace dgfs::reader {

/// For one thread.
class ReadManyRun {
 public:
  /// All references must outlive it.
  ReadManyRun(const Image& image, const ReadManyOptions& options, const VisitPiece& visit);

  /// Reads all files of the plan, unless `visit` ends it.
  void run(ReadManyPlan& plan);

 private:
  void tell(std::size_t index, const Result<FilePiece>& piece);
  void read_alone(std::size_t index, const Node& node);

  const Image& image_;
  const VisitPiece& visit_;
  std::size_t piece_bytes_;
  Buffer piece_;
  bool go_on_ = true;
};

}  // namespace dgfs::reader
