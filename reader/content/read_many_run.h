// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ReadManyRun: one call of Image::read_many(). Reads files near each other in one read, and keeps
// as many reads under way as the options say. Reads large and sparse files, and files that failed,
// through FileContents, so that contents and errors are those of Image::read().
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "reader/content/content.h"
#include "reader/content/file_contents.h"
#include "reader/content/read_many.h"
#include "reader/content/read_many_plan.h"
#include "reader/counter_cells.h"
#include "reader/node.h"
#include "storage/reads/aligned_memory.h"
#include "storage/reads/queue.h"

namespace dgfs::reader {

/// For one thread.
class ReadManyRun {
 public:
  /// All references must outlive it.
  ReadManyRun(const FileContents& files, const Content& content, CounterCells& counters,
              const ReadManyOptions& options, const VisitPiece& visit);

  /// Reads all files of the plan, unless `visit` ends it. Calls the plan on another thread if the
  /// system grants one.
  void run(ReadManyPlan& plan);

 private:
  /// A file that one read brings whole.
  struct Wanted {
    std::size_t index = 0;
    Node node;
    Extent extent;
  };
  /// Bytes [begin, end) of a volume, and the files in them.
  struct Stretch {
    const Volume* volume = nullptr;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::vector<Wanted> files;
  };
  /// A read under way.
  struct Slot {
    Stretch stretch;
    storage::AlignedMemory memory;
    std::size_t size_bytes = 0;  ///< length of the read; 0: none
  };

  [[nodiscard]] std::vector<Stretch> stretches_of(std::vector<PlannedFile>&& round);
  [[nodiscard]] bool fits_one_read(const Node& node) const;
  void begin(Stretch&& stretch);
  void finish_one();
  void hand_out(const Slot& slot, Bytes bytes);
  void read_alone(std::size_t index, const Node& node);
  void tell(std::size_t index, const Result<FilePiece>& piece);
  [[nodiscard]] std::size_t take_slot(std::size_t size_bytes);

  const FileContents& files_;
  const Content& content_;
  CounterCells& counters_;
  const VisitPiece& visit_;
  std::size_t piece_bytes_;
  std::size_t memory_bytes_;
  std::vector<Slot> slots_;  // must outlive queue_, which writes to their memory
  std::vector<std::size_t> free_;
  std::unique_ptr<storage::ReadQueue> queue_;
  std::size_t used_bytes_ = 0;  // of reads under way
  std::size_t held_bytes_ = 0;  // memory of all slots
  Buffer scratch_;
  bool go_on_ = true;
};

}  // namespace dgfs::reader
