// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Verification of a whole image: every page of every index copy, every side record, every frame.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "format/header/volume_header.h"
#include "format/section/digest.h"

namespace dgfs::reader {

class Image;

/// How far verify() has come. A value.
struct VerifyProgress {
  std::uint64_t files = 0;               ///< checked so far
  std::uint64_t stored_bytes = 0;        ///< checked so far
  std::uint64_t stored_bytes_total = 0;  ///< from the superblock, or of the one volume
  /// With digests: of the sizes of files, holes included, which take as long as data then.
  std::uint64_t digested_bytes = 0;
  std::uint64_t digested_bytes_total = 0;  ///< 0 without digests, and with one volume alone
};

/// How to verify. What its members refer to must outlive the call; several threads may share it
/// unchanged.
struct VerifyOptions {
  unsigned jobs = 0;  ///< reading threads; 0 = one per core
  /// Whether contents are also compared with the digests that the index keeps of them, so that
  /// who could make all checksums fit, but not the digests, is found out. kNotFound where it
  /// keeps none, kUnsupported where this program does not know their algorithm.
  bool digests = false;
  /// With digests: called once before contents are read, from the thread of verify(), where files
  /// have long holes.
  std::function<void(const format::LongHoles&)> long_holes;
  /// Contents are read of files only that stand in this volume, and of the volumes only this one is
  /// looked at; the others may be missing. The index is read as ever. kInvalidArgument where the
  /// image has no such volume. nullopt: everything.
  std::optional<format::VolumeNumber> volume;
  /// A damaged file: its path and what is wrong ("contents, bytes 4096-5222 (crawl.dgfs offset
  /// 8123): checksum mismatch"). Called by one thread at a time.
  std::function<void(const std::string& path, const Error& error)> damaged_file;
  /// Damage that is not of one file (index pages, sections).
  std::function<void(const Error& error)> damaged_index;
  std::function<void(const VerifyProgress&)> progress;  ///< a few times a second
  const std::atomic<bool>* stop = nullptr;              ///< ends early with kInterrupted
};

/// What verify() found. A value.
struct VerifyReport {
  std::uint64_t files = 0;                 ///< regular files read, multiply linked ones once
  std::uint64_t damaged_files = 0;         ///< each reported to damaged_file
  std::uint64_t damaged_index_places = 0;  ///< each reported to damaged_index
  std::uint64_t content_bytes = 0;         ///< of the files read
  std::uint64_t right_digests = 0;         ///< files that have the digest that is kept of them
  unsigned index_copies = 1;               ///< that were read
  /// Whether there was no damage.
  [[nodiscard]] bool sound() const { return damaged_files == 0 && damaged_index_places == 0; }
};

/// Reads everything in device order. May run in several threads at once, on one image too. Damage
/// is reported, not an error; errors are kInterrupted and what keeps the walk itself from going on.
[[nodiscard]] Result<VerifyReport> verify(const Image& image, const VerifyOptions& options);

}  // namespace dgfs::reader
