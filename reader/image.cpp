// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Image: passes each call to the part that does the work.
#include "reader/image.h"

#include <fmt/format.h>

#include <exception>

#include "format/entry/key.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/check/index_check.h"
#include "reader/content/read_many_plan.h"
#include "reader/content/read_many_run.h"
#include "reader/opened_image.h"
#include "reader/placed_error.h"

namespace dgfs::reader {
namespace {

CacheCounters sum_of(const CacheCounters& a, const CacheCounters& b) {
  return {a.hits + b.hits, a.misses + b.misses, a.evictions + b.evictions, a.bytes + b.bytes,
          a.bytes_max + b.bytes_max};
}

}  // namespace

Image::Image(std::unique_ptr<OpenedImage> opened) : opened_(std::move(opened)) {}
Image::~Image() = default;

Result<std::unique_ptr<const Image>> Image::open(storage::Env& env, const std::string& path,
                                                 OpenOptions options) {
  DGFS_TRY(files, open_files(env, path, options));
  auto opened = std::make_unique<OpenedImage>(env, std::move(files), options);
  DGFS_TRY(tables, IndexTables::load(opened->source, opened->counters));
  opened->attach(std::move(tables));
  if (options.shares_volumes_of != nullptr) {
    opened->volumes->adopt_open(*options.shares_volumes_of->opened_->volumes);
  }
  return std::unique_ptr<const Image>(new Image(std::move(opened)));
}

Result<Node> Image::lookup(std::string_view path) const { return opened_->names.lookup(path); }

Result<Node> Image::lookup(InodeNumber directory, std::string_view name) const {
  return opened_->names.lookup(directory, name);
}

Result<Node> Image::by_inode(InodeNumber inode) const { return opened_->names.by_inode(inode); }

Result<Node> Image::lost_directory(std::string_view path) const {
  DGFS_TRY(key, format::key_of_path(path));
  return opened_->names.lost_directory(key);
}

// The inode runs lead to no name of an object whose names have no numbers of their own.
Result<InodeNumber> Image::parent(InodeNumber inode) const {
  auto known = opened_->names.parent(inode);
  if (known || known.assume_error().kind() != ErrorKind::kNotFound) return known;
  const auto first = opened_->object_names.first(inode);
  if (!first && first.assume_error().kind() != ErrorKind::kNotFound) return first.assume_error();
  if (!first || !first.assume_value()) return known;
  return first.assume_value()->directory;
}

Result<std::string> Image::path_of(InodeNumber inode) const {
  auto known = opened_->names.path_of(inode);
  if (known || known.assume_error().kind() != ErrorKind::kNotFound) return known;
  const auto first = opened_->object_names.first(inode);
  if (!first && first.assume_error().kind() != ErrorKind::kNotFound) return first.assume_error();
  if (!first || !first.assume_value()) return known;
  DGFS_TRY(path, opened_->names.path_of(first.assume_value()->directory));
  return path.empty() ? first.assume_value()->name : path + "/" + first.assume_value()->name;
}

Result<std::optional<ObjectName>> Image::name_of(InodeNumber inode) const {
  return opened_->object_names.first(inode);
}

Result<std::optional<std::vector<ObjectName>>> Image::names_of(InodeNumber inode) const {
  return opened_->object_names.all(inode);
}

Status Image::list(InodeNumber directory, std::uint64_t first_position,
                   const std::function<bool(const ListedName&)>& visit,
                   const std::function<bool(const LostNames&)>& lost) const {
  return opened_->names.list(
      directory, first_position,
      [&](std::uint64_t position, std::string_view name, const EntryRange& range,
          std::size_t index) -> Result<bool> {
        const auto inode = opened_->names.inode_of(*range.page, index, range.link_inode(index));
        return visit({position, name, inode, range.mode(index)});
      },
      lost);
}

Status Image::list_nodes(InodeNumber directory, std::uint64_t first_position,
                         const std::function<bool(const ListedName&, const Node&)>& visit,
                         const std::function<bool(const LostNames&)>& lost) const {
  return opened_->names.list(
      directory, first_position,
      [&](std::uint64_t position, std::string_view name, const EntryRange& range,
          std::size_t index) -> Result<bool> {
        const auto node = opened_->names.resolve({range.page, range.entry(index)});
        if (node) {
          const auto& found = node.assume_value();
          return visit({position, name, found.inode, found.mode}, found);
        }
        const auto inode = opened_->names.inode_of(*range.page, index, range.link_inode(index));
        const ListedName known{position, name, inode, range.mode(index)};
        const auto path = format::path_of_key(range.full_key(index)).value();  // keys were checked
        const auto error = losing_attributes(node.assume_error(), path);
        if (lost && lost({position, 1, &known, {}, error})) return true;
        return error;
      },
      lost);
}

Result<DirectoryCursor> Image::directory(InodeNumber directory) const {
  return DirectoryCursor::make(opened_->names, directory);
}

Status Image::walk(std::string_view path,
                   const std::function<bool(std::string_view path, const Node& node)>& visit,
                   const std::function<bool(const Error&)>& damaged) const {
  return opened_->walker.walk(path, visit, damaged);
}

Status Image::walk_nameless(const std::function<bool(const Node& node)>& visit,
                            const std::function<bool(const Error&)>& damaged) const {
  return opened_->walker.walk_nameless(visit, damaged);
}

Result<std::string> Image::read_link(const Node& node) const {
  if (format::is_symlink(node.mode)) return opened_->side_records.target(node);
  return Error(ErrorKind::kInvalidArgument, 3110, "not a symbolic link");
}

Result<std::vector<Xattr>> Image::xattrs(const Node& node) const {
  return opened_->side_records.xattrs(node);
}

Result<std::optional<format::DigestAlgorithm>> Image::digest_algorithm() const {
  return opened_->digests.algorithm();
}

const format::Superblock& Image::superblock() const { return opened_->source.first().superblock(); }

const std::vector<format::VolumeRecord>& Image::volumes() const {
  return opened_->volumes->records();
}

const std::vector<format::VolumeOrigin>& Image::volume_origins() const {
  return opened_->volumes->origins();
}

const std::optional<format::StateId>& Image::state() const { return opened_->tables.state; }

std::size_t Image::inode_runs() const { return opened_->tables.inodes.runs().size(); }

Result<format::VolumeOrigin> Image::origin_of(format::VolumeNumber number) const {
  return opened_->volumes->origin_of(number, superblock().incompat);
}

const format::ContentDictionaries& Image::content_dictionaries() const {
  return opened_->tables.content_dictionaries;
}

Status Image::check_is_volume(const std::string& path) const {
  return opened_->volumes->check_is_volume(path);
}

std::vector<std::pair<std::string, std::string>> Image::files() const {
  std::vector<std::pair<std::string, std::string>> files;
  const auto name = [](format::VolumeNumber number) {
    return number == 0 ? std::string("image") : fmt::format("volume {}", number);
  };
  if (opened_->volume_zero) files.emplace_back("image", opened_->volume_zero->file->path());
  if (!opened_->index_path.empty()) files.emplace_back("index", opened_->index_path);
  for (const auto& volume : volumes()) {
    if (volume.number == 0 && opened_->volume_zero) continue;
    if (auto path = opened_->volumes->path(volume.number)) {
      files.emplace_back(name(volume.number), *std::move(path));
    }
  }
  return files;
}

bool Image::has_second_index() const {
  return opened_->source.second() != nullptr && !opened_->source.second_error();
}

Result<std::string> Image::volume_path(format::VolumeNumber number) const {
  DGFS_TRY(volume, opened_->volumes->get(number));
  return volume->file->path();
}

Status Image::check_volume(format::VolumeNumber number) const {
  DGFS_TRY(volume, opened_->volumes->get(number));
  return reader::check_volume(*volume);
}

storage::Env& Image::env() const { return opened_->env; }

Counters Image::counters() const {
  auto counters = opened_->counters.values();
  counters.pages = opened_->caches->pages.values.counters();
  counters.frames = sum_of(opened_->caches->frames.counters(), opened_->caches->maps.counters());
  return counters;
}

std::size_t Image::resident_bytes() const {
  return sizeof(OpenedImage) + opened_->tables.memory_bytes() + opened_->digests.memory_bytes() +
         opened_->link_names.memory_bytes();
}

std::vector<Generation> Image::models() const { return opened_->tables.dictionaries.model_list(); }

std::vector<Generation> Image::attribute_tables() const {
  return opened_->tables.dictionaries.attribute_table_list();
}

Status Image::measure_pages(const std::function<bool(const format::PageSizes&)>& visit) const {
  Buffer bytes(format::kPageBytes);
  for (std::size_t page = 0; page < opened_->tables.pages.size(); ++page) {
    const auto measured = opened_->source.read(
        opened_->counters, [&](const IndexCopy& copy) -> Result<format::PageSizes> {
          DGFS_CHECK(copy.read_page(page, bytes));
          return placed_result(format::measure_page(bytes, opened_->tables.dictionaries),
                               copy.path(), "pages", copy.page_offset(page));
        });
    if (measured && !visit(measured.assume_value())) break;
  }
  return ok();
}

Status Image::verify_records(const Node& node) const {
  if (!node.long_target.present() && !node.xattrs.present() && !node.sparse_map.present()) {
    return ok();
  }
  DGFS_CHECK(opened_->side_records.check(opened_->source.first(), node));
  if (const auto* second = opened_->source.second()) {
    DGFS_CHECK(opened_->side_records.check(*second, node));
  }
  return ok();
}

Status Image::verify_index(
    const std::function<void(const Error&)>& damaged,
    const std::function<bool(format::VolumeNumber)>& wants_volume,
    const std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)>& goes_on) const {
  DGFS_CHECK(check_index(opened_->source, opened_->tables, opened_->counters, damaged, goes_on));
  for (const auto& record : volumes()) {
    if (wants_volume && !wants_volume(record.number)) continue;
    const auto status = check_volume(record.number);
    if (!status) damaged(status.assume_error());
  }
  return ok();
}

