// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Volumes: the files that hold contents, opened when first needed, so that metadata alone can be
// served without them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/volume_header.h"
#include "storage/env.h"

namespace dgfs::reader {

/// An open volume. Immutable, thread-safe.
struct Volume {
  std::shared_ptr<storage::File> file;
  format::VolumeHeader header;
  std::uint64_t data_end = 0;  ///< extents end here or before: header, index and file agree
};

/// Where volumes of an image may lie.
struct VolumePlaces {
  format::Uuid uuid{};
  std::string folder;      ///< looked through for the names in the volume table
  std::string image_path;  ///< looked at first for volume 0; may be empty
  /// Further files in any order, and folders whose files are all looked at.
  std::vector<std::string> paths;
  std::string index_path;  ///< holds the volume table; for errors, as its place
  std::uint64_t table_offset_bytes = 0;
  std::function<void(const Error&)> warn;
  bool past_page_cache = false;  ///< how contents are read
  /// Whether extents may end behind the end of a file that was cut: what is there of them is read.
  bool may_be_cut = false;
};

/// A volume's file and header.
struct FoundVolume {
  std::shared_ptr<storage::File> file;
  format::VolumeHeader header;
};

/// What a file begins with: a page, or less if the file is shorter. One read. Errors: kIo.
[[nodiscard]] Result<Buffer> read_first_page(const storage::File& file);

/// The header of a volume from its first page or, where that is damaged, from its last (which is
/// then told to `warn`).
/// @param first_page  as from read_first_page()
/// Errors: kIo, kCorrupt, kUnsupported.
[[nodiscard]] Result<format::VolumeHeader> read_volume_header(
    const storage::File& file, Bytes first_page, const std::function<void(const Error&)>& warn);

/// Checks both header pages of an open volume, and that what belongs to nothing is zero (F-027);
/// for verify. Errors: kIo, kCorrupt.
[[nodiscard]] Status check_volume(const Volume& volume);

/// Looks for a volume by UUID and number. Reads one page of each file tried; where it is at none of
/// these places, also at hidden names of them, which a build gives its volumes before their own.
/// @param hint  file name it may have in the folder; may be empty
/// Errors: kNotFound; its text says what was found instead.
[[nodiscard]] Result<FoundVolume> find_volume(storage::Env& env, const VolumePlaces& places,
                                              format::VolumeNumber number, const std::string& hint);

/// Thread-safe.
class Volumes {
 public:
  /// @param env      must outlive this
  /// @param records  the index's volume table
  Volumes(storage::Env& env, VolumePlaces places, std::vector<format::VolumeRecord> records);
  /// Adds a volume that is open already.
  void adopt(const FoundVolume& found);

  /// The volume, opened now if it is not yet; failures are tried again at the next call. Errors:
  /// kNotFound (it lies nowhere: the message names its UUID), kCorrupt (no such volume), kIo.
  [[nodiscard]] Result<const Volume*> get(format::VolumeNumber number) const;
  /// Path of a volume, which is opened if it is not yet; nullopt if it is missing.
  [[nodiscard]] std::optional<std::string> path(format::VolumeNumber number) const;
  /// Image::check_is_volume().
  [[nodiscard]] Status check_is_volume(const std::string& path) const;
  [[nodiscard]] const std::vector<format::VolumeRecord>& records() const { return records_; }

 private:
  [[nodiscard]] std::optional<std::size_t> slot_of(format::VolumeNumber number) const;
  [[nodiscard]] Result<std::unique_ptr<Volume>> make(std::size_t slot,
                                                     const FoundVolume& found) const;

  storage::Env& env_;
  VolumePlaces places_;
  std::vector<format::VolumeRecord> records_;
  mutable std::mutex mutex_;  ///< guards opening
  mutable std::vector<std::unique_ptr<Volume>> owned_;
  /// One per record; set once, read without the mutex.
  mutable std::vector<std::atomic<const Volume*>> open_;
};

}  // namespace dgfs::reader
