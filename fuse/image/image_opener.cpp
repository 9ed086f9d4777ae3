// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/image/image_opener.h"

#include <fmt/format.h>

#include <utility>

#include "format/header/volume_header.h"
#include "format/limits.h"
#include "fuse/daemon_path.h"
#include "storage/offset_env.h"

namespace dgfs::fuse {
namespace {

// With offset= the user says where the image begins. At a wrong offset an index file would still
// open, but every read would fail.
Status check_offset(storage::Env& image_env, const std::string& path, std::uint64_t offset_bytes) {
  if (offset_bytes == 0) return ok();
  DGFS_TRY(file, image_env.open(path, {}));
  Buffer page(format::kPageBytes);
  DGFS_TRY(count, file->read_at(0, page));
  if (count == page.size() && format::decode_volume_header(page)) return ok();
  return Error(ErrorKind::kInvalidArgument, 5032,
               fmt::format("option offset={}: no image begins there", offset_bytes))
      .in_file(path);
}

// Reads the whole index, and the header pages of the image, before the mount. Damage in further
// volumes affects only files in them, so it is only logged.
Status check_index(const reader::Image& image, const std::string& image_path,
                   const CheckProgress& progress, DamageLog& log) {
  std::size_t damaged_places = 0;
  const auto hide = [&] {
    if (progress.hide) progress.hide();
  };
  const auto is_image = [](format::VolumeNumber number) { return number == 0; };
  DGFS_CHECK(image.verify_index(
      [&](const Error& error) {
        ++damaged_places;
        hide();
        if (log.is_due(error)) log.write("check of the index", error);
      },
      is_image,
      [&](std::uint64_t bytes, std::uint64_t bytes_total) {
        if (progress.show) progress.show(bytes, bytes_total);
        return true;
      }));
  hide();
  if (damaged_places == 0) return ok();
  return Error(ErrorKind::kCorrupt, 5031,
               fmt::format("the index has {} damaged places; 'dgfs verify' lists them, and "
                           "check=data mounts the image nevertheless",
                           damaged_places))
      .in_file(image_path);
}

}  // namespace

reader::OpenOptions image_open_options(const MountOptions& options, const MountArguments& arguments,
                                       DamageLog& log) {
  auto open = options.open;
  if (arguments.index_path) open.index_path = arguments.index_path;
  if (open.index_path) open.index_path = from_root(*open.index_path);
  open.volume_paths.insert(open.volume_paths.end(), arguments.volume_paths.begin(),
                           arguments.volume_paths.end());
  for (auto& path : open.volume_paths) path = from_root(path);
  open.page_cache_bytes = arguments.page_cache_bytes.value_or(open.page_cache_bytes);
  open.frame_cache_bytes = arguments.frame_cache_bytes.value_or(open.frame_cache_bytes);
  open.check_contents = arguments.check != Check::kOff;
  open.warn = [&log, also = options.open.warn](const Error& error) {
    log.warn(error);
    if (also) also(error);
  };
  return open;
}

void open_volumes(const reader::Image& image, const std::string& image_path,
                  const std::function<void(const Error&)>& warn) {
  // If the image was opened by its index, its absence was already reported.
  const auto [role, path] = image.files().front();
  const bool is_told = role == "index" && path != image_path;
  for (const auto& record : image.volumes()) {
    const auto checked = image.check_volume(record.number);
    if (checked) continue;
    const bool is_missing = checked.error().kind() == ErrorKind::kNotFound;
    if (!(is_told && is_missing && record.number == 0)) warn(checked.error());
  }
}

Result<ImageToMount> open_image(storage::Env& env, const MountOptions& options,
                                const MountArguments& arguments, DamageLog& log,
                                std::shared_ptr<reader::ImageCaches> caches) {
  ImageToMount opened;
  const auto image_path = from_root(options.image_path);
  if (arguments.offset_bytes != 0) {
    opened.shifted = storage::make_offset_env(env, image_path, arguments.offset_bytes);
  }
  storage::Env& image_env = opened.shifted ? *opened.shifted : env;
  DGFS_CHECK(check_offset(image_env, image_path, arguments.offset_bytes));
  auto open = image_open_options(options, arguments, log);
  open.caches = std::move(caches);
  DGFS_TRY(image, reader::Image::open(image_env, image_path, open));
  for (const auto& path : open.volume_paths) {
    const auto status = image->check_is_volume(path);
    if (!status) open.warn(status.error());
  }
  open_volumes(*image, image_path, open.warn);
  if (arguments.check == Check::kAll) {
    DGFS_CHECK(check_index(*image, image_path, options.check_progress, log));
  }
  opened.image = std::move(image);
  return opened;
}

}  // namespace dgfs::fuse
