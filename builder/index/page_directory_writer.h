// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Writes the page directory and the page root: gathers page records into sealed blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "builder/spool/spool.h"
#include "format/page/directory.h"
#include "format/page/root.h"

namespace dgfs::builder {

class PageDirectoryWriter {
 public:
  explicit PageDirectoryWriter(const SpoolPlace& place) : blocks_(place), root_(place) {}

  /// Adds the record of the next page. Errors: kIo, kNoSpace.
  [[nodiscard]] Status add(format::PageRecord record);
  [[nodiscard]] Status finish();

  [[nodiscard]] std::uint64_t page_count() const { return page_count_; }
  /// Bytes of the sections; complete after finish().
  [[nodiscard]] const Spool& blocks() const { return blocks_; }
  [[nodiscard]] const Spool& root() const { return root_; }

 private:
  [[nodiscard]] Status end_block();
  [[nodiscard]] Status end_root_block();

  Spool blocks_;
  Spool root_;
  std::vector<format::PageRecord> records_;
  std::vector<format::PageRootRow> rows_;
  std::size_t record_bytes_ = 0;  ///< bytes of strings in records_
  std::size_t row_bytes_ = 0;
  std::uint64_t page_count_ = 0;
};

}  // namespace dgfs::builder
