// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/image_assembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "format/coding.h"
#include "format/content/extent.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/header/section.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "format/page/codec.h"
#include "format/page/header.h"
#include "format/page_open.h"
#include "format/section/directory_table.h"
#include "format/section/link_block.h"
#include "format/section/link_table.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

// If test input cannot be laid out, the test is wrong.
template <class T>
T must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.assume_error().message();
    std::abort();
  }
  return std::move(result).assume_value();
}
void must(const Status& status) {
  if (status) return;
  ADD_FAILURE() << status.assume_error().message();
  std::abort();
}

void sort_by_key(std::vector<format::Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
}

void pad_to(Buffer& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

Buffer sealed(SectionKind kind, const std::vector<Buffer>& bodies) {
  Buffer bytes;
  for (const auto& body : bodies) format::seal_block(kind, body, bytes);
  return bytes;
}

// Of link names in one block, which begins with the number of its first object.
Buffer link_table_of(const Buffer& link_names) {
  const format::LinkTableRow row = {must(format::Decoder(link_names).varint()),
                                    sealed(SectionKind::kLinkNames, {link_names}).size()};
  Buffer table;
  format::encode_link_table({&row, 1}, 0, table);
  return table;
}

Buffer model_body(const format::Model& model) {
  Buffer body;
  format::Encoder encoder(body);
  encoder.fixed(model.id());
  encoder.fixed(static_cast<std::uint8_t>(model.kind()));
  encoder.raw(model.bytes());
  return body;
}

}  // namespace

ImageAssembler::ImageAssembler()
    : models{format::Model::empty()}, tables{format::AttributeTable(1)} {
  uuid.fill(0x5a);
  volume_of_page = [](std::size_t) { return format::VolumeNumber{0}; };
  add_directory("");
}

