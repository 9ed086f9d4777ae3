// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/opener.h"

#include <fmt/format.h>

#include "format/header/header_page.h"
#include "format/header/index_path.h"
#include "format/limits.h"

namespace dgfs::reader {
namespace {

using MaybeCopy = std::optional<IndexCopy>;

// What is told of an index file whose place the copy in the image takes: damaged, or not its own.
Error replaced(const Error& damage) {
  Error told(damage.kind(), 3106, damage.text() + "; the copy in the image serves instead");
  if (damage.offset()) told = std::move(told).at_offset(*damage.offset());
  return std::move(told).in_file(damage.file()).in_section(damage.section());
}

// Damage and device errors are what the other copy is for; anything else the user must settle.
bool is_damage(const Error& error) {
  return error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kIo;
}

// The copy of the index behind the data of the image.
Result<MaybeCopy> open_trailing(const FoundVolume& image) {
  const auto& header = image.header;
  if (header.index_offset == 0) return MaybeCopy();
  DGFS_TRY(copy, IndexCopy::open(image.file, header.index_offset));
  if (copy.superblock().uuid != header.image_uuid ||
      copy.superblock().index_bytes != header.index_bytes) {
    return Error(ErrorKind::kCorrupt, 3100, "not the index that the image's header names")
        .in_file(image.file->path())
        .in_section("superblock")
        .at_offset(header.index_offset);
  }
  return MaybeCopy(std::move(copy));
}

// The same as the second copy of the image that `first` is of. The image's header vouches for whose
// it is, so that without its superblock the rest of it can still be used.
Result<SecondCopy> open_trailing_second(const FoundVolume& image, const IndexCopy& first) {
  auto trailing = open_trailing(image);
  if (trailing) return SecondCopy{std::move(trailing).assume_value(), {}};
  const auto& header = image.header;
  const auto& superblock = first.superblock();
  if (!is_damage(trailing.assume_error()) || superblock.index_bytes != header.index_bytes) {
    return std::move(trailing).assume_error();
  }
  return SecondCopy{IndexCopy::adopt(image.file, header.index_offset, superblock),
                    std::move(trailing).assume_error()};
}

// A separate index whose superblock or end is lost, as the second copy: for the rest of it, if
// what is left of the superblock still says whose it is.
Result<SecondCopy> open_separate_second(storage::Env& env, const std::string& index_path,
                                        const Error& damage, const IndexCopy& first) {
  SecondCopy second{{}, damage};
  auto opened = env.open(index_path);
  if (!opened || !is_damage(damage)) return second;
  std::shared_ptr<storage::File> file = std::move(opened).assume_value();
  format::Uuid uuid{};
  const auto read = storage::read_exactly(*file, format::kHeaderUuidOffset, uuid);
  if (read && uuid == first.superblock().uuid) {
    second.copy = IndexCopy::adopt(std::move(file), 0, first.superblock());
  }
  return second;
}

Error not_the_index(const std::string& index_path, const IndexCopy& copy,
                    const FoundVolume& image) {
  return Error(ErrorKind::kInvalidArgument, 3101,
               fmt::format("the index of another image (uuid {}, but {} has uuid {})",
                           format::uuid_text(copy.superblock().uuid), image.file->path(),
                           format::uuid_text(image.header.image_uuid)))
      .in_file(index_path);
}

// Of an index that is not one, where nothing can take its place.
Error without_copy(Error error) {
  if (is_damage(error)) return error;
  Error told(error.kind(), 3290,
             error.text() + "; there is no copy of the index in the image, so use --index");
  return std::move(told).in_file(error.file()).with_errno(error.os_errno());
}

// The separate index file; nullopt where none was asked for and none is there.
Result<MaybeCopy> open_separate(storage::Env& env, const FoundVolume& image,
                                const std::string& index_path, bool asked_for) {
  auto opened = env.open(index_path);
  if (!opened) {
    if (!asked_for && opened.assume_error().kind() == ErrorKind::kNotFound) return MaybeCopy();
    return std::move(opened).assume_error();
  }
  DGFS_TRY(copy, IndexCopy::open(std::move(opened).assume_value(), 0));
  if (copy.superblock().uuid != image.header.image_uuid) {
    return not_the_index(index_path, copy, image);
  }
  return MaybeCopy(std::move(copy));
}

// Whatever is in the place where an index is looked for: a directory, a pipe, an index of another
// image. One that was asked for is to be there, though it may be damaged.
bool other_copy_may_help(const Error& error, bool asked_for) {
  if (is_damage(error) || asked_for) return is_damage(error);
  switch (error.kind()) {
    case ErrorKind::kPermission:
    case ErrorKind::kInvalidArgument:
    case ErrorKind::kUnsupported:
    case ErrorKind::kNotDirectory:
    case ErrorKind::kIsDirectory:
    case ErrorKind::kLoop:
      return true;
    default:
      return false;
  }
}

Error no_index(const FoundVolume& image, const std::string& index_path) {
  return Error(ErrorKind::kNotFound, 3102,
               fmt::format("there is no index in the image and no {}; use --index", index_path))
      .in_file(image.file->path());
}

Result<OpenedFiles> open_image(storage::Env& env, FoundVolume image, VolumePlaces places,
                               const OpenOptions& options) {
  places.uuid = image.header.image_uuid;
  places.image_path = image.file->path();  // for when it could not be taken as it is open here
  if (image.header.number != 0) {
    return Error(ErrorKind::kInvalidArgument, 3103,
                 fmt::format("volume {} of an image; open volume 0 or the index",
                             image.header.number))
        .in_file(image.file->path());
  }
  const bool asked_for = options.index_path.has_value();
  const auto index_path =
      options.index_path.value_or(format::default_index_path(image.file->path()));
  auto separate = open_separate(env, image, index_path, asked_for);
  if (separate && separate.assume_value()) {
    return OpenedFiles{
        *std::move(separate).assume_value(),
        [image](const IndexCopy& first) { return open_trailing_second(image, first); }, index_path,
        image, std::move(places)};
  }
  if (!separate && !other_copy_may_help(separate.assume_error(), asked_for)) {
    return std::move(separate).assume_error();
  }
  auto trailing = open_trailing(image);
  if (!trailing) {
    const bool is_index = separate || is_damage(separate.assume_error());
    return is_index ? std::move(trailing).assume_error() : std::move(separate).assume_error();
  }
  if (!trailing.assume_value()) {
    if (!separate) return without_copy(std::move(separate).assume_error());
    return no_index(image, index_path);
  }
  IndexSource::OpenSecond damaged_second;
  if (!separate) {
    if (places.warn) places.warn(replaced(separate.assume_error()));
    damaged_second = [&env, index_path, error = separate.assume_error()](const IndexCopy& first) {
      return open_separate_second(env, index_path, error, first);
    };
  }
  return OpenedFiles{*std::move(trailing).assume_value(), std::move(damaged_second),
                     separate ? "" : index_path, std::move(image), std::move(places)};
}

// The index copy in the image, found beside the index; none if the image is not there.
Result<SecondCopy> open_beside(storage::Env& env, const VolumePlaces& places,
                               const IndexCopy& first) {
  const auto image = find_volume(env, places, 0, {});
  if (!image) return SecondCopy{};
  return open_trailing_second(image.assume_value(), first);
}

Result<OpenedFiles> open_index(storage::Env& env, std::shared_ptr<storage::File> file,
                               VolumePlaces places, const OpenOptions& options) {
  const auto path = file->path();
  if (options.index_path) {
    return Error(ErrorKind::kInvalidArgument, 3104, "an index already; --index goes with an image")
        .in_file(path);
  }
  DGFS_TRY(copy, IndexCopy::open(std::move(file), 0));
  places.uuid = copy.superblock().uuid;
  if (places.image_path.empty()) {
    places.image_path = format::image_path_of_index(path).value_or("");
  }
  return OpenedFiles{
      std::move(copy),
      [&env, places](const IndexCopy& first) { return open_beside(env, places, first); }, path,
      std::nullopt, places};
}

// What is left of a damaged index that is opened alone: the copy in the image beside it, to which
// only its name can lead. `damage` where there is none.
Result<OpenedFiles> open_image_beside(storage::Env& env, const std::string& path,
                                      const Error& damage, const VolumePlaces& places,
                                      const OpenOptions& options) {
  const auto image_path = format::image_path_of_index(path);
  if (!image_path || !is_damage(damage)) return damage;
  auto opened = env.open(*image_path);
  if (!opened) return damage;
  const std::shared_ptr<storage::File> file = std::move(opened).assume_value();
  const auto page = read_first_page(*file);
  if (!page) return damage;
  const auto header = read_volume_header(*file, page.assume_value(), options.warn);
  if (!header) return damage;
  // Meets the index once more, as the image's own, and warns of it.
  auto image = open_image(env, {file, header.assume_value()}, places, options);
  return image ? std::move(image) : damage;
}

VolumePlaces places_of(const std::string& path, const OpenOptions& options) {
  VolumePlaces places;
  places.folder = storage::parent_path(path);
  places.paths = options.volume_paths;
  places.warn = options.warn;
  places.past_page_cache = options.contents_past_page_cache;
  return places;
}

Result<OpenedFiles> open_named(storage::Env& env, const std::string& path,
                               const OpenOptions& options) {
  DGFS_TRY(opened, env.open(path));
  std::shared_ptr<storage::File> file = std::move(opened);
  DGFS_TRY(page, read_first_page(*file));
  const auto places = places_of(path, options);
  if (format::is_superblock(page)) {
    auto index = open_index(env, std::move(file), places, options);
    if (index) return index;
    return open_image_beside(env, path, index.assume_error(), places, options);
  }
  auto header = read_volume_header(*file, page, options.warn);
  if (header) return open_image(env, {std::move(file), header.assume_value()}, places, options);
  if (format::is_volume_header(page)) return std::move(header).assume_error();
  const auto unknown =
      Error(ErrorKind::kCorrupt, 3105, "neither an image nor an index of DGFS").in_file(path);
  return open_image_beside(env, path, unknown, places, options);
}

// What is told where an image cannot be had, and its index opens it.
Error opened_by_index(const Error& damage, const std::string& index_path) {
  Error told(damage.kind(), 3107,
             fmt::format("{}; opened by its index {}: contents of volume 0 fail until it is found",
                         damage.text(), index_path));
  if (damage.offset()) told = std::move(told).at_offset(*damage.offset());
  return std::move(told).in_file(damage.file()).in_section(damage.section());
}

// The index of an image that is not there, or of which nothing shows that it is one. `damage` where
// there is no index either, or none that is intact.
Result<OpenedFiles> open_index_of(storage::Env& env, const std::string& path, const Error& damage,
                                  const OpenOptions& options) {
  const auto index_path = options.index_path.value_or(format::default_index_path(path));
  auto opened = env.open(index_path);
  if (!opened) return damage;
  auto places = places_of(path, options);
  places.image_path = path;
  auto alone = options;
  alone.index_path.reset();
  auto index = open_index(env, std::move(opened).assume_value(), std::move(places), alone);
  if (!index) return damage;
  if (options.warn) options.warn(opened_by_index(damage, index_path));
  return index;
}

}  // namespace

Result<OpenedFiles> open_files(storage::Env& env, const std::string& path,
                               const OpenOptions& options) {
  auto files = open_named(env, path, options);
  if (files) return files;
  const auto& error = files.assume_error();
  if (error.kind() != ErrorKind::kNotFound && !is_damage(error)) return files;
  return open_index_of(env, path, error, options);
}

}  // namespace dgfs::reader
