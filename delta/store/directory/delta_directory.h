// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DeltaDirectory: the directory of a delta, which is a stack of stores over an image. The newest
// store is written to, the others are whole and are read alone.
//
//   DIR/MANIFEST   names image and stores; locked by whoever has the delta open
//   DIR/0001, ...  a store each
//   DIR/lock       locked while a delta is made
//   DIR/control    a socket, while it is mounted (delta/control/control.h)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "delta/store/directory/manifest.h"
#include "delta/store/store.h"

namespace dgfs::delta {

/// As thread-safe as the stores. Open once, in whatever process, or for reading alone any number of
/// times.
class DeltaDirectory {
 public:
  /// Makes the directory, its first store, and last of all its manifest, durably. A crash leaves a
  /// whole delta or none; a later create() replaces what the broken one has left.
  /// @param image        the delta belongs to it
  /// @param born_object  above every object number of the image; 0: nothing lies below
  /// @param options      parameters of the store
  /// @param chunk_bytes  of the chunks of contents, for ever; as is_chunk_length() wants it
  /// Errors: kInvalidArgument (such a length), kExists (there is a delta), kBusy (it is being
  /// made), kIo, kNoSpace.
  [[nodiscard]] static Status create(storage::Env& env, const std::string& directory,
                                     const format::Uuid& image, std::uint64_t born_object,
                                     const StoreOptions& options,
                                     std::uint64_t chunk_bytes = kChunkBytes);
  /// @param options  of each store; access: of the newest one, the others are only read. For
  ///                 reading alone nothing is written.
  /// Errors: kNotFound (no delta is there), kBusy (it is open already, unless all read alone),
  /// kCorrupt (stores are not those that the manifest names, too), kUnsupported; those of
  /// Store::open().
  [[nodiscard]] static Result<std::unique_ptr<DeltaDirectory>> open(storage::Env& env,
                                                                    const std::string& directory,
                                                                    const StoreOptions& options);
  /// Puts an empty store on the stack of a delta that is not open. The newest one is closed before,
  /// and only read from then on. A crash leaves the old stack or the new one.
  /// @param first_object  above every number that a store of the stack may have
  /// @param options       to open the store that is newest before, parameters of the next one
  /// Errors: kInvalidArgument (a number below that of the newest store), kLimit (too many stores);
  /// those of open().
  [[nodiscard]] static Status add_store(storage::Env& env, const std::string& directory,
                                        std::uint64_t first_object, const StoreOptions& options);

  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  /// From the oldest to the newest.
  [[nodiscard]] const std::vector<std::unique_ptr<Store>>& stores() const { return stores_; }
  /// Of the disk, that all stores but the newest have, whatever they have of it in use.
  [[nodiscard]] std::uint64_t sealed_bytes() const { return sealed_bytes_; }
  [[nodiscard]] Store& newest() const { return *stores_.back(); }
  /// Store::close() of the newest.
  [[nodiscard]] Status close() { return newest().close(); }

 private:
  DeltaDirectory(std::unique_ptr<storage::File> lock, Manifest manifest)
      : lock_(std::move(lock)), manifest_(std::move(manifest)) {}

  std::unique_ptr<storage::File> lock_;  ///< the manifest; closed last
  Manifest manifest_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::uint64_t sealed_bytes_ = 0;
};

/// The manifest of a delta, with its lock, shared for reading alone. Errors: those of
/// DeltaDirectory::open().
struct LockedManifest {
  std::unique_ptr<storage::File> file;
  Manifest manifest;
};
[[nodiscard]] Result<LockedManifest> lock_manifest(storage::Env& env, const std::string& directory,
                                                   StoreAccess access);
/// Whether a superblock is that of a store of a stack. Errors: kCorrupt, with file and field.
/// @param directory  of the delta
[[nodiscard]] Status check_stacked(const Superblock& superblock, const Manifest& manifest,
                                   std::size_t index, const std::string& directory);

}  // namespace dgfs::delta
