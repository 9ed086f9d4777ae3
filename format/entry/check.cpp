// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "format/entry/check.h"

#include "format/entry/mode.h"
#include "format/limits.h"

namespace dgfs::format {
namespace {

// F-315
Status check_gap(const Entry& entry) {
  if (entry.address || entry.fragment_offset.value_or(0) != 0 || entry.stored_bytes == 0) {
    return contradiction(2200, "a gap before an extent that is not in the running sum");
  }
  if (entry.gap_bytes > kFileBytesMax || entry.stored_bytes > kFileBytesMax - entry.gap_bytes) {
    return contradiction(2201, "gap is out of bounds");
  }
  return ok();
}

Status check_link_name(const Entry& entry) {
  Entry bare;
  bare.key = entry.key;
  bare.mode = type_of(entry.mode);
  bare.link_inode = entry.link_inode;
  bare.stored_bytes = is_regular(entry.mode) ? entry.stored_bytes : 0;
  bare.gap_bytes = entry.gap_bytes;
  if (entry.gap_bytes != 0) {
    DGFS_CHECK(check_gap(entry));
  }
  if (bare == entry && !is_directory(entry.mode)) return ok();
  return contradiction(2180, "name of a multiply linked object has attributes of its own");
}

Status check_fragment(const Entry& entry) {  // F-156
  if (entry.codec != ExtentCodec::kZstd || entry.sparse_map.present() || entry.link_count != 0) {
    return contradiction(2198, "only a plain compressed file shares a frame");
  }
  if (entry.size_bytes == 0 || *entry.fragment_offset > kFragmentFrameBytesMax ||
      entry.size_bytes > kFragmentFrameBytesMax - *entry.fragment_offset) {
    return contradiction(2199, "content is out of its fragment frame");
  }
  return ok();
}

Status check_regular(const Entry& entry) {
  if (entry.size_bytes > kFileBytesMax) return contradiction(2181, "file is too large");
  if (entry.stored_bytes > kFileBytesMax ||
      (entry.address && entry.address->offset_bytes > kFileBytesMax - entry.stored_bytes)) {
    return contradiction(2182, "extent is out of bounds");
  }
  if (entry.codec > ExtentCodec::kZstd) return contradiction(2183, "unknown extent codec");
  if (entry.gap_bytes != 0) {
    DGFS_CHECK(check_gap(entry));
  }
  return entry.fragment_offset ? check_fragment(entry) : Status(ok());
}

Status check_irregular(const Entry& entry) {
  if (entry.stored_bytes != 0 || entry.address || entry.gap_bytes != 0 || entry.fragment_offset ||
      entry.sparse_map.present() || entry.codec != ExtentCodec::kRaw) {
    return contradiction(2184, "only a regular file has an extent");
  }
  if (!is_symlink(entry.mode) && entry.size_bytes != 0) {
    return contradiction(2185, "only a regular file or symlink has a size");
  }
  return ok();
}

Status check_target(const Entry& entry) {
  const bool is_long = entry.long_target.present();
  if (!is_symlink(entry.mode)) {
    if (entry.target.empty() && !is_long) return ok();
    return contradiction(2186, "only a symlink has a target");
  }
  if (is_long) {
    const bool fits = entry.size_bytes > kInlineTargetBytesMax &&
                      entry.size_bytes <= kTargetBytesMax && entry.target.empty();
    return fits ? Status(ok()) : contradiction(2187, "long symlink target out of bounds");
  }
  const bool fits = !entry.target.empty() && entry.target.size() <= kInlineTargetBytesMax &&
                    entry.size_bytes == entry.target.size() &&
                    entry.target.find('\0') == std::string::npos;
  return fits ? Status(ok()) : contradiction(2188, "symlink target out of bounds");
}

bool is_time(const Time& time) { return time.nanoseconds < kNanosecondsEnd; }

bool is_ref(const SideRef& ref) {
  return ref.present() ? ref.offset_bytes <= kFileBytesMax - ref.length_bytes
                       : ref.offset_bytes == 0;
}

}  // namespace

Error contradiction(std::uint16_t code, const char* what) {
  return Error(ErrorKind::kInvalidArgument, code, what);
}

Status check_entry(const Entry& entry) {
  if (!is_valid_mode(entry.mode)) return contradiction(2189, "invalid mode");
  if (entry.link_inode != 0) return check_link_name(entry);
  if (!is_time(entry.mtime) || !is_time(entry.ctime.value_or(Time())) ||
      !is_time(entry.atime.value_or(Time()))) {
    return contradiction(2190, "nanoseconds out of range");
  }
  if (!is_ref(entry.xattrs) || !is_ref(entry.sparse_map) || !is_ref(entry.long_target)) {
    return contradiction(2191, "reference into a side section out of bounds");
  }
  if (!is_device(entry.mode) && entry.rdev != 0) {
    return contradiction(2192, "only a device node has a device number");
  }
  DGFS_CHECK(is_regular(entry.mode) ? check_regular(entry) : check_irregular(entry));
  return check_target(entry);
}

Status check_entries(std::span<const Entry> entries, std::size_t prefix_bytes) {
  std::uint64_t data_bytes = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    DGFS_CHECK(check_entry(entries[i]));
    if (entries[i].key.size() < prefix_bytes || (i > 0 && !(entries[i - 1].key < entries[i].key))) {
      return contradiction(2193, "keys do not rise");
    }
    const auto running = running_bytes(entries[i]);
    if (running > kFileBytesMax - data_bytes) {
      return contradiction(2194, "data of a page is too long");
    }
    data_bytes += running;
  }
  return ok();
}

}  // namespace dgfs::format
