// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Target: a tree that tasks are done with: a view, an image alone, or a file system of the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/env.h"

namespace dgfs::bench {

/// Of an opened directory.
using Handle = std::uint64_t;

/// For one thread. Names are found as a kernel would have to: an operation on a named object is
/// given the directory and the name, and its lookup is a part of it.
class Target {
 public:
  virtual ~Target() = default;
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// @param path  from the root of the tree, "/" between names
  [[nodiscard]] virtual Result<Handle> directory(const std::string& path) = 0;
  /// With attributes. False: no such name.
  [[nodiscard]] virtual Result<bool> has(Handle directory, const std::string& name) = 0;
  /// Reads all names with their attributes, and returns how many there were.
  [[nodiscard]] virtual Result<std::uint64_t> list(Handle directory) = 0;

  /// Opens a regular file.
  [[nodiscard]] virtual Result<Handle> file(Handle directory, const std::string& name) = 0;
  virtual void close_file(Handle /*file*/) {}
  /// All of `out`.
  [[nodiscard]] virtual Status read(Handle file, std::uint64_t offset_bytes, MutableBytes out) = 0;

  // What follows changes the tree.
  [[nodiscard]] virtual Status write(Handle file, std::uint64_t offset_bytes, Bytes bytes) = 0;
  /// An empty regular file, which is not opened.
  [[nodiscard]] virtual Status create(Handle directory, const std::string& name) = 0;
  [[nodiscard]] virtual Status make_directory(Handle directory, const std::string& name) = 0;
  [[nodiscard]] virtual Status change_mode(Handle directory, const std::string& name,
                                           std::uint32_t permissions) = 0;
  [[nodiscard]] virtual Status link(Handle from, const std::string& name, Handle to,
                                    const std::string& new_name) = 0;
  [[nodiscard]] virtual Status rename(Handle from, const std::string& name, Handle to,
                                      const std::string& new_name) = 0;
  [[nodiscard]] virtual Status unlink(Handle directory, const std::string& name) = 0;

  /// All is durable, by whatever log.
  [[nodiscard]] virtual Status sync() = 0;
  /// All is where it stays, and the log is empty, as far as the process may ask for that.
  [[nodiscard]] virtual Status settle() = 0;
  /// As a clean end would have it. No other call may follow.
  [[nodiscard]] virtual Status close() { return ok(); }
};

/// Where targets are, and how they work. A value.
struct TargetOptions {
  std::string kind;             ///< "view", "image", "posix"
  std::string directory;        ///< that has all files
  std::string delta = "delta";  ///< of a view: its directory; made where it is not there
  std::uint64_t numbers_of_directory = 16;  ///< ViewOptions
  std::uint64_t names_of_reply = 128;       ///< of listings of a view
  std::uint64_t chunk_kib = 64;             ///< likewise
  bool may_freeze = false;  ///< "posix": nobody else uses the file system, and all stops shortly
  std::string below;  ///< "posix": a directory of the file system below a mount, synced with it
  bool drops_pages = false;  ///< "posix": the kernel keeps no contents behind settle()
};

inline std::string image_path(const std::string& directory) { return directory + "/base.dgfs"; }
inline std::string tree_path(const std::string& directory) { return directory + "/tree"; }

/// @param env  must outlive the result
[[nodiscard]] Result<std::unique_ptr<Target>> open_view(storage::Env& env,
                                                        const TargetOptions& options);
[[nodiscard]] Result<std::unique_ptr<Target>> open_image(storage::Env& env,
                                                         const TargetOptions& options);
[[nodiscard]] Result<std::unique_ptr<Target>> open_posix(const TargetOptions& options);

}  // namespace dgfs::bench
