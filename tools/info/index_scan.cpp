// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/info/index_scan.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "format/entry/mode.h"

namespace dgfs::tools {
namespace {

constexpr std::uint32_t kOrder[] = {format::kTypeRegular,     format::kTypeDirectory,
                                    format::kTypeSymlink,     format::kTypeCharacterDevice,
                                    format::kTypeBlockDevice, format::kTypeFifo,
                                    format::kTypeSocket};

class IndexScanner {
 public:
  void add(std::string_view path, const reader::Node& node) {
    if (node.link_count > 1 && !format::is_directory(node.mode) &&
        !counted_.insert(node.inode).second) {
      return;
    }
    count(node);
    if (node.xattrs.present()) ++out_.with_xattrs;
    if (format::is_regular(node.mode)) add_file(path, node);
  }

  IndexScan finish() {
    if (!sizes_.empty()) {
      const auto middle = sizes_.begin() + static_cast<std::ptrdiff_t>((sizes_.size() - 1) / 2);
      std::nth_element(sizes_.begin(), middle, sizes_.end());
      out_.median_bytes = *middle;
    }
    for (const std::uint32_t type : kOrder) {
      const auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                                     [&](const IndexScan::Kind& k) { return k.type == type; });
      if (kind != kinds_.end()) out_.kinds.push_back(*kind);
    }
    return std::move(out_);
  }

 private:
  void count(const reader::Node& node) {
    const std::uint32_t type = format::type_of(node.mode);
    auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                             [&](const IndexScan::Kind& k) { return k.type == type; });
    if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), {type, 0, 0});
    ++kind->count;
    // Directories have no size of their own, because they live in the index.
    if (!format::is_directory(node.mode)) kind->bytes += node.size_bytes;
  }

  void add_file(std::string_view path, const reader::Node& node) {
    sizes_.push_back(node.size_bytes);
    if (!out_.largest_path || node.size_bytes > out_.largest_bytes) {
      out_.largest_bytes = node.size_bytes;
      out_.largest_path = path;
    }
    if (node.size_bytes == 0) ++out_.empty_files;
    if (node.sparse_map.present()) ++out_.sparse_files;
    add_extent(node);
    if (!out_.oldest || node.mtime < *out_.oldest) out_.oldest = node.mtime;
    if (!out_.newest || node.mtime > *out_.newest) out_.newest = node.mtime;
  }

  void add_extent(const reader::Node& node) {
    if (node.fragment_offset) ++out_.fragment_files;
    if (node.stored_bytes == 0) return;
    // The first file of a fragment frame decides for the others, which have no extent but this one.
    const bool is_told = node.fragment_offset.value_or(0) != 0 && node.data == fragment_frame_at_;
    const bool is_shared = is_told ? is_fragment_frame_shared_ : is_known(node);
    if (is_shared) ++out_.shared_files;
    if (is_shared && !is_told) out_.shared_bytes += node.stored_bytes;
    if (node.fragment_offset) {
      fragment_frame_at_ = node.data;
      is_fragment_frame_shared_ = is_shared;
    }
  }

  // Returns whether the extent lies among earlier ones; if not, records it.
  bool is_known(const reader::Node& node) {
    std::uint64_t& end = ends_[node.data.volume];
    if (node.data.offset_bytes < end) return true;
    end = node.data.offset_bytes + node.stored_bytes;
    return false;
  }

  IndexScan out_;
  std::map<std::uint32_t, std::uint64_t> ends_;           ///< of the extents, by volume
  std::optional<format::DataAddress> fragment_frame_at_;  ///< the last fragment frame in the walk
  bool is_fragment_frame_shared_ = false;                 ///< whether an earlier extent has it
  std::vector<IndexScan::Kind> kinds_;
  std::vector<std::uint64_t> sizes_;
  std::unordered_set<reader::InodeNumber> counted_;
};

}  // namespace

Result<IndexScan> scan_index(const reader::Image& image, const IndexScanWatcher& watcher,
                             const std::function<void(const Error&)>& damaged) {
  IndexScanner scan;
  std::uint64_t entries = 0;
  bool stopped = false;
  // The check below reports damage, with its place.
  DGFS_CHECK(image.walk(
      "",
      [&](std::string_view path, const reader::Node& node) {
        scan.add(path, node);
        stopped = !watcher.counted(++entries);
        return !stopped;
      },
      [](const Error&) { return true; }));
  if (stopped) return Error(ErrorKind::kInterrupted, 6170, "interrupted");
  IndexScan out = scan.finish();
  DGFS_CHECK(image.verify_index(
      [&](const Error& error) {
        ++out.damaged_regions;
        damaged(error);
      },
      {}, watcher.checked));
  return out;
}

}  // namespace dgfs::tools
