// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// EntryList: builds a reply to READDIR or READDIRPLUS until it is full.
#pragma once

#include <fuse_lowlevel.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "format/limits.h"

namespace dgfs::fuse {

/// Uses the reply_room() of the thread, so each thread can have only one at a time.
class EntryList {
 public:
  /// @param size_bytes  size of the kernel's buffer
  EntryList(fuse_req_t request, std::size_t size_bytes);

  // Each returns false and adds nothing if the entry does not fit. Names are cut at 255 bytes.

  /// @param offset  the kernel continues from it after this entry
  [[nodiscard]] bool add(std::string_view name, const struct stat& attributes,
                         std::uint64_t offset);
  [[nodiscard]] bool add_plus(std::string_view name, const fuse_entry_param& entry,
                              std::uint64_t offset);

  [[nodiscard]] bool empty() const { return used_ == 0; }
  /// Sends the list. Returns 0 if the kernel has taken it.
  int reply() const { return fuse_reply_buf(request_, text(), used_); }

 private:
  [[nodiscard]] char* text() const { return reinterpret_cast<char*>(room_.data()); }
  [[nodiscard]] char* place() const { return text() + used_; }
  [[nodiscard]] std::size_t room() const { return room_.size() - used_; }
  void set_name(std::string_view name);
  [[nodiscard]] bool taken(std::size_t entry_bytes);

  fuse_req_t request_;
  MutableBytes room_;
  std::size_t used_ = 0;
  std::array<char, format::kNameBytesMax + 1> name_{};
};

}  // namespace dgfs::fuse
