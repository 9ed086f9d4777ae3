// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// DeltaDirectory: the directory of a delta, which is a stack of stores over an image. Only the
// newest store is written to.
//
//   DIR/MANIFEST   names image and stores; locked by the process that has the delta open
//   DIR/0001, ...  a store each
//   DIR/lock       locked while a process makes the delta
//   DIR/control    a socket, while the delta is mounted (delta/control/control.h)
//
// Only its owner has permissions for the directory and its files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "delta/store/directory/manifest.h"
#include "delta/store/directory/privacy.h"
#include "delta/store/store.h"

namespace dgfs::delta {

/// The manifest of a delta, with its lock. Moved, not copied.
struct LockedManifest {
  std::unique_ptr<storage::File> file;
  Manifest manifest;
  Privacy privacy;  ///< empty unless it was locked for writing
};

/// As thread-safe as the stores. One process at a time may have a delta open for writing; any
/// number may have it open for reading only.
class DeltaDirectory {
 public:
  /// Makes the directory, its first store, and then its manifest, durably. A crash leaves a whole
  /// delta or none; a later create() replaces the remains.
  /// @param image        that the delta belongs to
  /// @param born_object  above every object number of the image; 0: there is no lower layer
  /// @param options      parameters of the store
  /// @param chunk_bytes  length of the chunks of contents, fixed for ever; see is_chunk_length()
  /// Errors: kInvalidArgument (not a valid length), kExists (there is a delta), kBusy (another
  /// process makes it), kIo, kNoSpace.
  [[nodiscard]] static Status create(storage::Env& env, const std::string& directory,
                                     const format::Uuid& image, std::uint64_t born_object,
                                     const StoreOptions& options,
                                     std::uint64_t chunk_bytes = kChunkBytes);
  /// @param options  of each store. `access` is that of the newest one; the others are only read.
  ///                 For kReadOnly nothing is written. `max_bytes` caps all stores together.
  /// Errors: kNotFound (no delta is there), kBusy (already open, unless all open it for reading
  /// only), kCorrupt (also if stores are not those in the manifest), kUnsupported; those of
  /// Store::open().
  [[nodiscard]] static Result<std::unique_ptr<DeltaDirectory>> open(storage::Env& env,
                                                                    const std::string& directory,
                                                                    const StoreOptions& options);
  /// Puts an empty store on the stack of a delta that is not open. First it closes the newest
  /// store, which is only read from then on. A crash leaves the old stack or the new one.
  /// @param first_object  above every object number that a store of the stack may have
  /// @param options       for opening the store that is newest now, and parameters of the new one
  /// Errors: kInvalidArgument (`first_object` is below the born object of the newest store), kLimit
  /// (too many stores, or no higher number); those of open().
  [[nodiscard]] static Status add_store(storage::Env& env, const std::string& directory,
                                        std::uint64_t first_object, const StoreOptions& options);

  /// Store::start() of each store. Errors: those of it.
  [[nodiscard]] Status start();
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  /// The modes that the opening has changed, so that only the owner has permissions.
  [[nodiscard]] const Privacy& privacy() const { return privacy_; }
  /// From the oldest to the newest.
  [[nodiscard]] const std::vector<std::unique_ptr<Store>>& stores() const { return stores_; }
  /// Bytes of the disk that all stores but the newest take, with their free space.
  [[nodiscard]] std::uint64_t sealed_bytes() const { return sealed_bytes_; }
  [[nodiscard]] Store& newest() const { return *stores_.back(); }
  /// Store::close() of the newest.
  [[nodiscard]] Status close() { return newest().close(); }

 private:
  explicit DeltaDirectory(LockedManifest locked)
      : lock_(std::move(locked.file)),
        manifest_(std::move(locked.manifest)),
        privacy_(std::move(locked.privacy)) {}

  std::unique_ptr<storage::File> lock_;  ///< the manifest; closed last
  Manifest manifest_;
  Privacy privacy_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::uint64_t sealed_bytes_ = 0;
};

/// Locks and reads the manifest of a delta; kReadOnly takes a shared lock. For kReadWrite it mends
/// the manifest, and makes the delta private. Errors: those of DeltaDirectory::open().
[[nodiscard]] Result<LockedManifest> lock_manifest(storage::Env& env, const std::string& directory,
                                                   StoreAccess access);
/// Checks that a superblock belongs to the store of number `index` in the stack. Errors: kCorrupt,
/// with file and field.
/// @param directory  of the delta
[[nodiscard]] Status check_stacked(const Superblock& superblock, const Manifest& manifest,
                                   std::size_t index, const std::string& directory);

}  // namespace dgfs::delta
