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

/// What a file says that it is.
struct Occupant {
  bool is_volume = false;                      ///< sound or not
  std::optional<format::VolumeHeader> header;  ///< first page or last, whichever is sound
};

Status look_at_page(const storage::File& file, std::uint64_t offset, Occupant& occupant) {
  std::array<std::uint8_t, format::kPageBytes> page{};
  DGFS_CHECK(storage::read_exactly(file, offset, page));
  occupant.is_volume = occupant.is_volume || format::is_volume_header(page);
  auto header = format::decode_volume_header(page);
  if (header && !occupant.header) occupant.header = std::move(header).value();
  return ok();
}

// Nothing is no volume.
Result<Occupant> occupant_of(storage::Env& env, const std::string& path) {
  Occupant occupant;
  auto file = env.open(path);
  if (!file && file.error().kind() == ErrorKind::kNotFound) return occupant;
  if (!file) return std::move(file).error();
  DGFS_TRY(file_bytes, file.value()->size());
  if (file_bytes < format::kPageBytes) return occupant;
  DGFS_CHECK(look_at_page(*file.value(), 0, occupant));
  DGFS_CHECK(look_at_page(*file.value(), file_bytes - format::kPageBytes, occupant));
  return occupant;
}

// Whether a build that was cut short has left the image's volume for `path` beside it, under a
// hidden name: what is at `path` was to be replaced by then.
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

Status check_replaced(storage::Env& env, const std::string& path, OutputRole role,
                      const std::string& image_path) {
  auto looked = occupant_of(env, path);
  // An image or an index that cannot be read may be replaced by who may rename.
  if (!looked) return role == OutputRole::kVolume ? Status(std::move(looked).error()) : ok();
  const auto& [is_volume, there] = looked.value();
  if (!is_volume) return ok();
  if (role == OutputRole::kImage && (!there || there->number == 0)) return ok();
  if (role == OutputRole::kVolume) {
    const auto image = occupant_of(env, image_path);
    const auto* const own = image && image.value().header ? &*image.value().header : nullptr;
    if (own != nullptr && there && there->image_uuid == own->image_uuid) return ok();
    if (own != nullptr && has_hidden_successor(env, path, own->image_uuid)) return ok();
  }
  std::string text = "is there and is a volume of another image";
  if (there) text += ", uuid " + format::uuid_text(there->image_uuid);
  return Error(ErrorKind::kExists, 4082, std::move(text)).in_file(path);
}

}  // namespace dgfs::builder
