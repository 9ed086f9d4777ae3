// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/entry_list.h"

#include <algorithm>
#include <cstring>

#include "fuse/transport/serving_thread.h"

namespace dgfs::fuse {

EntryList::EntryList(fuse_req_t request, std::size_t size_bytes)
    : request_(request), room_(reply_room(size_bytes)) {}

bool EntryList::add(std::string_view name, const struct stat& attributes, std::uint64_t offset) {
  set_name(name);
  return taken(fuse_add_direntry(request_, place(), room(), name_.data(), &attributes,
                                 static_cast<off_t>(offset)));
}

bool EntryList::add_plus(std::string_view name, const fuse_entry_param& entry,
                         std::uint64_t offset) {
  set_name(name);
  return taken(fuse_add_direntry_plus(request_, place(), room(), name_.data(), &entry,
                                      static_cast<off_t>(offset)));
}

// libfuse needs a terminating zero, which names of an image do not have.
void EntryList::set_name(std::string_view name) {
  const auto length = std::min(name.size(), format::kNameBytesMax);
  std::memcpy(name_.data(), name.data(), length);
  name_[length] = '\0';
}

bool EntryList::taken(std::size_t entry_bytes) {
  if (entry_bytes > room()) return false;
  used_ += entry_bytes;
  return true;
}

}  // namespace dgfs::fuse
