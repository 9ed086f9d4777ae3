// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Output volumes: the files with the contents; volume 0 is the image. They have no names until they
// are published.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "builder/spool/append_file.h"
#include "builder/stop.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "storage/env.h"

namespace dgfs::builder {

/// One AppendFile for each volume, positioned at its next extent.
using AppendFiles = std::deque<AppendFile>;

/// For one thread at a time. Errors name the volume by its later path.
class OutputVolumes {
 public:
  /// @param env    must outlive this
  /// @param paths  of all volumes, the image first
  OutputVolumes(storage::Env& env, std::vector<std::string> paths)
      : env_(env), paths_(std::move(paths)) {}

  /// Must be called first. Errors: those of Env::create_unnamed().
  [[nodiscard]] Status open();
  /// Reserves space for extents of so many bytes in total. With several volumes, reserves an equal
  /// share in each, and ignores a lack of space. Errors: kNoSpace (of an only volume), kIo.
  [[nodiscard]] Status reserve(std::uint64_t extent_bytes);
  /// Starts writing. Called once; from then on only the returned objects may write to the files.
  /// @param write_bytes  buffer of each volume, in whole blocks
  [[nodiscard]] AppendFiles& begin(std::size_t write_bytes);

  [[nodiscard]] std::size_t count() const { return paths_.size(); }
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  [[nodiscard]] storage::File& file(std::size_t number) { return *files_[number]; }
  /// The volume table, with file names as hints. Call it after all extents are written.
  [[nodiscard]] std::vector<format::VolumeRecord> records() const;
  /// Ends each volume with its header page, and the image with a copy of the index before it.
  /// Returns the length of each file. Errors: kIo, kNoSpace, kInterrupted.
  /// @param superblock  of the index
  /// @param index       file with the index to copy; null: no copy
  [[nodiscard]] Result<std::vector<std::uint64_t>> finish(const format::Superblock& superblock,
                                                          const storage::File* index,
                                                          const StopFlag& stop);

 private:
  [[nodiscard]] Status named(Status status, std::size_t number) const;
  [[nodiscard]] Result<std::uint64_t> finish_volume(format::VolumeHeader header,
                                                    const storage::File* index,
                                                    const StopFlag& stop);

  storage::Env& env_;
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<storage::File>> files_;
  AppendFiles data_;
};

}  // namespace dgfs::builder
