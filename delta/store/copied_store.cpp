// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/copied_store.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "format/checksum.h"
#include "format/coding.h"
#include "storage/original_file.h"

namespace dgfs::delta {
namespace {

constexpr std::array<const char*, 4> kOtherFiles = {"log.0", "log.1", "blocks", "extents"};
// Of a sealed store the other ones are these, too.
constexpr std::array<const char*, 2> kTimedFiles = {"blocks", "extents"};
constexpr const char* kRemedy =
    "; copy the delta again once 'dgfs delta wait' says that it is closed, or keep what this copy "
    "has with 'dgfs delta repair'";

Error torn(std::uint16_t code, const std::string& directory, std::string reason) {
  return Error(ErrorKind::kChanged, code,
               "is a copy that was taken while a process had the delta open for writing: " +
                   std::move(reason) + kRemedy)
      .in_file(directory);
}

// A closed store has no group behind the end of its log; one that was opened again may have.
Result<bool> has_groups(storage::Env& env, const std::string& directory,
                        const Superblock& superblock) {
  if (superblock.sealed) return false;
  DGFS_TRY(log, Log::open(env, directory, superblock.parameters.segment_bytes, superblock.store,
                          storage::OpenOptions::Mode::kRead));
  bool has_any = false;
  const auto replayed = log->replay(superblock.log, [&](const Run&, std::uint64_t) {
    has_any = true;
    return ok();
  });
  if (!replayed && replayed.error().kind() != ErrorKind::kCorrupt) return replayed.error();
  return has_any || !replayed;
}

Result<bool> have_time(storage::Env& env, const std::string& directory, std::uint64_t closed_at) {
  if (closed_at == 0) return false;
  const Time time{static_cast<std::int64_t>(closed_at), 0};
  for (const char* name : kTimedFiles) {
    DGFS_TRY(status, env.status(directory + "/" + name));
    if (status.modify_time != time) return false;
  }
  return true;
}

Result<std::uint64_t> identity_with(storage::Env& env, const std::string& directory,
                                    storage::File& superblocks,
                                    std::span<const char* const> others) {
  std::vector<std::unique_ptr<storage::File>> files;
  std::vector<storage::File*> all{&superblocks};
  for (const char* name : others) {
    DGFS_TRY(file, env.open(directory + "/" + name));
    all.push_back(file.get());
    files.push_back(std::move(file));
  }
  return store_identity(all);
}

}  // namespace

std::uint64_t store_identity(std::span<storage::File* const> files) {
  Buffer bytes;
  format::Encoder out(bytes);
  for (const storage::File* file : files) {
    const auto identity = storage::identity_of(*file);
    if (!identity) return 0;
    out.fixed(identity->inode);
    out.fixed(static_cast<std::uint64_t>(identity->birth.seconds));
    out.fixed(identity->birth.nanoseconds);
  }
  return std::max<std::uint64_t>(1, format::checksum64(bytes));
}

Result<std::uint64_t> identity_beside(storage::Env& env, const std::string& directory,
                                      storage::File& superblocks) {
  return identity_with(env, directory, superblocks, kOtherFiles);
}

Result<std::uint64_t> read_store_identity(storage::Env& env, const std::string& directory,
                                          const Superblock& superblock) {
  DGFS_TRY(superblocks, env.open(directory + "/store"));
  return superblock.sealed ? identity_with(env, directory, *superblocks, kTimedFiles)
                           : identity_with(env, directory, *superblocks, kOtherFiles);
}

Result<Origin> origin_of(storage::Env& env, const std::string& directory,
                         const Superblock& superblock, std::uint64_t identity) {
  if (!is_copy(superblock, identity)) return Origin::kOwn;
  if (!superblock.log.is_end) {
    return torn(7440, directory + "/store", "its files may be of different moments");
  }
  DGFS_TRY(has_more, has_groups(env, directory, superblock));
  if (has_more) {
    return torn(7441, directory + "/store", "its log is newer than the rest");
  }
  DGFS_TRY(is_whole, have_time(env, directory, superblock.closed_at));
  return is_whole ? Origin::kWhole : Origin::kUnproven;
}

Result<Origin> read_origin(storage::Env& env, const std::string& directory,
                           const Superblock& superblock) {
  DGFS_TRY(identity, read_store_identity(env, directory, superblock));
  return origin_of(env, directory, superblock, identity);
}

Error torn_copy(const std::string& directory, const Error& damage) {
  return torn(7442, directory, damage.message());
}

// Without the time the store is as good; only its copies take longer to open.
void note_closed(storage::Env& env, const std::string& directory, std::uint64_t closed_at) {
  const auto files = env.open_directory(directory);
  if (!files) return;
  const Time time{static_cast<std::int64_t>(closed_at), 0};
  for (const char* name : kTimedFiles) {
    static_cast<void>(files.value()->set_times(name, std::nullopt, time));
  }
}

}  // namespace dgfs::delta
