// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/builder/image_dump.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "format/coding.h"
#include "format/entry/attribute_table.h"
#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "format/model.h"
#include "format/page/directory.h"
#include "format/page/page.h"
#include "format/page/root.h"
#include "format/page_open.h"
#include "format/section/directory_table.h"
#include "format/section/inode_runs.h"
#include "format/section/xattr_set.h"
#include "format/zstd/content_dictionary.h"
#include "storage/names.h"
#include "tests/support/whole_extent.h"

namespace dgfs::test {
namespace {

using format::SectionKind;

Error wrong(const std::string& what) { return Error(ErrorKind::kCorrupt, 1, what); }

Status expect(bool condition, const std::string& what) {
  return condition ? Status(ok()) : Status(wrong(what));
}

class Dumper : public format::PageDictionaries {
 public:
  /// Gives the bytes of volume `number` > 0 of the image with that UUID.
  using FindVolume = std::function<Result<Buffer>(const format::Uuid&, format::VolumeNumber)>;

  Result<ImageDump> run(Buffer image, std::optional<Buffer> index, const FindVolume& find);

  const format::Model* model(std::uint16_t id) const override {
    const auto found = models_.find(id);
    return found == models_.end() ? nullptr : found->second.get();
  }
  const format::AttributeTable* attribute_table(std::uint16_t id) const override {
    const auto found = tables_.find(id);
    return found == tables_.end() ? nullptr : &found->second;
  }

 private:
  Status open(std::optional<Buffer> index);
  Status add_volume(Buffer bytes, format::VolumeNumber number);
  Status load_volumes(const FindVolume& find);
  Bytes section(SectionKind kind) const {
    const auto& place = dump_.superblock.section(kind);
    return Bytes(index_).subspan(place.offset_bytes, place.length_bytes);
  }
  Result<std::vector<Buffer>> blocks(SectionKind kind) const;
  Status load_dictionaries();
  Status load_pages();
  Status check_root(const std::vector<format::PageRecord>& records) const;
  Status add_page(const format::PageRecord& record, const format::DecodedPage& page);
  Status resolve_links();
  Status load_tree();
  Status load_node(DumpedNode& node);
  Status load_content(DumpedNode& node);

