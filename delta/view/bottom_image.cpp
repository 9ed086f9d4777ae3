// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/view/bottom_image.h"

#include <fmt/format.h>

#include <utility>

#include "format/header/uuid.h"

namespace dgfs::view {
namespace {

// Files come before folders, in which every file is tried.
std::vector<std::string> places_of_volumes(const reader::Image& given,
                                           const std::string& given_path,
                                           const delta::Manifest& manifest,
                                           const std::vector<std::string>& named) {
  std::vector<std::string> places = named;
  for (const format::VolumeRecord& volume : given.volumes()) {
    if (auto path = given.volume_path(volume.number)) places.push_back(std::move(path).value());
  }
  places.push_back(storage::parent_path(given_path));
  if (!manifest.image_path.empty()) {
    places.push_back(storage::parent_path(manifest.image_path));
  }
  return places;
}

}  // namespace

// A number that both have would lead to two objects.
Status check_objects_end(const reader::Image& image, std::uint64_t born_object) {
  const auto end = image.superblock().next_inode;
  if (end <= born_object) return ok();
  return Error(ErrorKind::kCorrupt, 7634,
               fmt::format("the image has objects below {}, but the store above it has those from "
                           "{} on",
                           end, born_object))
      .in_section("delta");
}

Status check_is_of_delta(const reader::Image& image, const std::string& image_path,
                         const std::string& directory, const delta::Manifest& manifest) {
  const auto& uuid = image.superblock().uuid;
  if (uuid == manifest.image || uuid == manifest.bottom()) return ok();
  const auto name = manifest.image_path.empty() ? std::string("another image")
                                                : storage::base_name(manifest.image_path);
  return Error(ErrorKind::kInvalidArgument, 7617,
               fmt::format("{} is not the image of {}, which was made over {} (uuid {})",
                           image_path, directory, name, format::uuid_text(manifest.image)));
}

Result<std::shared_ptr<const reader::Image>> bottom_of_delta(
    storage::Env& env, std::shared_ptr<const reader::Image> given, const std::string& given_path,
    const std::string& directory, const delta::Manifest& manifest,
    const reader::OpenOptions& options) {
  DGFS_CHECK(check_is_of_delta(*given, given_path, directory, manifest));
  if (!manifest.base) return given;
  return open_base(env, *given, given_path, directory, manifest, *manifest.base, options);
}

Result<std::shared_ptr<const reader::Image>> open_base(
    storage::Env& env, const reader::Image& given, const std::string& given_path,
    const std::string& directory, const delta::Manifest& manifest, const delta::BaseFacts& base,
    const reader::OpenOptions& options) {
  reader::OpenOptions of_base = options;
  of_base.index_path.reset();
  of_base.volume_paths = places_of_volumes(given, given_path, manifest, options.volume_paths);
  of_base.shares_volumes_of = &given;
  const auto path = directory + "/" + delta::base_file_name(base.number);
  DGFS_TRY(image, reader::Image::open(env, path, of_base));
  if (image->superblock().uuid != base.uuid) {
    return Error(ErrorKind::kCorrupt, 7618,
                 fmt::format("has UUID {}, but the manifest says {}",
                             format::uuid_text(image->superblock().uuid),
                             format::uuid_text(base.uuid)))
        .in_file(path);
  }
  return std::shared_ptr<const reader::Image>(std::move(image));
}

}  // namespace dgfs::view
