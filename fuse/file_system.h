// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// FileSystem: the tree that a session serves. Each kind of mount implements it: its operations, its
// agreement with the kernel, and its statistics.
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

  /// The operations for fuse_session_new(), without `init`. User data is the session's Service.
  [[nodiscard]] virtual fuse_lowlevel_ops operations() const = 0;
  /// Sees requests and replies on their way; null: no filter is needed. The tree owns it.
  [[nodiscard]] virtual RequestFilter* filter() { return nullptr; }
  /// The session begins to serve: the tree may start threads, and may send notifications to the
  /// kernel. Runs in the daemon, before all requests.
  /// @param service  of the session; outlives the tree's threads, which end in stop()
  /// @param threads  number of serving threads
  /// Errors: those of the parts that it starts.
  [[nodiscard]] virtual Status start(Service& service, fuse_session& session, unsigned threads) = 0;
  /// Serving has ended; the service will be destroyed next.
  virtual void stop() noexcept {}
  /// Sets up `connection`. Called once, before all other requests.
  virtual void start_connection(fuse_conn_info& connection) noexcept = 0;
  /// A path from the root to an object, for messages. Errors: those of finding it.
  [[nodiscard]] virtual Result<std::string> path_of(std::uint64_t inode) const = 0;
  /// The UUID of the image.
  [[nodiscard]] virtual const format::Uuid& uuid() const = 0;
  /// Adds this mount's own members to statistics_json().
  virtual void add_statistics(JsonObject& statistics) const = 0;
};

}  // namespace dgfs::fuse
