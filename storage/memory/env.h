// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A whole file system in memory, for tests and for tools that need none of the disk: directories,
// regular files with holes, links, devices, attributes, xattrs. It remembers what was synced, so
// that a crash (crash()) can drop the rest.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/env.h"
#include "storage/memory/crash_loss.h"

namespace dgfs::storage {

/// A file system in memory. Thread-safe; must outlive the files and directories opened in it.
class MemoryEnv : public Env {
 public:
  /// Replaces the state by what a power cut would leave. Content is durable once File::sync() has
  /// covered it, a name once Directory::sync(), sync_directory() or publish() has synced its
  /// directory (a rename within one directory is kept or lost as a whole); attributes always are.
  /// Files and directories opened before it fail every call with kIo afterwards.
  virtual void crash(CrashLoss loss, std::uint64_t seed) = 0;
  /// What a failed writeback does on Linux: what was written to the file since its last sync will
  /// not be durable, though reads see it until a crash, and later syncs succeed. kNotFound.
  [[nodiscard]] virtual Status lose_unsynced(const std::string& path) = 0;
  /// Moves the clock; it stands still otherwise.
  virtual void set_now(Time now) = 0;
  /// What variable() gives; nullopt unsets it.
  virtual void set_variable(const std::string& name, std::optional<std::string> value) = 0;
  /// Limits the bytes that files may hold in all, counted in pages of 4 KiB; writes beyond it give
  /// kNoSpace and store nothing.
  virtual void set_capacity(std::uint64_t bytes) = 0;
};

/// An empty file system with a root "/", owner 0:0, mode 0755, clock at 2000-01-01. Relative
/// paths start at the root. Thread-safe.
/// @param seed  drives random()
[[nodiscard]] std::unique_ptr<MemoryEnv> make_memory_env(std::uint64_t seed);

}  // namespace dgfs::storage
