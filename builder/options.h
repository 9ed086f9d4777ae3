// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Options of build().
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

/// Phases of a build.
enum class Phase : std::uint8_t { kScanning, kPacking, kIndexing, kSyncing };

/// How far build() has come. A value.
struct Progress {
  Phase phase = Phase::kScanning;   ///< never goes back
  std::uint64_t entries = 0;        ///< entries seen (while scanning) or packed
  std::uint64_t entries_total = 0;  ///< 0 while scanning
  /// Content bytes packed, and bytes of holes hashed for digests of files that are not packed yet.
  std::uint64_t content_bytes = 0;
  std::uint64_t content_bytes_total = 0;  ///< 0 while scanning
};

/// Enough for two reading threads with one batch each, and for a few runs of the sorters.
inline constexpr std::size_t kMemoryBytesMin = std::size_t{4} << 20;

/// A middle one of zstd's levels for contents of this length.
inline constexpr int kCompressionLevelDefault = 12;
/// Just below 128 KiB, from which zstd takes larger tables. More gains little and costs memory.
inline constexpr std::size_t kDictionaryBytesDefault = std::size_t{124} << 10;

/// The unit of reads of most devices: a shorter frame is not read any faster.
inline constexpr std::size_t kFragmentFrameBytesMin = std::size_t{4} << 10;

/// From this size on, the fixed parts of a token model (about 2 KiB) no longer matter, and its
/// faster lookups do.
inline constexpr std::uint64_t kTokenEntriesMin = 16384;

/// How contents are compressed. A value.
struct Compression {
  int level = kCompressionLevelDefault;  ///< of zstd, 1 to 22; else kInvalidArgument
  /// Bound of a dictionary of small files, at most 256 KiB; 0: no dictionaries.
  std::size_t dictionary_bytes_max = kDictionaryBytesDefault;
  /// Content bytes of a fragment frame, which small neighbouring files share:
  /// kFragmentFrameBytesMin to 64 KiB, else kInvalidArgument. Files up to a quarter of it share
  /// frames. 0: each file has a frame of its own. Deduplication finds only whole fragment frames
  /// again, not single files in them.
  std::size_t fragment_frame_bytes = 0;
};

/// Bounds of a group. Contents are spread over volumes by groups of consecutive files, and each
/// group goes to the volume that has least. A group has at most so many files and bytes, or one
/// file. A value.
struct GroupLimits {
  std::uint64_t files = 0;  ///< files with contents
  std::uint64_t bytes = 0;  ///< sum of their sizes
};

/// What to build, and how. The objects that its members refer to must outlive the call. Several
/// threads may share it unchanged.
struct BuildOptions {
  std::string source;      ///< a directory
  std::string image_path;  ///< an older image there is replaced
  /// nullopt = image_path + ".idx"; an empty string = no separate index file.
  std::optional<std::string> index_path;
  /// Further volumes of the image: 1, 2, ... Contents are spread over these and the image. An older
  /// volume of the image at `image_path` is replaced; a volume of another image is not (kExists).
  std::vector<std::string> volume_paths;
  /// true: outputs may replace files that are no DGFS files. false: kExists. Outputs may always
  /// replace empty files.
  bool force = false;
  std::uint32_t file_mode = 0666;  ///< permissions of the outputs, before the umask
  /// How to spread contents over volumes; nullopt: depends on the size of the tree.
  std::optional<GroupLimits> volume_groups;
  bool trailing_index = true;  ///< keep a copy of the index in the image
  /// Reading threads. 0: 32 (16 with compression), or one per core if there are more cores. At most
  /// one for each 2 MiB of memory. Threads that wait for the disk cost little, and the disk serves
  /// many reads at once. With 1, one thread also scans the tree. Never changes the output.
  unsigned jobs = 0;
  /// Budget for buffers in flight and for sorting; at least kMemoryBytesMin is used. Memory of
  /// zstd, and the samples for dictionaries, which must not depend on the budget, come on top.
  std::size_t memory_bytes = std::size_t{256} << 20;
  /// Chooses entries to pack, by path below the source. A directory that is not included is not
  /// entered.
  rules::PathRules rules;
  /// If not empty: packs only these and the entries below them, with the directories on the way. A
  /// missing path is a failure.
  std::vector<std::string> paths;
  /// Only scans, and reports what would be packed. Checks the outputs, and writes nothing to them.
  bool dry_run = false;
  bool one_file_system = false;      ///< directories on other file systems are kept empty
  bool keep_going = false;           ///< record an entry that cannot be packed instead of failing
  std::optional<std::uint32_t> uid;  ///< owner for every entry
  std::optional<std::uint32_t> gid;  ///< group for every entry
  std::optional<std::uint32_t> permission_mask;  ///< bits cleared from every mode (umask style)
  bool xattrs = true;                            ///< keep extended attributes
  /// The scan also reads those of files with contents, which a build reads later. For a caller that
  /// only scans.
  bool scans_all_xattrs = false;
  bool hard_dereference = false;  ///< pack each name of an object as an object of its own
  /// Times of entries that are later than the image's become that one. Needs created_seconds or
  /// SOURCE_DATE_EPOCH, else kInvalidArgument.
  bool clamp_times = false;
  std::optional<Compression> compression;  ///< nullopt: contents are stored as they are
  bool dedup = true;                       ///< store equal contents once
  /// Keeps a digest of each regular file's content, with holes as zeros; nullopt: keeps none. The
  /// reading threads pay for the hashing.
  std::optional<format::DigestAlgorithm> digest;
  /// With a digest: called once, on the thread of build(), before contents are read, if files seem
  /// to have long holes because they take less space than their sizes.
  std::function<void(const format::LongHoles&)> long_holes;
  std::optional<format::Uuid> uuid;             ///< default: hash of the content
  std::optional<std::int64_t> created_seconds;  ///< default: SOURCE_DATE_EPOCH, else newest mtime
  /// A tree with at least so many entries gets index pages of the token codec.
  std::uint64_t token_entries_min = kTokenEntriesMin;
  std::size_t model_bytes_max = std::size_t{32} << 10;  ///< dictionary for index pages; 0 = none
  std::function<void(const Progress&)> progress;        ///< a few times a second, from one thread
  const std::atomic<bool>* stop = nullptr;              ///< ends with kInterrupted, leaves nothing
};

}  // namespace dgfs::builder
