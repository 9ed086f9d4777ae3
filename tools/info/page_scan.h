// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Sums up what the pages of an index contain.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "reader/image.h"

namespace dgfs::tools {

/// The sums over all pages that could be read. A value.
struct PageScan {
  std::uint64_t pages = 0;
  std::uint64_t entries = 0;  ///< link records included
  std::uint64_t header_bytes = 0;
  std::uint64_t unused_bytes = 0;
  std::vector<format::ColumnSize> columns;  ///< in the order of their first appearance
  std::map<std::uint8_t, std::uint64_t> pages_of_codec;
  std::map<std::uint16_t, std::uint64_t> pages_of_model;
  std::map<std::uint16_t, std::uint64_t> pages_of_attribute_table;

  void add(const format::PageSizes& page);
  /// The used share of the pages: 0 to 1.
  [[nodiscard]] double fill() const;
};

/// Reads every page of the index once.
/// @param goes_on  receives the number of pages read so far, after each page; false ends the scan
/// Errors: kInterrupted; those of Image::measure_pages().
[[nodiscard]] Result<PageScan> scan_pages(const reader::Image& image,
                                          const std::function<bool(std::uint64_t)>& goes_on);

}  // namespace dgfs::tools
