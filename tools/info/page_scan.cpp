// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/info/page_scan.h"

#include <algorithm>

#include "format/limits.h"

namespace dgfs::tools {

void PageScan::add(const format::PageSizes& page) {
  ++pages;
  entries += page.entry_count;
  header_bytes += page.header_bytes;
  unused_bytes += page.unused_bytes;
  ++pages_of_codec[page.codec];
  ++pages_of_model[page.model_id];
  ++pages_of_attribute_table[page.attribute_table];
  for (const auto& column : page.columns) {
    auto sum = std::find_if(columns.begin(), columns.end(),
                            [&](const auto& known) { return known.name == column.name; });
    if (sum == columns.end()) sum = columns.insert(columns.end(), {column.name, 0, 0});
    sum->plain_bits += column.plain_bits;
    sum->stored_bytes += column.stored_bytes;
  }
}

double PageScan::fill() const {
  if (pages == 0) return 0;
  return 1 - static_cast<double>(unused_bytes) / static_cast<double>(pages * format::kPageBytes);
}

Result<PageScan> scan_pages(const reader::Image& image,
                            const std::function<bool(std::uint64_t)>& goes_on) {
  PageScan scan;
  bool stopped = false;
  DGFS_CHECK(image.measure_pages([&](const format::PageSizes& page) {
    scan.add(page);
    stopped = !goes_on(scan.pages);
    return !stopped;
  }));
  if (stopped) return Error(ErrorKind::kInterrupted, 6171, "interrupted");
  return scan;
}

}  // namespace dgfs::tools
