// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/index/writer.h"

#include <algorithm>
#include <utility>

#include "builder/spool/completed_entry.h"
#include "format/coding.h"
#include "format/entry/mode.h"
#include "format/header/section.h"
#include "format/limits.h"
#include "format/section/inode_runs.h"

namespace dgfs::builder {
namespace {

using format::SectionKind;

constexpr std::size_t kLinkOrderBytes = std::size_t{1} << 20;
// Link records that are not read in their order are read one by one.
constexpr std::size_t kLinkRecordBytes = 4096;

Buffer encode_model(const format::Model& model) {
  Buffer body;
  format::Encoder encoder(body);
  encoder.fixed(model.id());
  encoder.fixed(static_cast<std::uint8_t>(model.kind()));
  encoder.raw(model.bytes());
  return body;
}

// The hashed sections include the page directory, which names the volumes with extents. The number
// of volumes is hashed too, because some may be empty.
format::Uuid content_uuid(const ContentHash& frames, const ContentHash& sections,
                          std::size_t volumes) {
  ContentHash both;
  both.update(frames.digest());
  both.update(sections.digest());
  if (volumes > 1) {
    Buffer count;
    format::Encoder(count).fixed(static_cast<std::uint32_t>(volumes));
    both.update(count);
  }
  return uuid_of_digest(both.digest());
}

}  // namespace

IndexWriter::IndexWriter(storage::File& file, const SpoolPlace& place, StopFlag stop)
    : index_(file, stop),
      place_(place),
      stop_(stop),
      pages_(index_, place),
      directories_(place),
      side_(place),
      link_names_(place, stop),
      inode_runs_(place),
      link_records_(place),
      link_order_(place, kLinkOrderBytes) {}

Status IndexWriter::begin(std::shared_ptr<const format::Model> model) {
  model_ = model;
  if (model->kind() == format::ModelKind::kContextTokens) {
    superblock_.incompat |= format::feature::kIncompatContextModels;
  }
  pages_.set_model(std::move(model));
  return index_.begin(SectionKind::kPages);
}

Status IndexWriter::begin_directory() { return directories_.begin_list(); }

Status IndexWriter::add(format::Entry& entry, format::InodeNumber number) {
  DGFS_CHECK(note_name(entry, number));
  return pages_.add(0, entry);
}

Status IndexWriter::add_placed(format::Entry& entry, format::InodeNumber number,
                               const ExtentPlace& place) {
  DGFS_CHECK(note_name(entry, number));
  return pages_.add_placed(entry, place);
}

Status IndexWriter::note_name(const format::Entry& entry, format::InodeNumber number) {
  if (next_ordinal() != 0) directories_.add_child(format::is_directory(entry.mode));
  DGFS_CHECK(runs_.add(number, [this](Bytes body) { return keep_runs(body); }));
  if (entry.link_inode != 0) {
    DGFS_CHECK(link_names_.add(entry.link_inode, next_ordinal()));
  }
  count(entry);
  return ok();
}

void IndexWriter::count(const format::Entry& entry) {
  ++superblock_.namespace_entries;
  count_codec(entry);
  switch (format::type_of(entry.mode)) {
    case format::kTypeRegular:
      ++superblock_.regular_files;
      if (entry.link_inode == 0) superblock_.content_bytes += entry.size_bytes;
      return;
    case format::kTypeDirectory:
      ++superblock_.directories;
      return;
    case format::kTypeSymlink:
      ++superblock_.symlinks;
      return;
    default:
      ++superblock_.other_files;
  }
}

void IndexWriter::count_codec(const format::Entry& entry) {
  if (entry.codec == format::ExtentCodec::kZstd) {
    superblock_.incompat |= format::feature::kIncompatZstdExtents;
  }
  if (entry.fragment_offset) superblock_.incompat |= format::feature::kIncompatFragmentFrames;
}

Status IndexWriter::add_link_record(const format::Entry& record, format::InodeNumber number,
                                    const format::Digest* digest) {
  DGFS_CHECK(link_order_.add({number, link_records_.size_bytes(), 0}));
  ++superblock_.link_entries;
  if (record.link_count == 0) {
    superblock_.incompat |= format::feature::kIncompatNamelessObjects;
  }
  count_codec(record);
  if (format::is_regular(record.mode)) superblock_.content_bytes += record.size_bytes;
  Buffer bytes;
  encode_link_record(record, bytes);
  if (digest != nullptr) format::Encoder(bytes).raw(*digest);
  return link_records_.append(bytes);
}

// F-320. Where objects keep their numbers, first names come in another order.
Status IndexWriter::add_link_pages() {
  DGFS_TRY(order, std::move(link_order_).finish());
  const auto end = link_records_.size_bytes();
  SpoolCursor cursor(link_records_, 0, end);
  format::Entry record;
  for (std::uint64_t number = 0; number < superblock_.link_entries; ++number) {
    DGFS_CHECK(stop_.check());
    DGFS_TRY(next, order->next());
    if (const auto offset = next->at(1); offset != cursor.offset_bytes()) {
      cursor = SpoolCursor(link_records_, offset, end, kLinkRecordBytes);
    }
    DGFS_CHECK(decode_link_record(cursor, record));
    if (digests_ && format::is_regular(record.mode)) {
      format::Digest digest{};
      DGFS_TRY(bytes, cursor.take(digest.size()));
      std::copy(bytes.begin(), bytes.end(), digest.begin());
      DGFS_CHECK(digests_->add_link(number, digest));
    }
    DGFS_CHECK(pages_.add(format::kLinkZone, record));
  }
  return ok();
}

Result<format::Superblock> IndexWriter::finish(const IndexFacts& facts) {
  DGFS_CHECK(add_link_pages());
  DGFS_CHECK(pages_.finish());
  DGFS_CHECK(directories_.finish());
  DGFS_CHECK(write_sections(facts));
  if (!facts.origins.empty()) {
    superblock_.incompat |= format::feature::kIncompatForeignVolumes;
  }
  if (pages_.has_gaps()) superblock_.incompat |= format::feature::kIncompatGaps;
  if (runs_.is_split() || facts.next_inode.value_or(UINT64_MAX) <= superblock_.namespace_entries) {
    superblock_.incompat |= format::feature::kIncompatSplitInodes;
  }
  DGFS_CHECK(index_.finish(superblock_));
  if (side_.xattrs().size_bytes() != 0) superblock_.compat |= format::feature::kCompatXattrs;
  if (side_.has_acls()) superblock_.compat |= format::feature::kCompatAcls;
  if (facts.volumes.size() > 1) superblock_.incompat |= format::feature::kIncompatVolumes;
  if (facts.incomplete) superblock_.compat |= format::feature::kCompatIncomplete;
  superblock_.uuid =
      facts.uuid.value_or(content_uuid(facts.frames, index_.hash(), facts.volumes.size()));
  superblock_.next_inode = facts.next_inode.value_or(superblock_.namespace_entries + 1);
  superblock_.created_seconds = facts.created_seconds;
  for (const format::VolumeRecord& volume : facts.volumes) {
    superblock_.stored_bytes += volume.data_end - format::kPageBytes;
  }
  for (const format::VolumeOrigin& origin : facts.origins) {
    superblock_.stored_bytes -= origin.dead_bytes;
  }
  DGFS_CHECK(index_.write_superblock(superblock_));
  return superblock_;
}

Status IndexWriter::write_sections(const IndexFacts& facts) {
  DGFS_CHECK(write_spool(SectionKind::kPageDirectory, pages_.directory().blocks()));
  DGFS_CHECK(write_spool(SectionKind::kPageRoot, pages_.directory().root()));
  DGFS_CHECK(write_spool(SectionKind::kDirectoryTable, directories_.blocks()));
  DGFS_CHECK(write_spool(SectionKind::kAttributeTables, pages_.attribute_tables()));
  if (model_->kind() != format::ModelKind::kEmpty) {
    DGFS_CHECK(write_block(SectionKind::kModels, encode_model(*model_)));
  }
  DGFS_CHECK(write_inode_runs());
  Buffer volumes;
  format::encode_volume_table(facts.volumes, volumes);
  DGFS_CHECK(write_block(SectionKind::kVolumes, volumes, false));
  DGFS_CHECK(write_spool(SectionKind::kLongTargets, side_.long_targets()));
  DGFS_CHECK(write_spool(SectionKind::kXattrs, side_.xattrs()));
  DGFS_CHECK(write_spool(SectionKind::kSparseMaps, side_.sparse_maps()));
  if (facts.dictionaries != nullptr) {
    DGFS_CHECK(write_dictionaries(*facts.dictionaries));
  }
  if (digests_) {
    DGFS_CHECK(write_digests());
  }
  DGFS_CHECK(write_link_names());
  if (!facts.origins.empty()) {
    Buffer origins;
    format::encode_volume_origins(facts.origins, origins);
    DGFS_CHECK(write_block(SectionKind::kVolumeOrigins, origins));
  }
  if (!facts.state) return ok();
  Buffer state;
  format::encode_state_id(*facts.state, state);
  return write_block(SectionKind::kState, state, false);
}

Status IndexWriter::write_digests() {
  DGFS_CHECK(digests_->finish(superblock_.namespace_entries));
  DGFS_CHECK(write_spool(SectionKind::kDigests, digests_->pages()));
  return write_spool(SectionKind::kDigestTable, digests_->table());
}

Status IndexWriter::write_link_names() {
  DGFS_CHECK(link_names_.finish());
  if (link_names_.blocks().size_bytes() == 0) return ok();
  superblock_.compat |= format::feature::kCompatLinkNames;
  DGFS_CHECK(write_spool(SectionKind::kLinkNames, link_names_.blocks()));
  return write_spool(SectionKind::kLinkTable, link_names_.table());
}

Status IndexWriter::write_dictionaries(const format::ContentDictionaries& dictionaries) {
  if (dictionaries.all().empty()) return ok();
  DGFS_CHECK(index_.begin(SectionKind::kDictionaries));
  for (const auto& [id, dictionary] : dictionaries.all()) {
    Buffer body;
    format::encode_content_dictionary(dictionary, body);
    Buffer block;
    format::seal_block(SectionKind::kDictionaries, body, block);
    DGFS_CHECK(index_.append(block));
  }
  return ok();
}

Status IndexWriter::keep_runs(Bytes body) {
  Buffer block;
  format::seal_block(SectionKind::kInodeRuns, body, block);
  return inode_runs_.append(block);
}

Status IndexWriter::write_inode_runs() {
  DGFS_CHECK(runs_.finish([this](Bytes body) { return keep_runs(body); }));
  return write_spool(SectionKind::kInodeRuns, inode_runs_);
}

Status IndexWriter::write_block(SectionKind kind, Bytes body, bool hashed) {
  Buffer block;
  format::seal_block(kind, body, block);
  DGFS_CHECK(index_.begin(kind, hashed));
  return index_.append(block);
}

Status IndexWriter::write_spool(SectionKind kind, const Spool& spool) {
  DGFS_CHECK(index_.begin(kind));
  return index_.append(spool);
}

}  // namespace dgfs::builder
