// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The index writer makes an index from completed entries in key order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builder/index/digest_writer.h"
#include "builder/index/directory_table_writer.h"
#include "builder/index/file.h"
#include "builder/index/link_names_writer.h"
#include "builder/index/page_writer.h"
#include "builder/index/side_sections.h"
#include "builder/spool/content_hash.h"
#include "builder/spool/run_sorter.h"
#include "format/header/volume_header.h"
#include "format/section/digest.h"
#include "format/section/inode_runs.h"
#include "format/section/state_id.h"
#include "format/section/volume_origins.h"
#include "format/zstd/content_dictionary.h"

namespace dgfs::builder {

/// Facts in the index beside its entries.
struct IndexFacts {
  std::optional<format::Uuid> uuid;  ///< nullopt: hash of the content
  ContentHash frames;                ///< hash of the checksums of all frames, in order
  std::int64_t created_seconds = 0;
  std::vector<format::VolumeRecord> volumes;  ///< volumes with extents, the image first
  bool incomplete = false;                    ///< some inputs were left out
  /// Those among them that are files of other images.
  std::vector<format::VolumeOrigin> origins = {};
  /// State of a delta that the tree equals.
  std::optional<format::StateId> state = {};
  /// No object ever had this number or a higher one; none: numbers are ordinals plus one.
  std::optional<format::InodeNumber> next_inode = {};
  const format::ContentDictionaries* dictionaries = nullptr;  ///< null: none
};

/// Memory: some megabytes for any number of entries.
class IndexWriter {
 public:
  /// @param file  empty; must outlive this
  IndexWriter(storage::File& file, const SpoolPlace& place, StopFlag stop);

  // Errors of all methods: kIo, kNoSpace, kLimit.
  /// Must be called first. `model`: for the pages.
  [[nodiscard]] Status begin(std::shared_ptr<const format::Model> model);
  /// Begins the next directory in depth-first order: its children follow, if it has any.
  [[nodiscard]] Status begin_directory();
  /// Adds the next entry in key order, the root first. Uses up `entry`.
  /// @param number  of the entry; 0: none of its own, since it is a name of a linked object
  [[nodiscard]] Status add(format::Entry& entry, format::InodeNumber number);
  /// The same with a number that is one more than the ordinal.
  [[nodiscard]] Status add(format::Entry& entry) { return add(entry, next_ordinal() + 1); }
  /// The same of an entry whose extent may lie anywhere (PageWriter::add_placed). Not together with
  /// add().
  /// @param place  of its extent
  [[nodiscard]] Status add_placed(format::Entry& entry, format::InodeNumber number,
                                  const ExtentPlace& place);
  /// Sets where the extents of the following entries begin.
  [[nodiscard]] Status begin_extents(const format::DataAddress& at) {
    return pages_.begin_extents(at);
  }
  /// Adds the attributes of a multiply linked object.
  /// @param number  of the object
  /// @param digest  of its content; null: none is kept
  [[nodiscard]] Status add_link_record(const format::Entry& record, format::InodeNumber number,
                                       const format::Digest* digest);
  /// Writes everything. Returns the written superblock.
  [[nodiscard]] Result<format::Superblock> finish(const IndexFacts& facts);

  [[nodiscard]] SideSections& side() { return side_; }
  /// Makes the index keep digests of regular files.
  void keep_digests(format::DigestAlgorithm algorithm) { digests_.emplace(algorithm, place_); }
  /// Null if digests are not kept.
  [[nodiscard]] DigestWriter* digests() { return digests_ ? &*digests_ : nullptr; }
  /// Ordinal of the next entry to be added.
  [[nodiscard]] format::Ordinal next_ordinal() const { return superblock_.namespace_entries; }
  [[nodiscard]] std::uint64_t page_count() const { return pages_.directory().page_count(); }

 private:
  [[nodiscard]] Status note_name(const format::Entry& entry, format::InodeNumber number);
  [[nodiscard]] Status add_link_pages();
  [[nodiscard]] Status write_sections(const IndexFacts& facts);
  [[nodiscard]] Status write_block(format::SectionKind kind, Bytes body, bool hashed = true);
  [[nodiscard]] Status write_dictionaries(const format::ContentDictionaries& dictionaries);
  [[nodiscard]] Status write_spool(format::SectionKind kind, const Spool& spool);
  [[nodiscard]] Status keep_runs(Bytes body);
  [[nodiscard]] Status write_inode_runs();
  [[nodiscard]] Status write_digests();
  [[nodiscard]] Status write_link_names();
  void count(const format::Entry& entry);
  void count_codec(const format::Entry& entry);

  IndexFile index_;
  SpoolPlace place_;
  StopFlag stop_;
  PageWriter pages_;
  DirectoryTableWriter directories_;
  SideSections side_;
  std::optional<DigestWriter> digests_;
  LinkNamesWriter link_names_;
  format::InodeRunsEncoder runs_;
  Spool inode_runs_;      ///< full blocks of them
  Spool link_records_;    ///< each with its digest, or none
  RunSorter link_order_;  ///< number of an object, and offset of its record
  std::shared_ptr<const format::Model> model_;
  format::Superblock superblock_;
};

}  // namespace dgfs::builder
