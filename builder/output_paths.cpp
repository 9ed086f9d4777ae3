// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/output_paths.h"

#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "format/limits.h"
#include "format/mode.h"
#include "format/volume_header.h"
#include "storage/names.h"

namespace dgfs::builder {
namespace {

// The header of the volume at `path`, first page or last; an error where there is none. `magic` is
// set where the file says that it is a volume, sound or not.
Result<format::VolumeHeader> header_at(storage::Env& env, const std::string& path, bool& magic) {
  DGFS_TRY(file, env.open(path));
  DGFS_TRY(file_bytes, file->size());
  std::array<std::uint8_t, format::kPageBytes> page{};
  DGFS_CHECK(storage::read_exactly(*file, 0, page));
  magic = format::is_volume_header(page);
  auto first = format::decode_volume_header(page);
  if (first) return first;
  DGFS_CHECK(storage::read_exactly(*file, file_bytes - page.size(), page));
  magic = magic || format::is_volume_header(page);
  auto last = format::decode_volume_header(page);
  return last ? std::move(last) : std::move(first);
}

// Whether a build that was cut short has left the image's volume for `path` beside it, under a
// hidden name: what is at `path` was to be replaced by then.
bool has_hidden_successor(storage::Env& env, const std::string& path, const format::Uuid& uuid) {
  const auto folder = storage::parent_path(path);
  const auto directory = env.open_directory(folder);
  if (!directory) return false;
  bool found = false;
  const auto listed = directory.value()->each_name([&](std::string_view name) {
    if (!storage::is_hidden_name_of(name, storage::base_name(path))) return true;
    bool is_volume = false;
    const auto header = header_at(env, storage::join_path(folder, name), is_volume);
    found = header && header.value().image_uuid == uuid;
    return !found;
  });
  return listed && found;
}

}  // namespace

Status check_distinct(const storage::Env& env, const std::vector<std::string>& paths) {
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::string>> places;
  for (const std::string& path : paths) {
    DGFS_TRY(directory, env.status(storage::parent_path(path)));
    if (places.emplace(directory.device, directory.inode, storage::base_name(path)).second) {
      continue;
    }
    return Error(ErrorKind::kInvalidArgument, 4092, "image, index and volumes need different names")
        .in_file(path);
  }
  return ok();
}

Result<std::optional<storage::FileStatus>> check_output_path(storage::Env& env,
                                                             const std::string& path) {
  DGFS_CHECK(storage::check_name(storage::base_name(path), storage::parent_path(path)));
  DGFS_TRY(directory, env.open_directory(storage::parent_path(path)));
  auto status = directory->status(storage::base_name(path));
  if (!status && status.error().kind() == ErrorKind::kNotFound) return std::nullopt;
  if (!status) return std::move(status).error();
  const std::uint32_t mode = status.value().mode;
  if (format::is_regular(mode)) return status.value();
  if (format::is_directory(mode)) {
    return Error(ErrorKind::kIsDirectory, 4080, "is a directory").in_file(path);
  }
  // To put a file in the place of a device would take the device away from everybody; in that of
  // a link (/dev/stdout, for one), the link.
  return Error(ErrorKind::kExists, 4081, "is there and is not a regular file").in_file(path);
}

Status check_volume_path(storage::Env& env, const std::string& path,
                         const std::string& image_path) {
  bool is_volume = false;
  bool is_image = false;
  const auto there = header_at(env, path, is_volume);
  if (!is_volume) return ok();
  const auto image = header_at(env, image_path, is_image);
  if (there && image && there.value().image_uuid == image.value().image_uuid) return ok();
  if (image && has_hidden_successor(env, path, image.value().image_uuid)) return ok();
  std::string text = "is there and is a volume of another image";
  if (there) text += ", uuid " + format::uuid_text(there.value().image_uuid);
  return Error(ErrorKind::kExists, 4082, std::move(text)).in_file(path);
}

}  // namespace dgfs::builder