  ImageDump dump_;
  std::vector<Buffer> volumes_;  ///< the image first
  std::vector<format::VolumeHeader> headers_;
  Buffer index_;
  std::map<std::uint16_t, std::shared_ptr<const format::Model>> models_;
  format::ContentDictionaries dictionaries_;
  std::map<std::uint16_t, format::AttributeTable> tables_;
  std::vector<std::string> paths_;  ///< by ordinal
  std::map<std::string, format::Entry> links_;
};

Result<ImageDump> Dumper::run(Buffer image, std::optional<Buffer> index, const FindVolume& find) {
  DGFS_CHECK(add_volume(std::move(image), 0));
  DGFS_CHECK(open(std::move(index)));
  DGFS_CHECK(load_volumes(find));
  DGFS_CHECK(load_dictionaries());
  DGFS_CHECK(load_pages());
  DGFS_CHECK(resolve_links());
  DGFS_CHECK(load_tree());
  for (auto& [path, node] : dump_.nodes) {
    DGFS_CHECK(load_node(node));
  }
  return std::move(dump_);
}

Status Dumper::open(std::optional<Buffer> index) {
  const format::VolumeHeader& header = headers_.front();
  if (index) {
    index_ = std::move(*index);
  } else {
    const auto own = Bytes(volumes_.front()).subspan(header.index_offset, header.index_bytes);
    index_.assign(own.begin(), own.end());
  }
  DGFS_TRY(superblock, format::decode_superblock(Bytes(index_).first(format::kPageBytes)));
  dump_.superblock = superblock;
  DGFS_CHECK(expect(superblock.uuid == header.image_uuid, "UUIDs differ"));
  return expect(superblock.index_bytes == index_.size(), "index_bytes");
}

Status Dumper::add_volume(Buffer bytes, format::VolumeNumber number) {
  const Bytes volume(bytes);
  DGFS_CHECK(expect(volume.size() >= 2 * format::kPageBytes, "volume is too short"));
  DGFS_TRY(header, format::decode_volume_header(volume.first(format::kPageBytes)));
  DGFS_TRY(trailer, format::decode_volume_header(volume.last(format::kPageBytes)));
  DGFS_CHECK(expect(header == trailer, "header pages differ"));
  DGFS_CHECK(expect(header.file_bytes == volume.size(), "file_bytes"));
  DGFS_CHECK(expect(header.number == number, "volume number"));
  // F-027: the bytes between extents, index and last header page are zeros.
  const auto index_end = header.index_offset + header.index_bytes;
  for (auto at = header.data_end; at < header.file_bytes - format::kPageBytes; ++at) {
    const bool is_index = at >= header.index_offset && at < index_end;
    DGFS_CHECK(expect(is_index || volume[at] == 0, "bytes that belong to nothing"));
  }
  headers_.push_back(header);
  volumes_.push_back(std::move(bytes));
  return ok();
}

Status Dumper::load_volumes(const FindVolume& find) {
  DGFS_TRY(bodies, blocks(SectionKind::kVolumes));
  DGFS_TRY(records, format::decode_volume_table(bodies.at(0)));
  const format::Superblock& superblock = dump_.superblock;
  const bool several = (superblock.incompat & format::feature::kIncompatVolumes) != 0;
  DGFS_CHECK(expect(several == (records.size() > 1), "feature bit"));
  std::uint64_t stored_bytes = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    DGFS_CHECK(expect(records[i].number == i, "volume number"));
    if (i != 0) {
      DGFS_TRY(bytes, find(superblock.uuid, records[i].number));
      DGFS_CHECK(add_volume(std::move(bytes), records[i].number));
      DGFS_CHECK(expect(!records[i].hint.empty(), "hint"));
    }
    DGFS_CHECK(expect(headers_[i].data_end == records[i].data_end, "data_end"));
    DGFS_CHECK(expect(headers_[i].incompat == superblock.incompat, "incompat"));
    dump_.data_ends.push_back(records[i].data_end);
    stored_bytes += records[i].data_end - format::kPageBytes;
  }
  return expect(superblock.stored_bytes == stored_bytes, "stored_bytes");
}

Result<std::vector<Buffer>> Dumper::blocks(SectionKind kind) const {
  std::vector<Buffer> bodies;
  for (Bytes rest = section(kind); !rest.empty();) {
    DGFS_TRY(block, format::open_block(kind, rest));
    rest = rest.subspan(block.consumed_bytes);
    bodies.push_back(std::move(block.body));
  }
  return bodies;
}

Status Dumper::load_dictionaries() {
  models_[0] = format::Model::empty();
  DGFS_TRY(dictionaries, blocks(SectionKind::kDictionaries));
  for (const Buffer& body : dictionaries) {
    DGFS_TRY(dictionary, format::decode_content_dictionary(body));
    DGFS_CHECK(dictionaries_.add(std::move(dictionary)));
  }
  DGFS_TRY(models, blocks(SectionKind::kModels));
  for (const Buffer& body : models) {
    const auto id = format::load<std::uint16_t>(body, 0);
    const auto kind = static_cast<format::ModelKind>(body[2]);
    DGFS_TRY(model, format::Model::make(id, kind, Bytes(body).subspan(3)));
    models_[id] = model;
  }
  DGFS_TRY(tables, blocks(SectionKind::kAttributeTables));
  for (const Buffer& body : tables) {
    DGFS_TRY(table, format::AttributeTable::decode(body));
    const auto id = table.id();
    DGFS_CHECK(expect(tables_.emplace(id, std::move(table)).second, "table twice"));
  }
  dump_.models = models.size();
  dump_.attribute_tables = tables.size();
  return ok();
}

Status Dumper::check_root(const std::vector<format::PageRecord>& records) const {
  DGFS_TRY(bodies, blocks(SectionKind::kPageRoot));
  std::uint64_t page = 0;
  for (const Buffer& body : bodies) {
    DGFS_TRY(rows, format::decode_page_root(body));
    for (const format::PageRootRow& row : rows) {
      DGFS_CHECK(expect(row.first_page == page, "root: first_page"));
      const format::PageRecord& first = records.at(page);
      DGFS_CHECK(expect(row.bound == first.prefix + first.separator, "root: bound"));
      DGFS_CHECK(expect(row.first_ordinal == first.first_ordinal, "root: ordinal"));
      page += row.page_count;
    }
  }
  return expect(page == records.size(), "root: pages");
}

Status Dumper::load_pages() {
  std::vector<format::PageRecord> records;
  DGFS_TRY(bodies, blocks(SectionKind::kPageDirectory));
  for (const Buffer& body : bodies) {
    DGFS_TRY(some, format::decode_page_block(body));
    records.insert(records.end(), some.begin(), some.end());
  }
  DGFS_CHECK(check_root(records));
  DGFS_TRY(directory, format::PageDirectory::make(records));
  const Bytes pages = section(SectionKind::kPages);
  DGFS_CHECK(expect(pages.size() == records.size() * format::kPageBytes, "number of pages"));
  dump_.pages = records.size();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto bytes = pages.subspan(i * format::kPageBytes, format::kPageBytes);
    DGFS_CHECK(expect(format::load<std::uint64_t>(bytes, 0) == records[i].checksum, "checksum"));
    DGFS_TRY(page, format::decode_page(bytes, *this));
    DGFS_CHECK(add_page(records[i], *page));
  }
  const auto& superblock = dump_.superblock;
  DGFS_CHECK(expect(paths_.size() == superblock.namespace_entries, "namespace_entries"));
  DGFS_CHECK(expect(links_.size() == superblock.link_entries, "link_entries"));
  return expect(directory.entry_count() == paths_.size() + links_.size(), "entry count");
}

