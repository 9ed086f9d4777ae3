// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/salvage/image.h"

#include "reader/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "format/header/header_page.h"
#include "format/header/index_path.h"
#include "format/limits.h"
#include "format/section/side_refs.h"
#include "reader/opened_image.h"
#include "reader/opener.h"

namespace dgfs::reader {
namespace {

std::optional<format::Superblock> superblock_at(const storage::File& file, std::uint64_t offset) {
  std::array<std::uint8_t, format::kPageBytes> page{};
  if (!storage::read_exactly(file, offset, page)) return std::nullopt;
  auto superblock = format::decode_superblock(page);
  if (!superblock) return std::nullopt;
  return std::move(superblock).assume_value();
}

// Searches for the superblock of a trailing index if neither header nor separate index tells its
// place.
std::optional<std::uint64_t> find_superblock(const storage::File& file, std::uint64_t file_bytes) {
  std::optional<std::uint64_t> last;
  for (std::uint64_t at = format::kPageBytes; at < file_bytes; at += format::kPageBytes) {
    std::array<std::uint8_t, 8> magic{};
    if (!storage::read_exactly(file, at, magic) || !format::is_superblock(magic)) continue;
    const auto superblock = superblock_at(file, at);
    if (!superblock) continue;
    last = at;
    if (at + superblock->index_bytes + format::kPageBytes == file_bytes) break;
  }
  return last;
}

class FileFinder {
 public:
  FileFinder(storage::Env& env, const OpenOptions& options) : env_(env), options_(options) {}

  Result<SalvageFiles> run(const std::string& path) {
    DGFS_CHECK(choose_paths(path));
    DGFS_CHECK(open_image());
    DGFS_CHECK(open_index());
    DGFS_CHECK(add_trailing());
    if (!files_.regions.empty()) return std::move(files_);
    return Error(ErrorKind::kNotFound, 3210, "no index in the image, and none beside it")
        .in_file(path);
  }

 private:
  // Recognises an index by its superblock or, if that is lost, by its name beside an image.
  Status choose_paths(const std::string& path) {
    DGFS_TRY(file, env_.open(path));
    DGFS_TRY(page, read_first_page(*file));
    const auto image_path = format::image_path_of_index(path);
    const bool beside = image_path && env_.status(*image_path).has_value();
    if (format::is_superblock(page) || (beside && !format::is_volume_header(page))) {
      index_path_ = path;
      image_path_ = beside ? *image_path : "";
      is_index_asked_for_ = true;
      return ok();
    }
    image_path_ = path;
    is_index_asked_for_ = options_.index_path.has_value();
    index_path_ = options_.index_path.value_or(format::default_index_path(path));
    return ok();
  }

  Status open_image() {
    if (image_path_.empty()) return ok();
    DGFS_TRY(opened, env_.open(image_path_));
    files_.image = std::move(opened);
    DGFS_TRY(page, read_first_page(*files_.image));
    const auto header = read_volume_header(*files_.image, page, options_.warn);
    if (!header) return ok();
    files_.header = header.assume_value().header;
    if (files_.header->number == 0) return ok();
    return Error(ErrorKind::kInvalidArgument, 3211,
                 fmt::format("volume {} of an image; volume 0 is needed", files_.header->number))
        .in_file(image_path_);
  }

  Status open_index() {
    auto opened = env_.open(index_path_);
    if (!opened) {
      return is_index_asked_for_ ? Status(std::move(opened).assume_error()) : Status(ok());
    }
    IndexRegion region;
    region.file = std::move(opened).assume_value();
    DGFS_TRY(file_bytes, region.file->size());
    region.end = file_bytes;
    files_.superblock = superblock_at(*region.file, 0);
    if (files_.superblock) {
      if (files_.header && files_.superblock->uuid != files_.header->image_uuid) {
        return refuse_foreign_index();
      }
      region.end = std::min(file_bytes, files_.superblock->index_bytes);
    } else {
      format::Uuid uuid{};
      const auto read = storage::read_exactly(*region.file, format::kHeaderUuidOffset, uuid);
      // Without a header of the image there is no UUID to compare with; then the name is enough.
      region.is_doubtful = files_.header && (!read || uuid != files_.header->image_uuid);
    }
    files_.regions.push_back(std::move(region));
    return ok();
  }

  // An error if the user named the index; else the index is ignored with a warning.
  Status refuse_foreign_index() {
    auto error = Error(ErrorKind::kInvalidArgument, 3212,
                       fmt::format("the index of another image (uuid {}, but {} has uuid {})",
                                   format::uuid_text(files_.superblock->uuid), image_path_,
                                   format::uuid_text(files_.header->image_uuid)))
                     .in_file(index_path_);
    files_.superblock.reset();
    if (is_index_asked_for_) return error;
    if (options_.warn) options_.warn(error);
    return ok();
  }

