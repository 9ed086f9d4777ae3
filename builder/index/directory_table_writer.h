// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Writes the directory table: one list for each directory, in the order of the calls.
#pragma once

#include <cstdint>
#include <vector>

#include "builder/spool/spool.h"

namespace dgfs::builder {

/// Memory: the positions of the subdirectories of one directory.
class DirectoryTableWriter {
 public:
  explicit DirectoryTableWriter(const SpoolPlace& place) : blocks_(place) {}

  /// Ends the previous list and begins the next one. Errors: kIo, kNoSpace, kLimit.
  [[nodiscard]] Status begin_list();
  /// Adds a child to the current list.
  void add_child(bool is_directory);
  [[nodiscard]] Status finish();

  /// Bytes of the section; complete after finish().
  [[nodiscard]] const Spool& blocks() const { return blocks_; }

 private:
  [[nodiscard]] Status end_list();
  [[nodiscard]] Status end_block();

  Spool blocks_;
  Buffer body_;
  bool in_list_ = false;
  std::uint64_t child_count_ = 0;
  std::vector<std::uint64_t> subdirectory_positions_;
};

}  // namespace dgfs::builder
