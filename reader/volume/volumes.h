// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Volumes: the files with contents. A volume is opened when it is first needed, so metadata is
// served without volumes.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/header/volume_header.h"
#include "format/section/volume_origins.h"
#include "reader/volume/search.h"

namespace dgfs::reader {

/// An open volume. Immutable, thread-safe.
struct Volume {
  std::shared_ptr<storage::File> file;
  format::VolumeHeader header;
  std::uint64_t header_checksum = 0;  ///< of its page
  /// Bound of extents: the least of the ends in header, index and file.
  std::uint64_t data_end = 0;
};

/// Checks both header pages of an open volume, and that unused bytes are zero (F-027); for verify.
/// Errors: kIo, kCorrupt.
[[nodiscard]] Status check_volume(const Volume& volume);

/// Thread-safe.
class Volumes {
 public:
  /// @param env      must outlive this
  /// @param records  the index's volume table
  /// @param origins  of those among them that are files of other images, with rising numbers
  Volumes(storage::Env& env, VolumePlaces places, std::vector<format::VolumeRecord> records,
          std::vector<format::VolumeOrigin> origins);
  /// Adds a volume that is already open.
  void adopt(const FoundVolume& found);
  /// Adds those volumes that another image has open and that are this image's, too. Before any call
  /// of get().
  void adopt_open(const Volumes& others);

  /// The volume; opens it if it is not open yet. If the search for a volume fails, a call a second
  /// later searches again, and calls before that return the same error. Any other failure is tried
  /// again at the next call. Errors: kNotFound (not found; the message names its UUID), kCorrupt
  /// (no such volume in the index), kIo.
  [[nodiscard]] Result<const Volume*> get(format::VolumeNumber number) const;
  /// How the header of a volume names it. Opens the volume if the index does not tell; computes it
  /// for a missing one. Errors: as get(); kNotFound only of volume 0.
  /// @param incompat  of the superblock
  [[nodiscard]] Result<format::VolumeOrigin> origin_of(format::VolumeNumber number,
                                                       std::uint64_t incompat) const;
  /// Path of a volume; opens it if it is not open yet. nullopt if it is missing.
  [[nodiscard]] std::optional<std::string> path(format::VolumeNumber number) const;
  /// Image::check_is_volume().
  [[nodiscard]] Status check_is_volume(const std::string& path) const;
  [[nodiscard]] const std::vector<format::VolumeRecord>& records() const { return records_; }
  [[nodiscard]] const std::vector<format::VolumeOrigin>& origins() const { return origins_; }

 private:
  struct Missing {
    Error error;
    std::uint64_t at_ns = 0;  ///< time of the search
  };
  void adopt_as(std::size_t slot, const FoundVolume& found);
  [[nodiscard]] std::optional<std::size_t> slot_of(format::VolumeNumber number) const;
  [[nodiscard]] VolumeIdentity identity_of(format::VolumeNumber number) const;
  /// The slot of the record that a volume belongs to.
  [[nodiscard]] std::optional<std::size_t> slot_of(const FoundVolume& found) const;
  [[nodiscard]] Result<std::unique_ptr<Volume>> make(std::size_t slot,
                                                     const FoundVolume& found) const;

  storage::Env& env_;
  VolumePlaces places_;
  std::vector<format::VolumeRecord> records_;
  std::vector<format::VolumeOrigin> origins_;
  mutable std::mutex mutex_;  ///< held while a volume is opened
  mutable std::vector<std::unique_ptr<Volume>> owned_;
  mutable std::vector<std::optional<Missing>> missing_;  ///< guarded by mutex_; one per record
  /// One per record; set once, read without the mutex.
  mutable std::vector<std::atomic<const Volume*>> open_;
};

}  // namespace dgfs::reader