Result<format::Digest> Image::digest(const Node& node) const {
  DGFS_CHECK(check_regular(node));
  return opened_->digests.of(node);
}

Result<std::size_t> Image::read(const Node& node, std::uint64_t offset, MutableBytes out) const {
  return opened_->files->read(node, offset, out);
}

void Image::announce_read(const Node& node, std::uint64_t bytes_max) const {
  opened_->files->announce_read(node, bytes_max);
}

void Image::announce_part(const Node& node, std::uint64_t offset, std::uint64_t bytes) const {
  opened_->files->advise(node, storage::Access::kWillNeed, offset, bytes);
}

void Image::give_back(const StoredRange& range) const noexcept {
  try {
    const auto volume = opened_->volumes->get(range.volume);
    if (!volume) return;
    volume.value()->file->advise(storage::Access::kDontNeed, range.offset_bytes,
                                 range.length_bytes);
  } catch (const std::exception&) {
    // It is only advice.
  }
}

void Image::read_many(std::span<const std::string> paths, const VisitPiece& visit,
                      const ReadManyOptions& options) const {
  const auto plan = plan_paths(opened_->tables, opened_->pages, opened_->names, paths);
  ReadManyRun(*opened_->files, *opened_->content, opened_->counters, options, visit).run(*plan);
}

void Image::read_many(std::span<const Node> nodes, const VisitPiece& visit,
                      const ReadManyOptions& options) const {
  const auto plan = plan_nodes(nodes);
  ReadManyRun(*opened_->files, *opened_->content, opened_->counters, options, visit).run(*plan);
}

bool Image::are_neighbours(const Node* before, const Node& node) {
  return FileContents::are_neighbours(before, node);
}

Status Image::verify_neighbours(std::span<const Node* const> nodes) const {
  return opened_->files->verify_neighbours(nodes);
}

Result<Place> Image::locate(const Node& node, std::uint64_t offset) const {
  return opened_->files->locate(node, offset);
}

Result<std::optional<format::SparseMap>> Image::sparse_map(const Node& node) const {
  return opened_->files->sparse_map(node);
}

Result<std::uint64_t> Image::next_data(const Node& node, std::uint64_t offset) const {
  return opened_->files->next_data(node, offset);
}

Result<std::uint64_t> Image::next_hole(const Node& node, std::uint64_t offset) const {
  return opened_->files->next_hole(node, offset);
}

}  // namespace dgfs::reader
