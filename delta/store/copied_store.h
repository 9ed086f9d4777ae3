// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Recognises a copy of a store by its files, and refuses one that was taken while a process had the
// store open for writing: files copied one after the other are of different moments. A crash, a
// snapshot of the disk and a clone of the disk leave the files the same, so they are no copies.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "delta/store/log/superblock.h"
#include "storage/env.h"

namespace dgfs::delta {

/// One number for the identities of the files of a store: superblocks, log.0, log.1, blocks,
/// extents; of a sealed one, which has no log, superblocks, blocks, extents. 0: one of them has
/// none (storage::identity_of()).
[[nodiscard]] std::uint64_t store_identity(std::span<storage::File* const> files);
/// The same for a new store, which has no superblocks under their name yet. Errors: kIo, kNotFound,
/// kPermission.
/// @param superblocks  their file
[[nodiscard]] Result<std::uint64_t> identity_beside(storage::Env& env, const std::string& directory,
                                                    storage::File& superblocks);
/// The same for the files of a store that is not open. Errors: kIo, kNotFound, kPermission.
[[nodiscard]] Result<std::uint64_t> read_store_identity(storage::Env& env,
                                                        const std::string& directory,
                                                        const Superblock& superblock);
/// Whether the store of this identity is a copy of the one that wrote the superblock.
[[nodiscard]] constexpr bool is_copy(const Superblock& superblock, std::uint64_t identity) {
  return superblock.identity != 0 && superblock.identity != identity;
}

/// How far the files of a store belong together.
enum class Origin : std::uint8_t {
  kOwn,    ///< they are the files of the superblock; or it does not say
  kWhole,  ///< a copy, each file of which was copied after the store had been closed
  /// A copy of a closed store, which may lack blocks or values that were written last.
  /// check_store() tells, since each of them has a checksum.
  kUnproven,
};

/// Tells the origin of a store, whose newest superblock and identity are given. Reads attributes of
/// two files and, of a copy, the first pages of the log. Errors: kChanged (a copy that was taken
/// while a process had the store open for writing), kIo, kNotFound.
[[nodiscard]] Result<Origin> origin_of(storage::Env& env, const std::string& directory,
                                       const Superblock& superblock, std::uint64_t identity);

/// The same for a store that is not open. Errors: those of both.
[[nodiscard]] Result<Origin> read_origin(storage::Env& env, const std::string& directory,
                                         const Superblock& superblock);

/// The refusal of a copy whose check has found damage, or whose stores do not belong together.
[[nodiscard]] Error torn_copy(const std::string& directory, const Error& damage);

/// Gives the files of blocks and large values the time of Superblock::closed_at, after the last
/// write to them. Without it, copies of the store are read completely when they are first opened.
void note_closed(storage::Env& env, const std::string& directory, std::uint64_t closed_at);

}  // namespace dgfs::delta