format::Entry& ImageAssembler::add(const std::string& path, std::uint32_t mode) {
  auto& entry = names_.emplace_back();
  entry.key = must(format::key_of_path(path));
  entry.mode = mode;
  entry.mtime = {1'700'000'000, 123'456'789};
  return entry;
}

format::Entry& ImageAssembler::add_file(const std::string& path, Bytes content,
                                        format::ExtentCodec codec) {
  auto& entry = add(path, 0100644);
  Buffer extent;
  if (codec == format::ExtentCodec::kRaw) {
    format::append_raw_extent(content, extent);
  } else {
    must(format::append_zstd_extent(content, 3, extent));
  }
  entry.size_bytes = content.size();
  entry.stored_bytes = extent.size();
  entry.codec = codec;
  extents_[entry.key] = std::move(extent);
  return entry;
}

format::Entry& ImageAssembler::add_link_record(format::InodeNumber inode, std::uint32_t mode,
                                               std::uint32_t names) {
  auto& entry = links_.emplace_back();
  entry.key = format::link_key(inode);
  entry.mode = mode;
  entry.mtime = {1'700'000'000, 0};
  entry.link_count = names;
  return entry;
}

format::DataAddress ImageAssembler::place(format::VolumeNumber volume, Bytes extent) {
  auto& data = volumes_[volume].data;
  const auto offset = format::kPageBytes + data.size();
  data.insert(data.end(), extent.begin(), extent.end());
  return {volume, offset};
}

format::SideRef ImageAssembler::add_record(SectionKind kind, Bytes body) {
  auto& section = records_[kind];
  const auto record = format::seal_record(kind, section.size(), body);
  const format::SideRef ref = {section.size(), static_cast<std::uint32_t>(record.size())};
  section.insert(section.end(), record.begin(), record.end());
  return ref;
}

void ImageAssembler::keep(const std::string& path, const format::DataAddress& at) {
  kept_[must(format::key_of_path(path))] = at;
}

void ImageAssembler::adopt_page(const std::string& first_path, ReadyPage page, std::string prefix) {
  page.record.prefix = std::move(prefix);
  adopted_.emplace(must(format::key_of_path(first_path)), std::move(page));
}

void ImageAssembler::lay_out_pages() {
  pages_.clear();
  sort_by_key(names_);
  sort_by_key(links_);
  for (auto& table : tables) {
    for (const auto* entries : {&names_, &links_}) {
      for (const auto& entry : *entries) {
        EXPECT_TRUE(table.intern({entry.mode, entry.uid, entry.gid}).has_value());
      }
    }
  }
  lay_out_zone(names_, zone);
  lay_out_zone(links_, format::kLinkZone);
}

void ImageAssembler::lay_out_zone(std::vector<format::Entry>& entries, std::uint64_t page_zone) {
  last_key_.clear();
  for (std::size_t at = 0; at < entries.size();) {
    const auto rest = std::span(entries).subspan(at);
    const auto adopted = adopted_.find(rest.front().key);
    ReadyPage page;
    std::optional<format::DataAddress> kept;
    if (adopted != adopted_.end()) {
      page = adopted->second;
    } else {
      std::size_t count = 1;
      while (count < std::min(rest.size(), entries_per_page) &&
             !adopted_.contains(rest[count].key)) {
        ++count;
      }
      kept = place_kept(rest.first(count));
      page = make_page(rest.first(count), page_zone != format::kLinkZone);
    }
    page.record.zone = page_zone;
    const auto taken = rest.first(page.record.entry_count);
    add_page(std::move(page), taken, kept);
    at += taken.size();
    last_key_ = taken.back().key;
  }
}

// Returns where the running sum of a page of these entries begins, if it is one of kept extents.
std::optional<format::DataAddress> ImageAssembler::place_kept(std::span<format::Entry> entries) {
  std::optional<format::DataAddress> begin;
  format::DataAddress sum;
  for (auto& entry : entries) {
    const auto kept = kept_.find(entry.key);
    if (kept == kept_.end()) continue;
    const auto& at = kept->second;
    const format::DataAddress end = {at.volume, at.offset_bytes + entry.stored_bytes};
    const bool is_in_frame = entry.fragment_offset.value_or(0) != 0;
    if (!begin) begin = sum = is_in_frame ? end : at;
    entry.address.reset();
    entry.gap_bytes = 0;
    if (is_in_frame && end == sum) continue;  // the first file of the frame has advanced the sum
    if (at.volume == sum.volume && at.offset_bytes >= sum.offset_bytes && !is_in_frame) {
      entry.gap_bytes = at.offset_bytes - sum.offset_bytes;
      sum = end;
    } else if (entry.link_inode != 0) {
      entry.stored_bytes = 0;
    } else {
      entry.address = at;
    }
  }
  return begin;
}

ReadyPage ImageAssembler::make_page(std::span<const format::Entry> entries, bool has_names) {
  const auto codec = has_names ? name_codec : format::kColumnCodec;
  const auto empty = format::Model::empty();
  format::PageContext context;
  context.model = codec == name_codec ? models[pages_.size() % models.size()].get() : empty.get();
  context.attributes = &tables[pages_.size() % tables.size()];
  auto guess = entries.size();
  auto made = must(format::fill_page(*format::find_page_codec(codec), entries, context, guess));
  ReadyPage page{std::move(made.bytes), {}};
  page.record.prefix = made.prefix;
  page.record.entry_count = static_cast<std::uint32_t>(made.entry_count);
  page.record.checksum = made.checksum;
  return page;
}

// Gives the page its place, and the extents of its entries their places behind those of the page
// before.
// @param kept  begin of the running sum, if its extents are not among those of this image
void ImageAssembler::add_page(ReadyPage page, std::span<const format::Entry> entries,
                              const std::optional<format::DataAddress>& kept) {
  auto& record = page.record;
  record.first_ordinal =
      pages_.empty() ? 0 : pages_.back().record.first_ordinal + pages_.back().record.entry_count;
  record.separator =
      format::make_separator(last_key_.empty() ? std::nullopt : std::optional(last_key_),
                             entries.front().key, record.prefix);
  if (kept) {
    record.volume = kept->volume;
    record.first_data_offset = kept->offset_bytes;
    return pages_.push_back(std::move(page));
  }
  record.volume = volume_of_page(pages_.size());
  auto& data = volumes_[record.volume].data;
  record.first_data_offset = format::kPageBytes + data.size();
  for (const auto& entry : entries) {
    const auto extent = extents_.find(entry.key);
    if (entry.address || extent == extents_.end()) continue;
    data.insert(data.end(), extent->second.begin(), extent->second.end());
  }
  pages_.push_back(std::move(page));
}

Buffer ImageAssembler::directory_lists() const {
  std::map<std::string, std::vector<const format::Entry*>> children;  // by their common prefix
  for (const auto& entry : names_) {
    const auto name = format::name_of_key(entry.key);
    if (!name.empty()) {
      children[entry.key.substr(0, entry.key.size() - name.size())].push_back(&entry);
    }
  }
  Buffer body;
  const std::function<void(const std::string&)> visit = [&](const std::string& key) {
    const auto& list = children[format::children_prefix(key)];
    std::vector<std::uint64_t> positions;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (format::is_directory(list[i]->mode)) positions.push_back(i);
    }
    format::encode_directory_list(body, list.size(), positions);
    for (const auto position : positions) visit(list[position]->key);
  };
  visit(names_.front().key);
  return body;
}

std::vector<Buffer> ImageAssembler::run_bodies() const {
  const bool is_split = (incompat & format::feature::kIncompatSplitInodes) != 0;
  const auto numbering = is_split ? format::Numbering::kSplit : format::Numbering::kWhole;
  const std::vector<format::InodeRun> one = {{1, 0, names_.size()}};
  const auto all =
      must(format::InodeRuns::make(runs.empty() ? one : runs, names_.size(), numbering));
  std::vector<Buffer> bodies;
  for (auto rest = std::span(all.runs()); !rest.empty();) {
    const auto part = rest.first(std::min(rest.size(), runs_per_block));
    format::Encoder encoder(bodies.emplace_back());
    encoder.varint(part.size());
    for (const auto& run : part) {
      encoder.varint(run.first_inode);
      encoder.varint(run.count);
    }
    rest = rest.subspan(part.size());
  }
  return bodies;
}

std::vector<format::VolumeRecord> ImageAssembler::volume_records() {
  std::vector<format::VolumeRecord> records;
  for (const auto& [number, volume] : volumes_) {
    records.push_back({number, format::kPageBytes + volume.data.size(), hints[number]});
  }
  for (const auto& volume : foreign) {
    records.push_back({volume.origin.number, volume.data_end, volume.hint});
  }
  return records;
}

Buffer ImageAssembler::link_names() const {
  std::map<format::InodeNumber, std::vector<format::Ordinal>> names;  // by object
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].link_inode != 0) names[names_[i].link_inode].push_back(i);
  }
  format::LinkBlockFiller filler;
  for (const auto& [inode, ordinals] : names) {
    EXPECT_TRUE(filler.add(inode, ordinals))
        << "more names of linked objects than fit into a block";
  }
  return filler.take();
}