Status Dumper::add_page(const format::PageRecord& record, const format::DecodedPage& page) {
  DGFS_CHECK(expect(page.size() == record.entry_count, "entries of a page"));
  DGFS_CHECK(expect(record.first_ordinal == paths_.size() + links_.size(), "first ordinal"));
  for (std::size_t i = 0; i < page.size(); ++i) {
    format::Entry entry = page.entry(i);
    const std::string key = record.prefix + entry.key;
    if (record.zone == format::kLinkZone) {
      DGFS_CHECK(expect(entry.address || entry.stored_bytes == 0, "link without address"));
      links_.emplace(key, std::move(entry));
      continue;
    }
    DGFS_TRY(path, format::path_of_key(key));
    DumpedNode node;
    node.inode = entry.link_inode != 0 ? entry.link_inode : paths_.size() + 1;
    node.data_offset = entry.address ? entry.address->offset_bytes  // F-311
                                     : record.first_data_offset + page.data_offset(i);
    if (!entry.address && entry.fragment_offset.value_or(0) != 0) {
      node.data_offset -= entry.stored_bytes;  // F-313
    }
    node.volume = entry.address ? entry.address->volume : record.volume;
    node.entry = std::move(entry);
    paths_.push_back(path);
    DGFS_CHECK(expect(dump_.nodes.emplace(path, std::move(node)).second, "path twice"));
  }
  return ok();
}

Status Dumper::resolve_links() {
  std::map<format::InodeNumber, std::uint32_t> names;
  for (auto& [path, node] : dump_.nodes) {
    if (node.entry.link_inode == 0) continue;
    const auto found = links_.find(format::link_key(node.inode));
    DGFS_CHECK(expect(found != links_.end(), "link record is missing: " + path));
    const format::Entry name = std::exchange(node.entry, found->second);
    DGFS_CHECK(expect(format::type_of(name.mode) == format::type_of(node.entry.mode), "type"));
    if (name.stored_bytes != 0) {
      DGFS_CHECK(expect(node.entry.address == format::DataAddress{node.volume, node.data_offset},
                        "link address"));
      DGFS_CHECK(expect(name.stored_bytes == node.entry.stored_bytes, "link stored_bytes"));
    }
    if (node.entry.address) {
      node.volume = node.entry.address->volume;
      node.data_offset = node.entry.address->offset_bytes;
    }
    ++names[node.inode];
  }
  for (const auto& [inode, count] : names) {
    const auto& record = links_.at(format::link_key(inode));
    DGFS_CHECK(expect(record.link_count == count, "link_count"));
    const std::string& first = paths_.at(inode - 1);
    DGFS_CHECK(expect(dump_.nodes.at(first).inode == inode, "inode is not its first name's"));
  }
  return expect(names.size() == links_.size(), "link record without names");
}

Status Dumper::load_tree() {
  DGFS_TRY(run_blocks, blocks(SectionKind::kInodeRuns));
  DGFS_TRY(runs, format::InodeRuns::decode(run_blocks.at(0), paths_.size()));
  DGFS_CHECK(expect(runs.ordinal_of(1) == 0, "inode runs"));
  format::DirectoryTable::Loader loader(paths_.size());
  DGFS_TRY(bodies, blocks(SectionKind::kDirectoryTable));
  for (const Buffer& body : bodies) {
    DGFS_CHECK(loader.add(body));
  }
  DGFS_TRY(table, std::move(loader).finish());
  for (format::Ordinal ordinal = 0; ordinal < paths_.size(); ++ordinal) {
    DumpedNode& node = dump_.nodes.at(paths_[ordinal]);
    const auto range = table.children(ordinal);
    DGFS_CHECK(expect(range.has_value() == format::is_directory(node.entry.mode), "directory"));
    if (!range) continue;
    for (std::uint64_t i = 0; i < range->count; ++i) {
      const std::string& child = paths_.at(range->first + i);
      const auto slash = child.rfind('/');
      const std::string parent = slash == std::string::npos ? "" : child.substr(0, slash);
      DGFS_CHECK(expect(parent == paths_[ordinal], "child of another directory: " + child));
      node.children.push_back(child);
    }
  }
  return ok();
}

