// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Parses -o options into the arguments of libfuse, the reader and the server.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fuse/attributes.h"
#include "fuse/transport/transport.h"

namespace dgfs::fuse {

/// How much is verified.
enum class Check : std::uint8_t {
  kOff,   ///< only the index, as it is read; contents are not verified
  kData,  ///< also each frame of contents, whenever it is read
  kAll,   ///< also the whole index, both copies, before anything is mounted
};

/// -o options in the forms that libfuse, the reader and the server need.
struct MountArguments {
  std::vector<std::string> arguments;  ///< "-oNAME" or "-oNAME=VALUE", commas in values escaped
  std::uint64_t max_read_bytes = 0;    ///< max_read=; 0 = the kernel's choice
  AttributeOverrides overrides;        ///< uid=, gid=, umask=
  std::optional<std::string> index_path;
  std::vector<std::string> volume_paths;
  std::uint64_t offset_bytes = 0;                  ///< where in its file the image begins
  std::optional<std::uint64_t> page_cache_bytes;   ///< nullopt: the reader's default
  std::optional<std::uint64_t> frame_cache_bytes;  ///< likewise
  Check check = Check::kData;
  unsigned threads = 0;  ///< threads=: requests served at once; 0 = as many as suit the machine
  std::optional<std::string> delta_path;  ///< delta=: keeps the changes; nullopt: read-only
  std::optional<std::string> as_of;       ///< as_of=: a state of the delta; read-only
  /// as_of_time=: instead, if there is no such state, the newest state from then or before.
  std::optional<Time> as_of_time;
  std::uint64_t size_bytes_max = 0;       ///< size=: limit of the delta; 0: the disk's free space
  std::chrono::seconds seal_interval{0};  ///< seal= with a time; 0: not after a time
  std::uint64_t seal_bytes = 0;           ///< seal= with a size; 0: not at a size
  std::uint64_t merge_bytes = 0;          ///< merge= with a size; 0: only on request
  std::uint64_t merge_rate = 0;           ///< merge_rate=: bytes a second; 0: no bound
  std::chrono::milliseconds commit_interval{1000};  ///< commit=
  bool writes_back = false;                         ///< writeback
  Transport transport = Transport::kAuto;           ///< how requests reach the process
  bool is_read_only = false;                        ///< ro was given, or there is no delta
  /// memory=: limit of all caches and tables together, for a mount with a delta.
  std::size_t memory_bytes = std::size_t{256} << 20;
  bool allows_idmaps = true;  ///< false with allow_root: see allow_idmapped_mounts()
  bool prefetch = true;  ///< false with noprefetch: files are not read before they are requested
  bool unmounts_after_death = false;  ///< auto_unmount
  std::chrono::seconds idle{0};       ///< idle=: an unused mount ends after this time; 0: never
  bool has_security_context = false;  ///< context= or one of its kind was given
};

/// Parses the options that mount(8) users write:
/// - delta= (the directory that keeps all changes), ro, rw (the default with a delta);
/// - as_of= (a state of the delta, which is then shown as it was, read-only), and as_of_time=
///   (@SECONDS or @SECONDS.NANOSECONDS, for a state that as_of= does not find);
/// - seal= (a time or a size, also both in two options), with a delta;
/// - merge= (off, or the size of the delta at which it is merged), merge_rate= (bytes a second);
/// - size=, commit= (seconds), memory=, writeback and writethrough, with a delta;
/// - dev suid exec async sync dirsync noatime and their opposites, nosuid and nodev by default;
///   only root may give suid and dev; sync and dirsync make each change durable at once;
/// - atime relatime diratime ...: accepted without effect, because reads never set access times;
/// - allow_other, allow_root, default_permissions (always on), auto_unmount;
/// - idle= (a time in seconds, or with s, m, h);
/// - context=, fscontext=, defcontext=, rootcontext= (labels of SELinux, in quotation marks if they
///   have commas);
/// - uid=, gid=, umask=: the attributes that files show, and that access is checked by;
/// - index=, volume= (repeatable), check=off|data|all, threads=, noprefetch;
/// - offset=, page_cache=, frame_cache= (bytes, or with K, M, G, T);
/// - transport=auto|uring|classic: how requests reach the process;
/// - fsname= (default: the image's path), subtype= (default: dgfs), max_read=;
/// - options that mount(8) and fstab handle (defaults, noauto, nofail, user, _netdev, x-...);
/// - sloppy: unknown options after it are ignored, as mount -s requests.
///
/// @param source   the image's path, shown as the mounted device
/// @param user_id  the user who mounts
/// Errors: kInvalidArgument, naming the option, for all other options, for bad values, for options
/// of the other kind of mount (rw without a delta, size= without one, page_cache= with one), and
/// for remount, which makes no new mount (fuse/remount.h); kPermission (suid, dev).
[[nodiscard]] Result<MountArguments> mount_arguments(std::span<const std::string> options,
                                                     const std::string& source,
                                                     std::uint32_t user_id);

}  // namespace dgfs::fuse
