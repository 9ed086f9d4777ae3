// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Where the bytes of an index go: by section, and by column of its pages.
#pragma once

#include <string>

#include "base/json.h"
#include "tools/info/page_scan.h"

namespace dgfs::tools {

/// What a manual says about the columns of --scan.
inline constexpr char kColumnsHelp[] =
    "Pages are coded by the column: all names of a page stand together, then all sizes, and so on. "
    "--scan decodes every page and says for each column what it takes in the pages, and from how "
    "much it was compressed to that. Columns that are compressed in one block share its bytes in "
    "proportion to their lengths before compression; of a column alone in its block the figure is "
    "exact.";

/// A line for each section: "  page directory  12,345  0.15 B  2.3%", its bytes, those for an
/// entry, its share.
[[nodiscard]] std::string sections_text(const format::Superblock& superblock);
/// Models and attribute tables by their size.
[[nodiscard]] std::string generations_text(const reader::Image& image);
/// The same as sections_text() for pages and what is in them, then models and attribute tables.
[[nodiscard]] std::string pages_text(const reader::Image& image, const PageScan& scan);

void add_sections(JsonObject& json, const format::Superblock& superblock);
/// As generations_text().
void add_generations(JsonObject& json, const reader::Image& image);
void add_pages(JsonObject& json, const reader::Image& image, const PageScan& scan);

}  // namespace dgfs::tools