  Status add_trailing() {
    if (!files_.image) return ok();
    DGFS_TRY(file_bytes, files_.image->size());
    IndexRegion region;
    region.file = files_.image;
    region.end = file_bytes;
    if (files_.header) {
      if (files_.header->index_offset == 0) return ok();
      region.base = files_.header->index_offset;
      region.end = std::min(file_bytes, region.base + files_.header->index_bytes);
    } else if (const auto base = find_base(file_bytes)) {
      region.base = *base;
    } else {
      region.has_contents = true;
      region.base = format::kPageBytes;
    }
    region.begin = region.base;
    if (region.begin >= region.end) return ok();
    if (!files_.superblock && !region.has_contents) {
      files_.superblock = superblock_at(*region.file, region.base);
    }
    // A certain copy goes before a doubtful one.
    const bool is_better = !files_.regions.empty() && files_.regions.front().is_doubtful;
    files_.regions.insert(is_better ? files_.regions.begin() : files_.regions.end(),
                          std::move(region));
    return ok();
  }

  // Begin of the trailing index if no header is intact. If the separate index tells its length, it
  // must end right before the last page.
  std::optional<std::uint64_t> find_base(std::uint64_t file_bytes) const {
    if (!files_.superblock) return find_superblock(*files_.image, file_bytes);
    const auto bytes = files_.superblock->index_bytes + format::kPageBytes;
    if (bytes > file_bytes) return std::nullopt;
    const auto there = superblock_at(*files_.image, file_bytes - bytes);
    if (!there || there->uuid != files_.superblock->uuid) return std::nullopt;
    return file_bytes - bytes;
  }

  storage::Env& env_;
  const OpenOptions& options_;
  std::string image_path_;
  std::string index_path_;
  bool is_index_asked_for_ = false;
  SalvageFiles files_;
};

// The superblock, or a substitute with only the places of side records, which are all that the
// image uses of it.
format::Superblock superblock_of(const SalvageFiles& files, const SalvageIndex& index) {
  if (files.superblock) return *files.superblock;
  format::Superblock superblock;
  superblock.compat = format::feature::kCompatXattrs;
  if (files.header) superblock.uuid = files.header->image_uuid;
  for (const auto& side : format::kSideRefs) {
    const auto offset = index.records_offset(side.kind);
    if (!offset) continue;
    superblock.sections[static_cast<std::size_t>(side.kind)] = {side.kind, *offset,
                                                                format::kFileBytesMax};
  }
  return superblock;
}

std::vector<format::VolumeRecord> records_of(storage::Env& env, const SalvageFiles& files,
                                             const SalvageIndex& index,
                                             const OpenOptions& options) {
  auto records = index.volumes();
  if (!records.empty()) return records;
  const auto all = format::kFileBytesMax;  // the volume table is lost, so no end is known
  records.push_back({0, files.header ? files.header->data_end : all, {}});
  const auto& origins = index.origins();
  for (const auto& origin : origins) records.push_back({origin.number, all, {}});
  for (const auto& path : files_of_places(env, options.volume_paths)) {
    auto file = env.open(path);
    if (!file) continue;
    const auto page = read_first_page(*file.assume_value());
    if (!page) continue;
    const auto header = read_volume_header(*file.assume_value(), page.assume_value(), {});
    if (!header) continue;
    const auto& found = header.assume_value().header;
    // The number in its header is that in its own image.
    const auto is_of_other = [&](const format::VolumeOrigin& origin) {
      return origin.image == found.image_uuid;
    };
    if (std::ranges::none_of(origins, is_of_other)) {
      records.push_back({found.number, found.data_end, {}});
    }
  }
  const auto number_of = [](const format::VolumeRecord& record) { return record.number; };
  std::ranges::stable_sort(records, {}, number_of);
  const auto is_same = [](const auto& a, const auto& b) { return a.number == b.number; };
  records.erase(std::unique(records.begin(), records.end(), is_same), records.end());
  return records;
}

}  // namespace

Result<SalvageFiles> open_salvage_files(storage::Env& env, const std::string& path,
                                        const OpenOptions& options) {
  return FileFinder(env, options).run(path);
}

std::unique_ptr<const Image> SalvageImage::make(storage::Env& env, const SalvageFiles& files,
                                                SalvageIndex& index, const OpenOptions& options) {
  const auto superblock = superblock_of(files, index);
  const auto& regions = index.regions();
  const auto copy_of = [&](const IndexRegion& region) {
    return IndexCopy::adopt(region.file, region.base, superblock);
  };
  OpenedFiles opened{copy_of(regions.front()), {}, {}, {}, {}};
  if (regions.size() > 1) {
    opened.open_second = [copy = copy_of(regions[1])](const IndexCopy&) -> Result<SecondCopy> {
      return SecondCopy{copy, {}};
    };
  }
  auto& places = opened.places;
  places.uuid = superblock.uuid;
  places.folder = storage::parent_path(regions.front().file->path());
  places.paths = options.volume_paths;
  places.index_path = regions.front().file->path();
  places.may_be_cut = true;
  if (files.image) {
    places.image_path = files.image->path();
    places.folder = storage::parent_path(files.image->path());
    opened.volume_zero = FoundVolume{files.image, files.header.value_or(format::VolumeHeader{})};
  }
  auto checking = options;
  checking.check_contents = true;
  auto image = std::make_unique<OpenedImage>(env, std::move(opened), checking);
  IndexTables tables;
  tables.content_dictionaries = index.take_content_dictionaries();
  tables.volumes = records_of(env, files, index, options);
  tables.origins = index.origins();
  image->attach(std::move(tables));
  return std::unique_ptr<const Image>(new Image(std::move(image)));
}

}  // namespace dgfs::reader