Buffer ImageAssembler::make_index() {
  format::Superblock superblock;
  superblock.uuid = uuid;
  superblock.namespace_entries = names_.size();
  superblock.link_entries = links_.size();
  superblock.next_inode = next_inode != 0 ? next_inode : names_.size() + 1;
  if (lists_link_names) superblock.compat |= format::feature::kCompatLinkNames;
  if (records_.contains(SectionKind::kXattrs)) superblock.compat |= format::feature::kCompatXattrs;
  superblock.incompat = incompat;
  Buffer index(format::kPageBytes);
  const auto add_section = [&](SectionKind kind, const Buffer& bytes) {
    if (bytes.empty()) return;
    superblock.sections[static_cast<std::size_t>(kind)] = {kind, index.size(), bytes.size()};
    index.insert(index.end(), bytes.begin(), bytes.end());
    pad_to(index, 8);
  };

  Buffer page_bytes;
  std::vector<format::PageRecord> records;
  for (const auto& page : pages_) {
    page_bytes.insert(page_bytes.end(), page.bytes.begin(), page.bytes.end());
    records.push_back(page.record);
  }
  add_section(SectionKind::kPages, page_bytes);
  std::vector<Buffer> blocks;
  for (std::size_t at = 0; at < records.size(); at += pages_per_block) {
    const auto end = std::min(records.size(), at + pages_per_block);
    blocks.push_back(
        format::encode_page_block({records.begin() + static_cast<std::ptrdiff_t>(at),
                                   records.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  add_section(SectionKind::kPageDirectory, sealed(SectionKind::kPageDirectory, blocks));
  add_section(SectionKind::kDirectoryTable,
              sealed(SectionKind::kDirectoryTable, {directory_lists()}));
  std::vector<Buffer> table_bodies;
  for (const auto* group : {&tables, &more_tables}) {
    for (const auto& table : *group) table.encode(table_bodies.emplace_back());
  }
  add_section(SectionKind::kAttributeTables, sealed(SectionKind::kAttributeTables, table_bodies));
  std::vector<Buffer> model_bodies;
  for (const auto* group : {&models, &more_models}) {
    for (const auto& model : *group) {
      if (model->id() != 0) model_bodies.push_back(model_body(*model));
    }
  }
  add_section(SectionKind::kModels, sealed(SectionKind::kModels, model_bodies));
  add_section(SectionKind::kInodeRuns, sealed(SectionKind::kInodeRuns, run_bodies()));
  Buffer volume_body;
  format::encode_volume_table(volume_records(), volume_body);
  add_section(SectionKind::kVolumes, sealed(SectionKind::kVolumes, {volume_body}));
  for (const auto& [kind, bytes] : records_) add_section(kind, bytes);
  if (lists_link_names) {
    const auto body = link_names();
    add_section(SectionKind::kLinkNames, sealed(SectionKind::kLinkNames, {body}));
    add_section(SectionKind::kLinkTable, sealed(SectionKind::kLinkTable, {link_table_of(body)}));
  }
  if (!foreign.empty()) {
    std::vector<format::VolumeOrigin> origins;
    for (const auto& volume : foreign) origins.push_back(volume.origin);
    Buffer origin_body;
    format::encode_volume_origins(origins, origin_body);
    add_section(SectionKind::kVolumeOrigins, sealed(SectionKind::kVolumeOrigins, {origin_body}));
  }
  if (state) {
    Buffer state_body;
    format::encode_state_id(*state, state_body);
    add_section(SectionKind::kState, sealed(SectionKind::kState, {state_body}));
  }
  pad_to(index, format::kPageBytes);
  superblock.index_bytes = index.size();
  const auto first_page = format::encode_superblock(superblock);
  std::copy(first_page.begin(), first_page.end(), index.begin());
  return index;
}

void ImageAssembler::write(storage::Env& env, const std::string& image, const std::string& sidecar,
                           bool trailing) {
  volumes_[0];
  lay_out_pages();
  const auto index = make_index();
  if (!sidecar.empty()) write_file(env, sidecar, index);
  for (const auto& [number, volume] : volumes_) {
    format::VolumeHeader header;
    header.incompat = incompat;
    header.image_uuid = uuid;
    header.number = number;
    header.data_end = format::kPageBytes + volume.data.size();
    Buffer file(format::kPageBytes);
    file.insert(file.end(), volume.data.begin(), volume.data.end());
    pad_to(file, format::kPageBytes);
    if (number == 0 && trailing) {
      header.index_offset = file.size();
      header.index_bytes = index.size();
      file.insert(file.end(), index.begin(), index.end());
    }
    header.file_bytes = file.size() + format::kPageBytes;
    const auto page = format::encode_volume_header(header);
    std::copy(page.begin(), page.end(), file.begin());
    file.insert(file.end(), page.begin(), page.end());
    write_file(env, number == 0 ? image : more_volumes.at(number), file);
  }
}

void write_file(storage::Env& env, const std::string& path, Bytes bytes) {
  auto file = must(env.open(path, {storage::OpenOptions::Mode::kCreateNew}));
  must(file->write_at(0, bytes));
}

Buffer read_file(storage::Env& env, const std::string& path) {
  const auto file = must(env.open(path));
  Buffer bytes(static_cast<std::size_t>(must(file->size())));
  must(storage::read_exactly(*file, 0, bytes));
  return bytes;
}

}  // namespace dgfs::test
