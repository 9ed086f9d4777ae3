// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Shows how many bytes each section of an index takes, and each column of its pages.
#pragma once

#include <string>

#include "base/json.h"
#include "tools/info/page_scan.h"

namespace dgfs::tools {

/// The paragraph on the columns of --scan for the manual.
inline constexpr char kColumnsHelp[] =
    "Pages store their entries by column: all names of a page stand together, then all sizes, and "
    "so on. --scan decodes every page, and shows for each column the bytes that it takes in the "
    "pages, and its bytes before compression. Columns that are compressed in one block share its "
    "bytes in proportion to their lengths before compression; for a column alone in its block the "
    "figure is exact.";

/// A line for each section: "  page directory  12,345  0.15 B  2.3%": its bytes, its bytes per
/// entry, its share.
[[nodiscard]] std::string sections_text(const format::Superblock& superblock);
/// The models and attribute tables with their sizes.
[[nodiscard]] std::string generations_text(const reader::Image& image);
/// Like sections_text(), for pages and their contents; then models and attribute tables.
[[nodiscard]] std::string pages_text(const reader::Image& image, const PageScan& scan);

void add_sections(JsonObject& json, const format::Superblock& superblock);
/// Like generations_text().
void add_generations(JsonObject& json, const reader::Image& image);
void add_pages(JsonObject& json, const reader::Image& image, const PageScan& scan);

}  // namespace dgfs::tools
