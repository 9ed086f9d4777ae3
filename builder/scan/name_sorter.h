// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sorts the names of one directory. Names that do not fit into the allowed memory are sorted in
// runs, written to a spool, and merged, as in run_sorter.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builder/spool/spool.h"

namespace dgfs::builder {

/// Names in rising order (memcmp), each once, for one pass. Not thread-safe.
class SortedNames {
 public:
  virtual ~SortedNames() = default;
  /// The next name, valid until the next call; nullopt at the end. Errors: those of Spool::read().
  [[nodiscard]] virtual Result<std::optional<std::string_view>> next() = 0;
};

/// Not thread-safe.
class NameSorter {
 public:
  /// @param memory_bytes  for names while they are added; merging takes kRunBufferBytes for each
  ///                      run
  NameSorter(SpoolPlace place, std::size_t memory_bytes);

  /// @param name  at most 65535 bytes; duplicates are dropped
  /// Errors: kIo, kNoSpace.
  [[nodiscard]] Status add(std::string_view name);
  /// Ends adding. Errors: kIo, kNoSpace.
  [[nodiscard]] Result<std::unique_ptr<SortedNames>> finish() &&;
  /// Runs written to the spool so far.
  [[nodiscard]] std::size_t spilled_runs() const { return run_ends_.size(); }

  static constexpr std::size_t kRunBufferBytes = std::size_t{1} << 14;

 private:
  /// A part of bytes_.
  struct Name {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
  };

  void sort();
  [[nodiscard]] Status spill();

  std::size_t memory_bytes_;
  std::string bytes_;
  std::vector<Name> names_;
  std::unique_ptr<Spool> runs_;          ///< runs, one after the other
  std::vector<std::uint64_t> run_ends_;  ///< ends of the runs in runs_

  class MemoryNames;
  class MergedNames;
};

}  // namespace dgfs::builder
