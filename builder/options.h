// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// What build() is told.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "format/header/uuid.h"
#include "format/section/digest.h"
#include "rules/path_rules.h"

namespace dgfs::builder {

/// What a build is doing.
enum class Phase : std::uint8_t { kScanning, kPacking, kIndexing, kSyncing };

/// How far build() has come. A value.
struct Progress {
  Phase phase = Phase::kScanning;   ///< rises
  std::uint64_t entries = 0;        ///< seen (scanning) or packed
  std::uint64_t entries_total = 0;  ///< 0 while scanning
  /// Packed; also what is not yet, of holes in digests that are being made.
  std::uint64_t content_bytes = 0;
  std::uint64_t content_bytes_total = 0;  ///< 0 while scanning
};

/// What two reading threads need for one batch each and the sorters for a few runs.
inline constexpr std::size_t kMemoryBytesMin = std::size_t{4} << 20;

/// Of the levels that zstd has for contents of this length, one of the middle.
inline constexpr int kCompressionLevelDefault = 12;
/// What zstd's own tools train by default; more gains little and costs memory.
inline constexpr std::size_t kDictionaryBytesDefault = std::size_t{112} << 10;

/// The unit that most devices read: a shorter frame would not be read any faster.
inline constexpr std::size_t kFragmentFrameBytesMin = std::size_t{4} << 10;

/// From here on a token model's fixed parts (about 2 KiB) no longer count, and the speed of lookups
/// does.
inline constexpr std::uint64_t kTokenEntriesMin = 16384;

/// How contents are compressed. A value.
struct Compression {
  int level = kCompressionLevelDefault;  ///< zstd's, 1 to 22; else kInvalidArgument
  /// Longest dictionary that a class of small files gets, at most 256 KiB; 0: none does.
  std::size_t dictionary_bytes_max = kDictionaryBytesDefault;
  /// Content of a frame that small neighbours share, kFragmentFrameBytesMin to 64 KiB, else
  /// kInvalidArgument; files up to a quarter of it do. 0: each file has a frame of its own. What is
  /// shared is found again as a whole frame only.
  std::size_t fragment_frame_bytes = 0;
};

/// How contents are spread over volumes: by groups of consecutive files, each where there is least.
/// A group holds no more than this, or one file. A value.
struct GroupLimits {
  std::uint64_t files = 0;  ///< with contents
  std::uint64_t bytes = 0;  ///< of their sizes
};

/// What to build, and how. What its members refer to must outlive the call; several threads may
/// share it unchanged.
struct BuildOptions {
  std::string source;      ///< a directory
  std::string image_path;  ///< an older image there is replaced
  /// nullopt = image_path + ".idx"; an empty string = no separate index file.
  std::optional<std::string> index_path;
  /// Further volumes of the image: 1, 2, ... Contents are spread over all of them and the image.
  /// Older volumes of the image at `image_path` there are replaced, those of others are not
  /// (kExists).
  std::vector<std::string> volume_paths;
  /// Whether files that are no DGFS files may be replaced by outputs; else that is kExists. Empty
  /// ones always may.
  bool force = false;
  /// How contents are spread over volumes; nullopt: as suits the size of the tree.
  std::optional<GroupLimits> volume_groups;
  bool trailing_index = true;  ///< keep a copy of the index in the image
  /// Reading threads; 0 = 32 (16 with compression), or one per core if there are more, but one for
  /// each 2 MiB of memory at most. Those that wait for the disk cost nothing, and it answers many
  /// at once. With 1 the tree is scanned by one thread, too. Never changes the output.
  unsigned jobs = 0;
  /// Budget for buffers in flight and sorting, but not for what zstd needs and the samples that
  /// dictionaries are trained on, which must not depend on it; what is less than kMemoryBytesMin
  /// counts as that.
  std::size_t memory_bytes = std::size_t{256} << 20;
  /// What is packed of the tree, by path below the source; what is not included is not entered.
  rules::PathRules rules;
  /// If not empty: only these and what is below them, with the directories on the way. One that is
  /// missing is a failure.
  std::vector<std::string> paths;
  bool one_file_system = false;      ///< directories on other file systems are kept empty
  bool keep_going = false;           ///< record what cannot be packed instead of failing
  std::optional<std::uint32_t> uid;  ///< owner for every entry
  std::optional<std::uint32_t> gid;  ///< group for every entry
  std::optional<std::uint32_t> permission_mask;  ///< bits cleared from every mode (umask style)
  bool xattrs = true;                            ///< keep extended attributes
  std::optional<Compression> compression;        ///< nullopt: contents are stored as they are
  bool dedup = true;                             ///< contents that are the same are stored once
  /// Keeps a digest of each regular file's content; nullopt: none are kept. Costs what the
  /// algorithm does, in the reading threads; holes count as the zeros that they read as.
  std::optional<format::DigestAlgorithm> digest;
  /// With a digest: called once before contents are read, by the thread of build(), where files
  /// seem to have long holes, as they take less space than their sizes.
  std::function<void(const format::LongHoles&)> long_holes;
  std::optional<format::Uuid> uuid;             ///< default: hash of the content
  std::optional<std::int64_t> created_seconds;  ///< default: SOURCE_DATE_EPOCH, else newest mtime
  /// Entries of a tree from which its index pages are of the token codec.
  std::uint64_t token_entries_min = kTokenEntriesMin;
  std::size_t model_bytes_max = std::size_t{32} << 10;  ///< dictionary for index pages; 0 = none
  std::function<void(const Progress&)> progress;        ///< a few times a second, from one thread
  const std::atomic<bool>* stop = nullptr;  ///< set: ends with kInterrupted, leaves nothing
};

}  // namespace dgfs::builder