Status Dumper::load_node(DumpedNode& node) {
  const format::Entry& entry = node.entry;
  const auto record = [&](SectionKind kind, const format::SideRef& ref) {
    return format::open_record(kind, ref.offset_bytes,
                               section(kind).subspan(ref.offset_bytes, ref.length_bytes));
  };
  node.target = entry.target;
  if (entry.long_target.present()) {
    DGFS_TRY(target, record(SectionKind::kLongTargets, entry.long_target));
    node.target = as_text(target);
  }
  if (entry.xattrs.present()) {
    DGFS_TRY(body, record(SectionKind::kXattrs, entry.xattrs));
    DGFS_TRY(xattrs, format::decode_xattr_set(body));
    node.xattrs = xattrs;
  }
  if (!format::is_regular(entry.mode)) return ok();
  if (entry.sparse_map.present()) {
    DGFS_TRY(body, record(SectionKind::kSparseMaps, entry.sparse_map));
    DGFS_TRY(map, format::SparseMap::decode(body, entry.size_bytes));
    node.segments = map.segments();
  }
  return load_content(node);
}

Status Dumper::load_content(DumpedNode& node) {
  const format::Entry& entry = node.entry;
  DGFS_CHECK(expect(node.volume < volumes_.size(), "no such volume"));
  const std::uint64_t end = node.data_offset + entry.stored_bytes;
  DGFS_CHECK(expect(end <= headers_[node.volume].data_end, "extent ends late"));
  const Bytes stored = Bytes(volumes_[node.volume]).subspan(node.data_offset, entry.stored_bytes);
  std::uint64_t content_bytes = entry.size_bytes;
  if (entry.sparse_map.present()) {
    content_bytes = 0;
    for (const auto& segment : node.segments) content_bytes += segment.length;
  }
  if (entry.fragment_offset) {
    DGFS_TRY(frame, format::open_fragment_frame(stored, {&dictionaries_, true}));
    DGFS_CHECK(
        expect(*entry.fragment_offset + content_bytes <= frame.size(), "fragment frame too short"));
    node.content = as_text(Bytes(frame).subspan(*entry.fragment_offset, content_bytes));
    return ok();
  }
  DGFS_TRY(content, read_extent(entry.codec, stored, content_bytes, {&dictionaries_, true}));
  if (!entry.sparse_map.present()) {
    node.content = as_text(content);
    return ok();
  }
  node.content.assign(entry.size_bytes, '\0');
  for (const auto& segment : node.segments) {
    node.content.replace(segment.begin, segment.length,
                         as_text(Bytes(content).subspan(segment.content, segment.length)));
  }
  return ok();
}

Result<Buffer> find_volume_in(storage::Env& env, const std::string& folder,
                              const format::Uuid& uuid, format::VolumeNumber number) {
  DGFS_TRY(directory, env.open_directory(folder));
  DGFS_TRY(names, directory->list());
  for (const auto& name : names) {
    auto bytes = read_whole(env, storage::join_path(folder, name));
    if (!bytes || bytes.value().size() < format::kPageBytes) continue;
    const auto header =
        format::decode_volume_header(Bytes(bytes.value()).first(format::kPageBytes));
    if (!header || header.value().image_uuid != uuid || header.value().number != number) continue;
    return bytes;
  }
  return wrong("not in this folder");
}

}  // namespace

Result<Buffer> read_whole(storage::Env& env, const std::string& path) {
  DGFS_TRY(file, env.open(path));
  DGFS_TRY(size, file->size());
  Buffer bytes(size);
  DGFS_CHECK(storage::read_exactly(*file, 0, bytes));
  return bytes;
}

Result<ImageDump> dump_image(storage::Env& env, const std::string& image_path,
                             const std::string& index_path,
                             const std::vector<std::string>& volume_folders) {
  DGFS_TRY(image, read_whole(env, image_path));
  std::optional<Buffer> index;
  if (!index_path.empty()) {
    DGFS_TRY(bytes, read_whole(env, index_path));
    index = std::move(bytes);
  }
  auto folders = volume_folders;
  folders.push_back(storage::parent_path(image_path));
  return Dumper().run(std::move(image), std::move(index),
                      [&](const auto& uuid, auto number) -> Result<Buffer> {
                        for (const auto& folder : folders) {
                          auto found = find_volume_in(env, folder, uuid, number);
                          if (found) return found;
                        }
                        return wrong("a volume is missing");
                      });
}

}  // namespace dgfs::test
