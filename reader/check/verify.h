// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Verifies a whole image: every page of every index copy, every side record, every frame.
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
  std::uint64_t stored_bytes_total = 0;  ///< of the image, or of the one volume
  /// Bytes of files hashed so far, with digests. Holes count too: hashing them takes as long as
  /// data.
  std::uint64_t digested_bytes = 0;
  std::uint64_t digested_bytes_total = 0;  ///< 0 without digests, and if one volume is verified
};

/// How to verify. The objects that its members refer to must outlive the call. Several threads may
/// share it unchanged.
struct VerifyOptions {
  unsigned jobs = 0;  ///< reading threads; 0 = one per core
  /// Also compares contents with the digests that the index keeps. This detects a deliberate change
  /// by an attacker who made all checksums fit but could not change the digests. kNotFound if the
  /// index keeps no digests, kUnsupported if this program does not know their algorithm.
  bool digests = false;
  /// With digests: called once, on the thread of verify(), before contents are read, if files have
  /// long holes.
  std::function<void(const format::LongHoles&)> long_holes;
  /// Verifies only this volume and the files that have their contents in it; other volumes may be
  /// missing. The whole index is verified in any case. kInvalidArgument if the image has no such
  /// volume. nullopt: all volumes.
  std::optional<format::VolumeNumber> volume;
  /// Called for each damage of a file with the path and the reason ("contents, bytes 4096-5222
  /// (crawl.dgfs offset 8123): checksum mismatch"), by one thread at a time.
  std::function<void(const std::string& path, const Error& error)> damaged_file;
  /// Called for damage that is not in one file: in index pages, sections and volume headers.
  std::function<void(const Error& error)> damaged_index;
  std::function<void(const VerifyProgress&)> progress;  ///< a few times a second
  const std::atomic<bool>* stop = nullptr;              ///< ends early with kInterrupted
};

/// Result of verify(). A value.
struct VerifyReport {
  std::uint64_t files = 0;                 ///< regular files read, multiply linked ones once
  std::uint64_t damaged_files = 0;         ///< each reported to damaged_file
  std::uint64_t damaged_index_places = 0;  ///< each reported to damaged_index
  std::uint64_t content_bytes = 0;         ///< of the files read
  std::uint64_t right_digests = 0;         ///< files whose digest is right
  unsigned index_copies = 1;               ///< index copies read
  /// No damage was found.
  [[nodiscard]] bool sound() const { return damaged_files == 0 && damaged_index_places == 0; }
};

/// Reads everything in device order. Several threads may call it at once, also on the same image.
/// Damage is reported and is no error. Errors: kInterrupted, and failures that stop the walk
/// itself.
[[nodiscard]] Result<VerifyReport> verify(const Image& image, const VerifyOptions& options);

}  // namespace dgfs::reader
