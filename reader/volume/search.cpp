// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/volume/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "format/coding.h"
#include "format/entry/mode.h"
#include "format/header/header_page.h"
#include "format/limits.h"
#include "reader/placed_error.h"
#include "storage/names.h"

namespace dgfs::reader {
namespace {

// Bound of the files of a searched folder.
constexpr std::size_t kFolderNamesMax = 10'000;
// Bound of leftovers of killed builds.
constexpr std::size_t kHiddenCandidatesMax = 1000;

std::string in_folder(const std::string& folder, const std::string& name) {
  if (folder == ".") return name;
  return folder == "/" ? "/" + name : folder + "/" + name;
}

std::vector<std::string> candidates(const VolumePlaces& places, format::VolumeNumber number,
                                    const std::string& hint) {
  std::vector<std::string> paths;
  if (number == 0 && !places.image_path.empty()) paths.push_back(places.image_path);
  // A hint with a slash would lead out of the folder; the builder never writes one.
  if (!hint.empty() && hint.find('/') == std::string::npos) {
    paths.push_back(in_folder(places.folder, hint));
  }
  paths.insert(paths.end(), places.paths.begin(), places.paths.end());
  return paths;
}

// If a build stops after it has published its image and before it has named the new volumes, the
// new volumes keep hidden names beside the paths that they should get.
std::vector<std::string> hidden_candidates(storage::Env& env,
                                           const std::vector<std::string>& paths) {
  std::vector<std::string> hidden;
  for (const auto& path : paths) {
    const auto folder = storage::parent_path(path);
    const auto name = storage::base_name(path);
    const auto directory = env.open_directory(folder);
    if (!directory) continue;
    // A folder that cannot be listed counts as one without hidden names.
    static_cast<void>(directory.assume_value()->each_name([&](std::string_view other) {
      if (!storage::is_hidden_name_of(other, name, "new")) return true;
      // Only regular files: opening a pipe would wait for a writer.
      const auto status = directory.assume_value()->status(other);
      if (status && format::is_regular(status.assume_value().mode)) {
        hidden.push_back(in_folder(folder, std::string(other)));
      }
      return hidden.size() < kHiddenCandidatesMax;
    }));
  }
  return hidden;
}

bool is_wanted(const FoundVolume& found, const VolumeIdentity& wanted) {
  return found.header.image_uuid == wanted.image && found.header.number == wanted.number &&
         found.header_checksum == wanted.header_checksum.value_or(found.header_checksum);
}

// The regular files of a folder, sorted. Skips other files, because opening a pipe would block. If
// listing fails, returns the names listed so far.
std::vector<std::string> files_in(storage::Env& env, const std::string& folder) {
  std::vector<std::string> names;
  const auto directory = env.open_directory(folder);
  if (!directory) return names;
  static_cast<void>(directory.assume_value()->each_name([&](std::string_view name) {
    const auto status = directory.assume_value()->status(name);
    if (status && format::is_regular(status.assume_value().mode)) {
      names.push_back(in_folder(folder, std::string(name)));
    }
    return names.size() < kFolderNamesMax;
  }));
  std::sort(names.begin(), names.end());
  return names;
}

// Searches all files of a folder for the volume, whatever its name.
std::optional<FoundVolume> find_in_folder(storage::Env& env, const VolumePlaces& places,
                                          const VolumeIdentity& wanted, const std::string& folder) {
  for (const auto& path : files_in(env, folder)) {
    const auto found = open_volume(env, path, false, {});
    if (!found || !is_wanted(found.assume_value(), wanted)) continue;
    if (auto again = open_volume(env, path, false, places.warn)) {
      return std::move(again).assume_value();
    }
  }
  return std::nullopt;
}

}  // namespace

Result<format::VolumeHeader> decode_header_page(const storage::File& file, Bytes page,
                                                std::uint64_t offset) {
  if (page.size() < format::kPageBytes) {
    return Error(ErrorKind::kCorrupt, 3072, "too short for a volume")
        .in_file(file.path())
        .in_section("volume header")
        .at_offset(offset);
  }
  return placed_result(format::decode_volume_header(page), file.path(), "volume header", offset);
}

Result<Buffer> read_first_page(const storage::File& file) {
  Buffer page(format::kPageBytes);
  DGFS_TRY(read_bytes, file.read_at(0, MutableBytes(page)));
  page.resize(read_bytes);
  return page;
}

Result<ReadHeader> read_volume_header(const storage::File& file, Bytes first_page,
                                      const std::function<void(const Error&)>& warn) {
  const auto with_checksum = [](const format::VolumeHeader& header, Bytes page) {
    return ReadHeader{header, format::load<std::uint64_t>(page, format::kHeaderChecksumOffset)};
  };
  const auto decoded = decode_header_page(file, first_page, 0);
  if (decoded) return with_checksum(decoded.assume_value(), first_page);
  const Result<ReadHeader> first = decoded.assume_error();
  if (first.assume_error().kind() == ErrorKind::kUnsupported) return first;
  DGFS_TRY(file_bytes, file.size());
  if (file_bytes < 2 * format::kPageBytes) return first;
  const auto offset = file_bytes - format::kPageBytes;
  std::array<std::uint8_t, format::kPageBytes> page{};
  if (!storage::read_exactly(file, offset, page)) return first;
  auto last = decode_header_page(file, page, offset);
  if (!last || last.assume_value().file_bytes != file_bytes) return first;
  if (warn) warn(first.assume_error());
  return with_checksum(last.assume_value(), page);
}

Result<FoundVolume> open_volume(storage::Env& env, const std::string& path, bool direct,
                                const std::function<void(const Error&)>& warn) {
  DGFS_TRY(opened, env.open(path, {storage::OpenOptions::Mode::kRead, direct}));
  std::shared_ptr<storage::File> file = std::move(opened);
  DGFS_TRY(page, read_first_page(*file));
  DGFS_TRY(read, read_volume_header(*file, page, warn));
  return FoundVolume{std::move(file), read.header, read.checksum};
}

std::vector<std::string> files_of_places(storage::Env& env, const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    if (env.open_directory(path)) {
      const auto found = files_in(env, path);
      files.insert(files.end(), found.begin(), found.end());
    } else {
      files.push_back(path);
    }
  }
  return files;
}

