// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/loaded_page.h"

#include "format/entry/key.h"

namespace dgfs::reader {

Result<std::optional<format::PageEntry>> LoadedPage::find(std::string_view full_key) const {
  if (!full_key.starts_with(record.prefix)) return std::nullopt;
  return page->find(full_key.substr(record.prefix.size()));
}

std::size_t LoadedPage::memory_bytes() const { return sizeof *this + page->memory_bytes(); }

std::string_view EntryRange::name(std::size_t index, std::string& scratch) const {
  const auto key = rows().key(row(index));
  const auto start_of_name = format::name_of_key(page->record.prefix);
  if (start_of_name.empty() || key.find('\0') != std::string_view::npos) {
    return format::name_of_key(key);
  }
  scratch = start_of_name;
  scratch += key;
  return scratch;
}

}  // namespace dgfs::reader
