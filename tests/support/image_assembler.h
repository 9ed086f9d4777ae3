// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ImageAssembler: images put together by hand from the format layer, with parts that the builder
// does not make (yet): compressed and shared extents, several volumes, models, attribute tables and
// inode runs, pages taken from another index, volumes of other images. Test use only: it trusts its
// caller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/entry/attribute_table.h"
#include "format/entry/entry.h"
#include "format/header/section.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/model.h"
#include "format/page/codec.h"
#include "format/page/directory.h"
#include "format/section/inode_runs.h"
#include "format/section/state_id.h"
#include "format/section/volume_origins.h"
#include "storage/env.h"

namespace dgfs::test {

/// A page as in some index.
struct ReadyPage {
  Buffer bytes;
  format::PageRecord record;
};

/// A volume of another image.
struct ForeignVolume {
  format::VolumeOrigin origin;  ///< with its number in the assembled image
  std::uint64_t data_end = 0;
  std::string hint;
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
  /// Adds a side record, to which an entry may refer then.
  format::SideRef add_record(format::SectionKind kind, Bytes body);
  /// Says that the extent of a name lies in a volume of another image. Each page states it by its
  /// running sum, with a gap, if it lies behind those before it, and else by an address. The name
  /// of a linked object states no extent then.
  void keep(const std::string& path, const format::DataAddress& at);
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
  /// Of the pages of names; those of link records are of columns. The token codec needs a model.
  std::uint8_t name_codec = format::kColumnCodec;
  std::function<format::VolumeNumber(std::size_t page)> volume_of_page;
  /// Without the bits that only images have that come from a merge.
  std::uint64_t incompat =
      format::feature::kIncompatZstdExtents | format::feature::kIncompatVolumes |
      format::feature::kIncompatFragmentFrames | format::feature::kIncompatContextModels;
  std::vector<format::InodeRun> runs;  ///< empty: one run, as in a fresh build
  std::size_t runs_per_block = SIZE_MAX;
  std::uint64_t next_inode = 0;                              ///< 0: the number of entries plus one
  std::map<format::VolumeNumber, std::string> more_volumes;  ///< paths of volumes above 0
  std::map<format::VolumeNumber, std::string> hints;         ///< file names in the volume table
  std::vector<ForeignVolume> foreign;  ///< with rising numbers above those of all other volumes
  std::optional<format::StateId> state;
  bool lists_link_names = false;  ///< with the sections of link names

 private:
  struct Volume {
    Buffer data;
  };
  void lay_out_pages();
  void lay_out_zone(std::vector<format::Entry>& entries, std::uint64_t page_zone);
  void add_page(ReadyPage page, std::span<const format::Entry> entries,
                const std::optional<format::DataAddress>& kept);
  [[nodiscard]] std::optional<format::DataAddress> place_kept(std::span<format::Entry> entries);
  [[nodiscard]] ReadyPage make_page(std::span<const format::Entry> entries, bool has_names);
  [[nodiscard]] Buffer make_index();
  [[nodiscard]] Buffer directory_lists() const;
  [[nodiscard]] std::vector<Buffer> run_bodies() const;
  [[nodiscard]] std::vector<format::VolumeRecord> volume_records();
  [[nodiscard]] Buffer link_names() const;

  std::vector<format::Entry> names_;
  std::vector<format::Entry> links_;
  std::map<std::string, Buffer> extents_;            // by key
  std::map<std::string, format::DataAddress> kept_;  // by key
  std::map<format::SectionKind, Buffer> records_;
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
