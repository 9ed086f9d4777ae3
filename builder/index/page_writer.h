// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The page writer turns completed entries into index pages, page records and attribute tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builder/index/file.h"
#include "builder/index/page_directory_writer.h"
#include "builder/index/page_plan.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/model.h"
#include "format/page/codec.h"

namespace dgfs::builder {

/// Memory: entries of a page or two, one attribute table.
class PageWriter {
 public:
  /// @param index  receives the pages; its section kPages must have been begun
  PageWriter(IndexFile& index, const SpoolPlace& place);

  /// Optional; must be called before the first entry.
  void set_model(std::shared_ptr<const format::Model> model) { model_ = std::move(model); }
  /// Adds an entry. Zones must rise, and keys must rise in each zone. Swaps `entry` with a used
  /// one, so that strings are reused. Errors: kIo, kNoSpace; kLimit (2^16 attribute tables).
  [[nodiscard]] Status add(std::uint64_t zone, format::Entry& entry);
  /// Adds a name whose extent may lie anywhere: the page plan sets its address and its gap. An
  /// image has either all names from this call, or none.
  /// @param place  of its extent
  [[nodiscard]] Status add_placed(format::Entry& entry, const ExtentPlace& place);
  /// Sets where the extents of the following entries begin. Ends the page, because the running sum
  /// of a page is in one volume. Errors: as add().
  [[nodiscard]] Status begin_extents(const format::DataAddress& at);
  [[nodiscard]] Status finish();

  /// Whether a page has gaps.
  [[nodiscard]] bool has_gaps() const { return has_gaps_; }
  [[nodiscard]] format::Ordinal entry_count() const { return entry_count_; }
  [[nodiscard]] const PageDirectoryWriter& directory() const { return directory_; }
  /// Bytes of section kAttributeTables; complete after finish().
  [[nodiscard]] const Spool& attribute_tables() const { return attribute_tables_; }

 private:
  [[nodiscard]] const format::PageCodec& codec() const;
  [[nodiscard]] Status intern(const format::Entry& entry);
  /// Makes pages while more entries are waiting than a page may need, or from all waiting entries.
  [[nodiscard]] Status write_pages(bool all);
  /// Plans the page first, if places are known.
  [[nodiscard]] Result<format::EncodedPage> fill_page();
  [[nodiscard]] Status write_page(const format::EncodedPage& page);
  void drop_first(std::size_t count);
  [[nodiscard]] Status end_table();

  IndexFile& index_;
  std::shared_ptr<const format::Model> model_;
  format::AttributeTable table_{0};
  Spool attribute_tables_;
  PageDirectoryWriter directory_;

  std::vector<format::Entry> waiting_;  ///< the first waiting_count_ wait; the others are spare
  std::size_t waiting_count_ = 0;
  std::vector<ExtentPlace> places_;  ///< of the waiting entries; empty: no plan is wanted
  bool has_gaps_ = false;
  std::size_t waiting_bytes_ = 0;  ///< bytes of keys and targets of waiting entries
  std::size_t wanted_count_;       ///< entries to wait for before a page is made
  std::size_t guess_;

  std::uint64_t zone_ = 0;
  std::optional<std::string> last_key_;  ///< last key of the page before in this zone
  format::Ordinal page_ordinal_ = 0;     ///< first ordinal of the next page
  format::DataAddress page_data_;        ///< where the data of the next page begins
  format::Ordinal entry_count_ = 0;
};

}  // namespace dgfs::builder
