// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Target: a tree that tasks work on: a view, an image without a view, or a kernel file system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/env.h"

namespace dgfs::bench {

/// Handle of an opened directory or file.
using Handle = std::uint64_t;

/// Not thread-safe. Operations on a named object take the directory and the name, and look the name
/// up, as a kernel would have to.
class Target {
 public:
  virtual ~Target() = default;
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// @param path  from the root of the tree, "/" between names
  [[nodiscard]] virtual Result<Handle> directory(const std::string& path) = 0;
  /// Looks a name up with its attributes. False: there is no such name.
  [[nodiscard]] virtual Result<bool> has(Handle directory, const std::string& name) = 0;
  /// Reads all names with their attributes, and returns their number.
  [[nodiscard]] virtual Result<std::uint64_t> list(Handle directory) = 0;

  /// Opens a regular file.
  [[nodiscard]] virtual Result<Handle> file(Handle directory, const std::string& name) = 0;
  virtual void close_file(Handle /*file*/) {}
  /// Fills all of `out`.
  [[nodiscard]] virtual Status read(Handle file, std::uint64_t offset_bytes, MutableBytes out) = 0;

  // The following calls change the tree.
  [[nodiscard]] virtual Status write(Handle file, std::uint64_t offset_bytes, Bytes bytes) = 0;
  /// Writes behind the present end of the file.
  [[nodiscard]] virtual Status append(Handle file, Bytes bytes) = 0;
  /// Makes an empty regular file, and does not open it.
  [[nodiscard]] virtual Status create(Handle directory, const std::string& name) = 0;
  [[nodiscard]] virtual Status make_directory(Handle directory, const std::string& name) = 0;
  [[nodiscard]] virtual Status change_mode(Handle directory, const std::string& name,
                                           std::uint32_t permissions) = 0;
  /// Sets an extended attribute of a regular file.
  [[nodiscard]] virtual Status set_xattr(Handle directory, const std::string& name,
                                         const std::string& xattr, Bytes value) = 0;
  [[nodiscard]] virtual Status link(Handle from, const std::string& name, Handle to,
                                    const std::string& new_name) = 0;
  [[nodiscard]] virtual Status rename(Handle from, const std::string& name, Handle to,
                                      const std::string& new_name) = 0;
  [[nodiscard]] virtual Status unlink(Handle directory, const std::string& name) = 0;

  /// Makes everything durable; it may still be in a log.
  [[nodiscard]] virtual Status sync() = 0;
  /// Brings everything to its final place and empties the log. A target without such a call does
  /// what its system offers.
  [[nodiscard]] virtual Status settle() = 0;
  /// Closes the target cleanly. The last call.
  [[nodiscard]] virtual Status close() { return ok(); }
};

/// Where the targets are, and how they work. A value.
struct TargetOptions {
  std::string kind;                         ///< "view", "image", "posix"
  std::string directory;                    ///< contains all files
  std::string delta = "delta";              ///< directory of a view's delta; made if it is missing
  std::uint64_t numbers_of_directory = 16;  ///< ViewOptions
  std::uint64_t names_of_reply = 128;       ///< of listings of a view
  std::uint64_t chunk_kib = 64;             ///< likewise
  bool may_freeze = false;  ///< "posix": the file system may be frozen: no other process uses it
  std::string below;  ///< "posix": a directory of the file system below a mount, synced with it
  bool drops_pages = false;  ///< "posix": settle() drops contents from the page cache
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
