// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FileSystem: a tree that a session serves. Each kind of mount has its own: its operations, what it
// agrees on with the kernel, and what it tells of itself.
#pragma once

#include <fuse_lowlevel.h>

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "format/header/uuid.h"
#include "fuse/transport/request_filter.h"

namespace dgfs::fuse {

struct Service;

/// Thread-safe while a session serves it.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  /// For fuse_session_new(), but for `init`. The user data is the Service of the session.
  [[nodiscard]] virtual fuse_lowlevel_ops operations() const = 0;
  /// Sees requests and replies on their way; null: nothing need be seen. The tree owns it.
  [[nodiscard]] virtual RequestFilter* filter() { return nullptr; }
  /// The session serves from now on: the tree may start threads, and may tell the kernel what it is
  /// not asked. In the daemon, before all requests.
  /// @param service  of the session; outlives the tree's threads, which end with stop()
  /// @param threads  that serve
  /// Errors: those of what it starts.
  [[nodiscard]] virtual Status start(Service& service, fuse_session& session, unsigned threads) = 0;
  /// Nothing is served any more, and the service goes next.
  virtual void stop() noexcept {}
  /// Chooses what is wanted of `connection`. Once, before all other requests.
  virtual void start_connection(fuse_conn_info& connection) noexcept = 0;
  /// A path from the root that leads to an object, for messages. Errors: those of finding it.
  [[nodiscard]] virtual Result<std::string> path_of(std::uint64_t inode) const = 0;
  /// Of the image.
  [[nodiscard]] virtual const format::Uuid& uuid() const = 0;
  /// Adds what statistics_json() tells of this kind of mount.
  virtual void add_statistics(JsonObject& statistics) const = 0;
};

}  // namespace dgfs::fuse
