// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/opener.h"

#include <fmt/format.h>

#include "format/header/header_page.h"
#include "format/header/index_path.h"
#include "reader/index_copies.h"

namespace dgfs::reader {
namespace {

// Arguments of open_files().
struct Request {
  storage::Env& env;
  const std::string& path;
  const OpenOptions& options;
};

enum class Kind : std::uint8_t { kImage, kIndex, kNeither };

// The file at the path.
struct AtPath {
  Kind kind = Kind::kNeither;
  std::shared_ptr<storage::File> file;
  ReadHeader header;  // set for an image
};

// Opened files, and a warning for the caller.
struct Opened {
  OpenedFiles files;
  std::optional<Error> warning;
};

// The file is missing, or nothing can be read from it.
bool is_lost(const Error& error) {
  return error.kind() == ErrorKind::kNotFound || is_damage(error);
}

// The error of an unusable index file, if the image has no trailing index to replace it.
Error without_copy(Error error) {
  if (is_damage(error)) return error;
  Error told(error.kind(), 3297,
             error.text() + "; there is no copy of the index in the image, so use --index");
  return std::move(told).in_file(error.file()).with_errno(error.os_errno());
}

// Whether the trailing index may replace the separate one. If the user named the separate index,
// only damage counts. At the default path any other file may lie: a directory, a pipe, an index of
// another image.
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

// The error if no copy of the index can be opened, from the results for both copies.
Error why_none(const FoundVolume& image, const std::string& index_path,
               const Result<MaybeCopy>& separate, const Result<MaybeCopy>& trailing) {
  if (separate) return trailing ? no_index(image, index_path) : trailing.assume_error();
  if (trailing) return without_copy(separate.assume_error());
  return is_damage(separate.assume_error()) ? trailing.assume_error() : separate.assume_error();
}

// The warning about a separate index, damaged or of another image, that the trailing index
// replaces.
Error replaced(const Error& damage) {
  Error told(damage.kind(), 3106, damage.text() + "; the copy in the image is used instead");
  if (damage.offset()) told = std::move(told).at_offset(*damage.offset());
  return std::move(told).in_file(damage.file()).in_section(damage.section());
}

// The warning about a lost image that is opened by its index.
Error opened_by_index(const Error& damage, const std::string& index_path) {
  Error told(damage.kind(), 3107,
             fmt::format("{}; opened by its index {}: contents of volume 0 fail until it is found",
                         damage.text(), index_path));
  if (damage.offset()) told = std::move(told).at_offset(*damage.offset());
  return std::move(told).in_file(damage.file()).in_section(damage.section());
}

// Opens the trailing index of the image that lies beside the index; none if there is no image.
Result<SecondCopy> open_beside(storage::Env& env, const VolumePlaces& places,
                               const IndexCopy& first) {
  const auto image = find_volume(env, places, 0, {places.uuid, 0}, {});
  if (!image) return SecondCopy{};
  return open_trailing_second(image.assume_value(), first);
}

Status check_is_first(const FoundVolume& volume) {
  if (volume.header.number == 0) return ok();
  return Error(
             ErrorKind::kInvalidArgument, 3103,
             fmt::format("volume {} of an image; open volume 0 or the index", volume.header.number))
      .in_file(volume.file->path());
}

// Places of the volumes of the image that `index` belongs to.
VolumePlaces places_of(const Request& request, const IndexCopy& index, std::string image_path) {
  VolumePlaces places;
  places.uuid = index.superblock().uuid;
  places.folder = storage::parent_path(request.path);
  places.image_path = std::move(image_path);  // for volume 0, unless it is open already
  places.paths = request.options.volume_paths;
  places.index_path = index.path();
  places.table_offset_bytes = index.section_offset(format::SectionKind::kVolumes);
  places.warn = request.options.warn;
  places.past_page_cache = request.options.contents_past_page_cache;
  return places;
}

// Opens the file at the path and finds out its kind. Errors: those of reading the file; a damaged
// header of an image.
Result<AtPath> look_at(const Request& request) {
  DGFS_TRY(opened, request.env.open(request.path));
  std::shared_ptr<storage::File> file = std::move(opened);
  DGFS_TRY(page, read_first_page(*file));
  if (format::is_superblock(page)) return AtPath{Kind::kIndex, std::move(file), {}};
  const auto header = read_volume_header(*file, page, request.options.warn);
  if (header) return AtPath{Kind::kImage, std::move(file), header.assume_value()};
  if (format::is_volume_header(page)) return header.assume_error();
  return AtPath{Kind::kNeither, std::move(file), {}};
}

// The separate index is the first copy, and the trailing index replaces damaged regions of it.
Result<Opened> open_by_image(const Request& request, const FoundVolume& image) {
  DGFS_CHECK(check_is_first(image));
  const auto& image_path = image.file->path();
  const bool asked_for = request.options.index_path.has_value();
  const auto index_path =
      request.options.index_path.value_or(format::default_index_path(image_path));
  const auto files = [&](const IndexCopy& first, IndexSource::OpenSecond second,
                         std::string separate_path) {
    return OpenedFiles{first, std::move(second), std::move(separate_path), image,
                       places_of(request, first, image_path)};
  };

  const auto separate = open_separate(request.env, image, index_path, asked_for);
  if (separate && separate.assume_value()) {
    const auto second = [image](const IndexCopy& first) {
      return open_trailing_second(image, first);
    };
    return Opened{files(*separate.assume_value(), second, index_path), {}};
  }
  if (!separate && !other_copy_may_help(separate.assume_error(), asked_for)) {
    return separate.assume_error();
  }
  const auto trailing = open_trailing(image);
  if (!trailing || !trailing.assume_value()) {
    return why_none(image, index_path, separate, trailing);
  }
  if (separate) return Opened{files(*trailing.assume_value(), {}, ""), {}};
  const auto second = [&env = request.env, index_path,
                       damage = separate.assume_error()](const IndexCopy& first) {
    return open_separate_second(env, index_path, damage, first);
  };
  return Opened{files(*trailing.assume_value(), second, index_path),
                replaced(separate.assume_error())};
}

// Opens an index file. The search for the image starts when its copy of the index is needed.
Result<Opened> open_by_index(const Request& request, std::shared_ptr<storage::File> file,
                             std::string image_path) {
  const auto path = file->path();
  DGFS_TRY(copy, IndexCopy::open(std::move(file), 0));
  auto places = places_of(request, copy, std::move(image_path));
  const auto second = [&env = request.env, places](const IndexCopy& first) {
    return open_beside(env, places, first);
  };
  return Opened{{std::move(copy), second, path, std::nullopt, std::move(places)}, {}};
}

// Opens the file at the path according to its kind.
Result<Opened> open_at_path(const Request& request, const AtPath& there) {
  if (there.kind == Kind::kImage)
    return open_by_image(request, {there.file, there.header.header, there.header.checksum});
  if (there.kind == Kind::kNeither) {
    return Error(ErrorKind::kCorrupt, 3105, "neither an image nor an index of DGFS")
        .in_file(request.path);
  }
  if (request.options.index_path) {
    return Error(ErrorKind::kInvalidArgument, 3104,
                 "this is an index already; --index needs an image")
        .in_file(request.path);
  }
  return open_by_index(request, there.file, format::image_path_of_index(request.path).value_or(""));
}

// Opens the image beside a damaged index. Only the name of the index leads to the image, because
// its UUID is lost.
Result<Opened> open_by_image_at(const Request& request, const std::string& image_path) {
  DGFS_TRY(image, open_volume(request.env, image_path, false, request.options.warn));
  return open_by_image(request, image);  // reads the damaged index again, as the separate one
}

// Opens the index of an image that is missing or not recognisable.
Result<Opened> open_by_index_of(const Request& request, const Error& damage) {
  const auto index_path =
      request.options.index_path.value_or(format::default_index_path(request.path));
  DGFS_TRY(file, request.env.open(index_path));
  DGFS_TRY(opened, open_by_index(request, std::move(file), request.path));
  opened.warning = opened_by_index(damage, index_path);
  return std::move(opened);
}

// Keeps the first error if the other way fails too.
void take_if_opened(Result<Opened>& opened, Result<Opened> other) {
  if (other) opened = std::move(other);
}

}  // namespace

Result<OpenedFiles> open_files(storage::Env& env, const std::string& path,
                               const OpenOptions& options) {
  const Request request{env, path, options};
  const auto there = look_at(request);
  auto opened = there ? open_at_path(request, there.assume_value()) : there.assume_error();
  const auto image_path = format::image_path_of_index(path);
  const bool is_named_index = there && there.assume_value().kind != Kind::kImage && image_path;
  if (!opened && is_named_index && is_damage(opened.assume_error())) {
    take_if_opened(opened, open_by_image_at(request, *image_path));
  }
  if (!opened && is_lost(opened.assume_error())) {
    take_if_opened(opened, open_by_index_of(request, opened.assume_error()));
  }
  if (!opened) return std::move(opened).assume_error();
  auto& [files, warning] = opened.assume_value();
  if (warning && options.warn) options.warn(*warning);
  return std::move(files);
}

}  // namespace dgfs::reader
