// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Wiring of an open image, and its metadata calls.
#include "reader/image.h"

#include <fmt/format.h>

#include "format/key.h"
#include "format/limits.h"
#include "format/mode.h"
#include "reader/image_impl.h"
#include "reader/index_compare.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

constexpr std::size_t kFrameShardsMax = 8;

CacheCounters sum_of(const CacheCounters& a, const CacheCounters& b) {
  return {a.hits + b.hits, a.misses + b.misses, a.evictions + b.evictions, a.bytes + b.bytes,
          a.bytes_max + b.bytes_max};
}

// Lookups take a page's word for what is no directory, so that they need not search the table.
Status check_kinds(const LoadedPage& page, const format::DecodedPage& rows,
                   const IndexTables& tables) {
  if (page.record.zone == format::kLinkZone) return ok();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool in_table = tables.directories.children(page.ordinal(i)).has_value();
    if (format::is_directory(rows.mode(i)) == in_table) continue;  // F-053
    return Error(
        ErrorKind::kCorrupt, 3042,
        fmt::format("entry {}: pages and directory table disagree on what is a directory", i));
  }
  return ok();
}

// F-050, F-102: neighbours are of one directory by their keys exactly where the table says so.
Status check_directories(const LoadedPage& page, const format::DecodedPage& rows,
                         const IndexTables& tables) {
  if (page.record.zone == format::kLinkZone) return ok();
  std::string before;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto key = page.full_key(rows.key(i));
    key.resize(key.size() - format::name_of_key(key).size());
    const auto ordinal = page.ordinal(i);
    const bool is_first = i == 0 || ordinal == 1;  // the root is nobody's child
    const bool by_table =
        !is_first && tables.directories.parent(ordinal) == tables.directories.parent(ordinal - 1);
    if (!is_first && by_table != (key == before)) {
      return Error(ErrorKind::kCorrupt, 3043,
                   fmt::format("entry {}: pages and directory table disagree on its directory", i));
    }
    before = std::move(key);
  }
  return ok();
}

// One page of one copy, all that can be said of it.
Status check_page(const IndexCopy& copy, const IndexTables& tables, std::size_t number,
                  CounterCells& counters) {
  DGFS_TRY(page, read_checked_page(copy, tables, number, counters));
  const auto check = [&]() -> Status {
    DGFS_TRY(rows, page.page->decode());
    DGFS_CHECK(slice_of(page, 0, page.size(), tables));
    DGFS_CHECK(check_kinds(page, *rows, tables));
    return check_directories(page, *rows, tables);
  };
  const auto checked = check();
  if (checked) return ok();
  const auto& error = checked.assume_error();
  return placed(Error(error.kind(), error.code(), error.text()), copy.path(), "pages",
                copy.page_offset(number));
}

}  // namespace

Image::Impl::Impl(storage::Env& environment, OpenedFiles&& files, const OpenOptions& options)
    : env(environment),
      index_path(std::move(files.index_path)),
      volume_zero(std::move(files.volume_zero)),
      source(std::move(files.first), std::move(files.open_second), options.warn),
      pages(source, tables, counters, options.page_cache_bytes),
      frames(options.frame_cache_bytes, kFrameShardsMax),
      maps(options.frame_cache_bytes, 1),  // one shard, since one map may take most of it
      names(tables, pages),
      walker(tables, pages, names),
      side_records(source, counters),
      digests(source, counters),
      check_contents(options.check_contents) {}

Status Image::Impl::load(OpenedFiles&& files) {
  DGFS_TRY(loaded, IndexTables::load(source, counters));
  tables = std::move(loaded);
  files.places.index_path = source.first().path();
  files.places.table_offset_bytes = source.first().section_offset(format::SectionKind::kVolumes);
  volumes.emplace(env, std::move(files.places), tables.volumes);
  if (volume_zero) volumes->adopt(*volume_zero);
  content.emplace(*volumes, tables.content_dictionaries, counters, frames, maps, check_contents);
  return ok();
}

