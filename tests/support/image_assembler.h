// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ImageAssembler: images put together by hand from the format layer, with parts that the builder
// does not make (yet): compressed and shared extents, several volumes, models, attribute tables and
// inode runs, pages taken from another index. Test use only: it trusts its caller.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/header/superblock.h"
#include "format/model.h"
#include "format/page/directory.h"
#include "format/section/inode_runs.h"
#include "storage/env.h"

namespace dgfs::test {

/// A page as in some index.
struct ReadyPage {
  Buffer bytes;
  format::PageRecord record;
};

class ImageAssembler {
 public:
  ImageAssembler();

  // The tree: entries with full keys; assemble() sorts them. It has a root from the start.
  format::Entry& add(const std::string& path, std::uint32_t mode);
  format::Entry& add_directory(const std::string& path) { return add(path, 0040755); }
  /// Adds a file; its extent counts in the running sum of its page.
  format::Entry& add_file(const std::string& path, Bytes content,
                          format::ExtentCodec codec = format::ExtentCodec::kRaw);
  /// A record of the link zone.
  format::Entry& add_link_record(format::InodeNumber inode, std::uint32_t mode,
                                 std::uint32_t names);
  /// The names so far, in the order in which they were added.
  [[nodiscard]] std::vector<format::Entry>& names() { return names_; }
  /// Puts an extent before all running sums of the volume; for explicit addresses.
  format::DataAddress place(format::VolumeNumber volume, Bytes extent);
  /// Takes this page for the entries from `first_path` on, as many as the page has, with `prefix`
  /// instead of its old prefix.
  void adopt_page(const std::string& first_path, ReadyPage page, std::string prefix);

  /// Lays everything out and writes the files.
  /// @param sidecar   path of the separate index; empty for none
  /// @param trailing  whether the image has a copy
  void write(storage::Env& env, const std::string& image, const std::string& sidecar,
             bool trailing);
  /// After write(): all pages.
  [[nodiscard]] const std::vector<ReadyPage>& pages() const { return pages_; }

  format::Uuid uuid{};
  std::uint64_t zone = 0;
  std::size_t entries_per_page = 1000;
  std::size_t pages_per_block = format::kPageDirectoryBlockRecords;
  /// Page i uses model i modulo their number, and its attribute table in the same way.
  std::vector<std::shared_ptr<const format::Model>> models;
  std::vector<format::AttributeTable> tables;
  /// Only adopted pages need these.
  std::vector<std::shared_ptr<const format::Model>> more_models;
  std::vector<format::AttributeTable> more_tables;
  std::function<format::VolumeNumber(std::size_t page)> volume_of_page;
  std::uint64_t incompat = format::feature::kIncompatKnown;
  std::vector<format::InodeRun> runs;  ///< empty: one run, as in a fresh build
  std::uint64_t next_inode = 0;        ///< 0: the number of entries plus one
  std::map<format::VolumeNumber, std::string> more_volumes;  ///< paths of volumes above 0
  std::map<format::VolumeNumber, std::string> hints;         ///< file names in the volume table

 private:
  struct Volume {
    Buffer data;
  };
  void lay_out_pages();
  void lay_out_zone(const std::vector<format::Entry>& entries, std::uint64_t page_zone);
  void add_page(ReadyPage page, std::span<const format::Entry> entries);
  [[nodiscard]] ReadyPage make_page(std::span<const format::Entry> entries);
  [[nodiscard]] Buffer make_index();
  [[nodiscard]] Buffer directory_lists() const;

  std::vector<format::Entry> names_;
  std::vector<format::Entry> links_;
  std::map<std::string, Buffer> extents_;  // by key
  std::map<std::string, ReadyPage> adopted_;
  std::map<format::VolumeNumber, Volume> volumes_;
  std::vector<ReadyPage> pages_;
  std::string last_key_;
};

/// Writes `bytes` as a new file; ends the test on failure.
void write_file(storage::Env& env, const std::string& path, Bytes bytes);
/// The whole file.
[[nodiscard]] Buffer read_file(storage::Env& env, const std::string& path);

}  // namespace dgfs::test