Result<FoundVolume> find_volume(storage::Env& env, const VolumePlaces& places,
                                format::VolumeNumber number, const VolumeIdentity& wanted,
                                const std::string& hint) {
  const bool is_foreign = wanted.header_checksum.has_value();
  auto text =
      is_foreign
          ? fmt::format("volume {}, which is volume {} of the image of uuid {}, is missing", number,
                        wanted.number, format::uuid_text(wanted.image))
          : fmt::format("volume {} (uuid {}) is missing", number, format::uuid_text(wanted.image));
  auto paths = candidates(places, number, hint);
  for (const auto& path : paths) {
    auto found = open_volume(env, path, false, places.warn);
    if (!found) {
      if (found.assume_error().kind() == ErrorKind::kIsDirectory) {
        if (auto there = find_in_folder(env, places, wanted, path)) return *std::move(there);
        text += "; none of the files in " + path + " is this volume";
      } else if (found.assume_error().kind() != ErrorKind::kNotFound) {
        text += "; " + found.assume_error().message();
      }
      continue;
    }
    if (is_wanted(found.assume_value(), wanted)) return found;
    const auto& header = found.assume_value().header;
    if (header.image_uuid != wanted.image) {
      text += fmt::format("; {} has uuid {}", path, format::uuid_text(header.image_uuid));
    } else if (is_foreign && header.number == wanted.number) {
      text += fmt::format("; {} has this uuid and number, but is another file", path);
    }
  }
  // A build publishes volume 0 under its final name at once, so it has no hidden name to try.
  if (number == 0) paths.clear();
  for (const auto& path : hidden_candidates(env, paths)) {
    auto found = open_volume(env, path, false, places.warn);
    if (!found) continue;
    if (is_wanted(found.assume_value(), wanted)) return found;
  }
  // The volume may have been renamed in the folder of the image or index.
  if (std::ranges::find(places.paths, places.folder) == places.paths.end()) {
    if (auto there = find_in_folder(env, places, wanted, places.folder)) return *std::move(there);
  }
  return Error(ErrorKind::kNotFound, 3071, std::move(text));
}

}  // namespace dgfs::reader