Image::Image(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Image::~Image() = default;

Result<std::unique_ptr<const Image>> Image::open(storage::Env& env, const std::string& path,
                                                 OpenOptions options) {
  DGFS_TRY(files, open_files(env, path, options));
  auto impl = std::make_unique<Impl>(env, std::move(files), options);
  DGFS_CHECK(impl->load(std::move(files)));
  return std::unique_ptr<const Image>(new Image(std::move(impl)));
}

Result<Node> Image::lookup(std::string_view path) const { return impl_->names.lookup(path); }

Result<Node> Image::lookup(InodeNumber directory, std::string_view name) const {
  return impl_->names.lookup(directory, name);
}

Result<Node> Image::by_inode(InodeNumber inode) const { return impl_->names.by_inode(inode); }

Result<Node> Image::lost_directory(std::string_view path) const {
  DGFS_TRY(key, format::key_of_path(path));
  return impl_->names.lost_directory(key);
}

Result<InodeNumber> Image::parent(InodeNumber inode) const { return impl_->names.parent(inode); }

Result<std::string> Image::path_of(InodeNumber inode) const { return impl_->names.path_of(inode); }

Status Image::list(InodeNumber directory, std::uint64_t first_position,
                   const std::function<bool(const ListedName&)>& visit,
                   const std::function<bool(const LostNames&)>& lost) const {
  return impl_->names.list(
      directory, first_position,
      [&](std::uint64_t position, std::string_view name, const EntryRange& range,
          std::size_t index) -> Result<bool> {
        const auto inode = impl_->names.inode_of(*range.page, index, range.link_inode(index));
        return visit({position, name, inode, range.mode(index)});
      },
      lost);
}

Status Image::list_nodes(InodeNumber directory, std::uint64_t first_position,
                         const std::function<bool(const ListedName&, const Node&)>& visit,
                         const std::function<bool(const LostNames&)>& lost) const {
  return impl_->names.list(
      directory, first_position,
      [&](std::uint64_t position, std::string_view name, const EntryRange& range,
          std::size_t index) -> Result<bool> {
        const auto node = impl_->names.resolve({range.page, range.entry(index)});
        if (node) {
          const auto& found = node.assume_value();
          return visit({position, name, found.inode, found.mode}, found);
        }
        const auto inode = impl_->names.inode_of(*range.page, index, range.link_inode(index));
        const ListedName known{position, name, inode, range.mode(index)};
        const auto path = format::path_of_key(range.full_key(index)).value();  // was checked
        const auto error = losing_attributes(node.assume_error(), path);
        if (lost && lost({position, 1, &known, {}, error})) return true;
        return error;
      },
      lost);
}

Status Image::walk(std::string_view path,
                   const std::function<bool(std::string_view path, const Node& node)>& visit,
                   const std::function<bool(const Error&)>& damaged) const {
  return impl_->walker.walk(path, visit, damaged);
}

Result<std::string> Image::read_link(const Node& node) const {
  if (format::is_symlink(node.mode)) return impl_->side_records.target(node);
  return Error(ErrorKind::kInvalidArgument, 3110, "not a symbolic link");
}

Result<std::vector<Xattr>> Image::xattrs(const Node& node) const {
  return impl_->side_records.xattrs(node);
}

Result<std::optional<format::DigestAlgorithm>> Image::digest_algorithm() const {
  return impl_->digests.algorithm();
}

const format::Superblock& Image::superblock() const { return impl_->source.first().superblock(); }

const std::vector<format::VolumeRecord>& Image::volumes() const {
  return impl_->volumes->records();
}

Status Image::check_is_volume(const std::string& path) const {
  return impl_->volumes->check_is_volume(path);
}

std::vector<std::pair<std::string, std::string>> Image::files() const {
  std::vector<std::pair<std::string, std::string>> files;
  const auto name = [](format::VolumeNumber number) {
    return number == 0 ? std::string("image") : fmt::format("volume {}", number);
  };
  if (impl_->volume_zero) files.emplace_back("image", impl_->volume_zero->file->path());
  if (!impl_->index_path.empty()) files.emplace_back("index", impl_->index_path);
  for (const auto& volume : volumes()) {
    if (volume.number == 0 && impl_->volume_zero) continue;
    if (auto path = impl_->volumes->path(volume.number)) {
      files.emplace_back(name(volume.number), *std::move(path));
    }
  }
  return files;
}

bool Image::has_second_index() const {
  return impl_->source.second() != nullptr && !impl_->source.second_error();
}

Result<std::string> Image::volume_path(format::VolumeNumber number) const {
  DGFS_TRY(volume, impl_->volumes->get(number));
  return volume->file->path();
}

Status Image::check_volume(format::VolumeNumber number) const {
  DGFS_TRY(volume, impl_->volumes->get(number));
  return reader::check_volume(*volume);
}

storage::Env& Image::env() const { return impl_->env; }

Counters Image::counters() const {
  const auto& cells = impl_->counters;
  Counters counters;
  counters.pages = impl_->pages.cache_counters();
  counters.frames = sum_of(impl_->frames.counters(), impl_->maps.counters());
  counters.index_reads = cells.index_reads.load(std::memory_order_relaxed);
  counters.side_reads = cells.side_reads.load(std::memory_order_relaxed);
  counters.data_reads = cells.data_reads.load(std::memory_order_relaxed);
  counters.index_read_bytes = cells.index_read_bytes.load(std::memory_order_relaxed);
  counters.side_read_bytes = cells.side_read_bytes.load(std::memory_order_relaxed);
  counters.data_read_bytes = cells.data_read_bytes.load(std::memory_order_relaxed);
  counters.healed_pages = cells.healed_pages.load(std::memory_order_relaxed);
  counters.errors = cells.errors.load(std::memory_order_relaxed);
  return counters;
}

std::size_t Image::resident_bytes() const {
  return sizeof(Impl) + impl_->tables.memory_bytes() + impl_->digests.memory_bytes();
}

std::vector<Generation> Image::models() const { return impl_->tables.dictionaries.model_list(); }

std::vector<Generation> Image::attribute_tables() const {
  return impl_->tables.dictionaries.attribute_table_list();
}

Status Image::measure_pages(const std::function<bool(const format::PageSizes&)>& visit) const {
  Buffer bytes(format::kPageBytes);
  for (std::size_t page = 0; page < impl_->tables.pages.size(); ++page) {
    const auto measured = impl_->source.read(
        impl_->counters, [&](const IndexCopy& copy) -> Result<format::PageSizes> {
          DGFS_CHECK(copy.read_page(page, bytes));
          return placed_result(format::measure_page(bytes, impl_->tables.dictionaries), copy.path(),
                               "pages", copy.page_offset(page));
        });
    if (measured && !visit(measured.assume_value())) break;
  }
  return ok();
}

Status Image::verify_records(const Node& node) const {
  if (!node.long_target.present() && !node.xattrs.present() && !node.sparse_map.present()) {
    return ok();
  }
  DGFS_CHECK(impl_->side_records.check(impl_->source.first(), node));
  if (const auto* second = impl_->source.second()) {
    DGFS_CHECK(impl_->side_records.check(*second, node));
  }
  return ok();
}

Status Image::verify_index(
    const std::function<void(const Error&)>& damaged,
    const std::function<bool(format::VolumeNumber)>& wants_volume,
    const std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)>& goes_on) const {
  const auto* const second = impl_->source.second();
  const std::uint64_t copies = second != nullptr ? 2 : 1;
  const auto bytes_total = copies * impl_->tables.pages.size() * format::kPageBytes;
  std::uint64_t bytes = 0;
  bool sound = true;
  const auto tell = [&](const Error& error) {
    sound = false;
    damaged(error);
  };
  const auto check_copy = [&](const IndexCopy& copy) -> Status {
    check_tables(copy, tell);
    for (std::size_t page = 0; page < impl_->tables.pages.size(); ++page) {
      const auto checked = check_page(copy, impl_->tables, page, impl_->counters);
      if (!checked) tell(checked.assume_error());
      bytes += format::kPageBytes;
      if (goes_on && !goes_on(bytes, bytes_total)) {
        return Error(ErrorKind::kInterrupted, 3270, "interrupted");
      }
    }
    Digests::check(copy, tell);
    const auto unused = copy.check_unused();
    if (!unused) tell(unused.assume_error());
    return ok();
  };
  DGFS_CHECK(check_copy(impl_->source.first()));
  if (second != nullptr) {
    DGFS_CHECK(check_copy(*second));
  }
  if (second != nullptr && sound) compare_copies(impl_->source.first(), *second, damaged);
  if (const auto error = impl_->source.second_error()) damaged(*error);
  for (const auto& record : volumes()) {
    if (wants_volume && !wants_volume(record.number)) continue;
    const auto status = check_volume(record.number);
    if (!status) damaged(status.assume_error());
  }
  return ok();
}

}  // namespace dgfs::reader
