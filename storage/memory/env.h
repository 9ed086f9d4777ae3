// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A whole file system in memory, for tests and for tools that need no disk: directories, regular
// files with holes, links, devices, attributes, xattrs. It knows which changes were synced, so that
// crash() can drop the others.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/env.h"
#include "storage/memory/crash_loss.h"

namespace dgfs::storage {

/// A file system in memory. Thread-safe; must outlive the files and directories opened in it.
class MemoryEnv : public Env {
 public:
  /// Replaces the state by one that a power cut could leave. Content is durable once File::sync()
  /// has covered it. A name is durable once Directory::sync(), sync_directory() or publish() has
  /// synced its directory. A rename within one directory is kept or lost as a whole. Attributes are
  /// always durable. Files and directories opened before the crash fail every later call with kIo.
  virtual void crash(CrashLoss loss, std::uint64_t seed) = 0;
  /// The disk as it is now, once more: with the same files, all of them durable and none open.
  /// Copies all contents.
  [[nodiscard]] virtual std::unique_ptr<MemoryEnv> snapshot() const = 0;
  /// Does what a failed writeback does on Linux: bytes written to the file since its last sync will
  /// not become durable, though reads see them until a crash and later syncs succeed. kNotFound.
  [[nodiscard]] virtual Status lose_unsynced(const std::string& path) = 0;
  /// Sets the clock, which otherwise stands still.
  virtual void set_now(Time now) = 0;
  /// Sets the result of variable(); nullopt unsets the variable.
  virtual void set_variable(const std::string& name, std::optional<std::string> value) = 0;
  /// Limits the bytes that all files together may hold, counted in pages of 4 KiB. Writes beyond
  /// the limit give kNoSpace and store nothing.
  virtual void set_capacity(std::uint64_t bytes) = 0;
};

/// An empty file system with a root "/", owner 0:0, mode 0755, clock at 2000-01-01. Relative paths
/// start at the root. Thread-safe.
/// @param seed  of the generator behind random()
[[nodiscard]] std::unique_ptr<MemoryEnv> make_memory_env(std::uint64_t seed);

}  // namespace dgfs::storage
