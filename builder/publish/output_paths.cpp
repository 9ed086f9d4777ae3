// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/publish/output_paths.h"

#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "format/entry/mode.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "storage/names.h"

namespace dgfs::builder {
namespace {

/// Kind of a file, by its header pages.
struct Occupant {
  bool is_volume = false;                      ///< has the magic of one, sound or not
  bool is_index = false;                       ///< has the magic of one, sound or not
  bool is_empty = false;                       ///< or missing
  std::optional<format::VolumeHeader> header;  ///< from the first or last page, if sound
};

Status look_at_page(const storage::File& file, std::uint64_t offset, Occupant& occupant) {
  std::array<std::uint8_t, format::kPageBytes> bytes{};
  DGFS_TRY(count, file.read_at(offset, bytes));
  const auto page = Bytes(bytes).first(count);  // shorter if the file was cut
  occupant.is_volume = occupant.is_volume || format::is_volume_header(page);
  occupant.is_index = occupant.is_index || (offset == 0 && format::is_superblock(page));
  auto header = format::decode_volume_header(bytes);
  if (header && !occupant.header) occupant.header = std::move(header).value();
  return ok();
}

// A missing file counts as empty.
Result<Occupant> occupant_of(storage::Env& env, const std::string& path) {
  Occupant occupant;
  auto file = env.open(path);
  occupant.is_empty = !file && file.error().kind() == ErrorKind::kNotFound;
  if (occupant.is_empty) return occupant;
  if (!file) return std::move(file).error();
  DGFS_TRY(file_bytes, file.value()->size());
  occupant.is_empty = file_bytes == 0;
  DGFS_CHECK(look_at_page(*file.value(), 0, occupant));
  if (file_bytes < format::kPageBytes) return occupant;
  DGFS_CHECK(look_at_page(*file.value(), file_bytes - format::kPageBytes, occupant));
  return occupant;
}

// Whether an interrupted build has left the image's new volume for `path` beside it, under a hidden
// name. The build was about to replace the file at `path` then.
bool has_hidden_successor(storage::Env& env, const std::string& path, const format::Uuid& uuid) {
  const auto folder = storage::parent_path(path);
  const auto directory = env.open_directory(folder);
  if (!directory) return false;
  bool found = false;
  const auto listed = directory.value()->each_name([&](std::string_view name) {
    if (!storage::is_hidden_name_of(name, storage::base_name(path), "new")) return true;
    const auto status = directory.value()->status(name);
    if (!status || !format::is_regular(status.value().mode)) return true;
    const auto hidden = occupant_of(env, storage::join_path(folder, name));
    found = hidden && hidden.value().header && hidden.value().header->image_uuid == uuid;
    return !found;
  });
  return listed && found;
}

// Whether a volume belongs to the image that the build replaces.
bool is_own_volume(storage::Env& env, const std::string& path, const Occupant& there,
                   const std::string& image_path) {
  const auto image = occupant_of(env, image_path);
  if (!image || !image.value().header) return false;
  const auto& uuid = image.value().header->image_uuid;
  return (there.header && there.header->image_uuid == uuid) ||
         has_hidden_successor(env, path, uuid);
}

std::string not_of_role(OutputRole role) {
  const std::string kind = role == OutputRole::kImage    ? "image"
                           : role == OutputRole::kVolume ? "volume"
                                                         : "index";
  return "exists and is not a DGFS " + kind + " (--force replaces it)";
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
  if (!storage::check_name(storage::base_name(path), storage::parent_path(path))) {
    return Error(ErrorKind::kInvalidArgument, 4151, "is not a file name")
        .in_file(path.empty() ? "''" : path);
  }
  DGFS_TRY(directory, env.open_directory(storage::parent_path(path)));
  auto status = directory->status(storage::base_name(path));
  if (!status && status.error().kind() == ErrorKind::kNotFound) return std::nullopt;
  if (!status) return std::move(status).error();
  const std::uint32_t mode = status.value().mode;
  if (format::is_regular(mode)) return status.value();
  if (format::is_directory(mode)) {
    return Error(ErrorKind::kIsDirectory, 4080, "is a directory").in_file(path);
  }
  // Replacing a device would take it away from all users, and replacing a link (such as
  // /dev/stdout) would destroy the link.
  return Error(ErrorKind::kExists, 4081, "exists and is not a regular file").in_file(path);
}

Status check_replaced(storage::Env& env, const std::string& path, OutputRole role,
                      const std::string& image_path, bool force) {
  auto looked = occupant_of(env, path);
  if (!looked) {
    const bool may_do = force && role != OutputRole::kVolume;
    return may_do ? ok() : Status(std::move(looked).error());
  }
  const Occupant& there = looked.value();
  if (there.is_empty) return ok();
  if (!there.is_volume) {
    if (force || (role == OutputRole::kIndex && there.is_index)) return ok();
    return Error(ErrorKind::kExists, 4150, not_of_role(role)).in_file(path);
  }
  if (role == OutputRole::kImage && (!there.header || there.header->number == 0)) return ok();
  if (role == OutputRole::kVolume && is_own_volume(env, path, there, image_path)) return ok();
  std::string text = "exists and is a volume of another image";
  if (there.header) text += ", uuid " + format::uuid_text(there.header->image_uuid);
  return Error(ErrorKind::kExists, 4082, std::move(text)).in_file(path);
}

}  // namespace dgfs::builder
