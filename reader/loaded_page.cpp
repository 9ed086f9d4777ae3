// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/loaded_page.h"

#include "format/key.h"

namespace dgfs::reader {

std::string_view LoadedPage::name(std::size_t index, std::string& scratch) const {
  const auto key = decoded->key(index);
  const auto start_of_name = format::name_of_key(record.prefix);
  if (start_of_name.empty() || key.find('\0') != std::string_view::npos) {
    return format::name_of_key(key);
  }
  scratch = start_of_name;
  scratch += key;
  return scratch;
}

std::size_t LoadedPage::find(std::string_view full_key) const {
  if (!full_key.starts_with(record.prefix)) return size();
  const auto relative = full_key.substr(record.prefix.size());
  const auto index = decoded->lower_bound(relative);
  return index < size() && decoded->key(index) == relative ? index : size();
}

std::size_t LoadedPage::memory_bytes() const {
  return sizeof *this + record.prefix.capacity() + record.separator.capacity() +
         decoded->memory_bytes();
}

}  // namespace dgfs::reader
