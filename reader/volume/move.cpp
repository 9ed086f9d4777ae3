// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/volume/move.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "format/entry/mode.h"
#include "storage/name_lock.h"
#include "storage/names.h"

namespace dgfs::reader {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{4} << 20;
constexpr std::uint32_t kPermissionBits = 07777;

class VolumeMove {
 public:
  VolumeMove(storage::Env& env, const std::string& from, const std::string& to,
             const MoveOptions& options)
      : env_(env), from_(from), to_(to), options_(options) {}

  Result<MoveReport> run() {
    DGFS_TRY(from_directory, env_.open_directory(storage::parent_path(from_)));
    DGFS_TRY(to_directory, env_.open_directory(storage::parent_path(to_)));
    const auto name = storage::base_name(from_);
    const auto new_name = storage::base_name(to_);
    if (!storage::check_name(new_name, to_)) {
      return Error(ErrorKind::kInvalidArgument, 3293, "is not a file name")
          .in_file(to_.empty() ? "''" : to_);
    }
    DGFS_TRY(status, from_directory->status(name));
    if (!format::is_regular(status.mode)) {
      return Error(ErrorKind::kInvalidArgument, 3260, "is not a regular file").in_file(from_);
    }
    // Avoids a long copy in vain. The final naming does not replace a file either.
    if (to_directory->status(new_name)) {
      return Error(ErrorKind::kExists, 3261, "exists already").in_file(to_);
    }
    // Without the locks, this call could remove the new volume of a build that ends meanwhile.
    DGFS_TRY(locks, storage::lock_names(env_, {from_, to_}));
    locks_ = std::move(locks);
    // Fails between file systems, and on file systems without hard links.
    const auto linked = to_directory->make_link(*from_directory, name, new_name);
    if (!linked) {
      DGFS_CHECK(copy(status, *to_directory, new_name));
    }
    auto removed = to_directory->sync();
    if (removed) removed = check_still_there(*from_directory, name, status);
    if (removed) removed = from_directory->remove(name);
    if (!removed) {  // the old name stays; try to remove the new one
      static_cast<void>(to_directory->remove(new_name));
      return std::move(removed).assume_error();
    }
    // After a power cut both names may exist, which does no harm.
    static_cast<void>(from_directory->sync());
    report_.bytes = status.size_bytes;
    return report_;
  }

 private:
  [[nodiscard]] Status copy(const storage::FileStatus& status, storage::Directory& directory,
                            const std::string& name) {
    report_.is_copied = true;
    total_bytes_ = 2 * status.size_bytes;
    DGFS_TRY(source, env_.open(from_));
    DGFS_TRY(copy, directory.create_unnamed(name, status.mode & kPermissionBits));
    auto& content = copy->content();
    DGFS_CHECK(content.preallocate(0, status.size_bytes));
    DGFS_CHECK(copy_bytes(*source, content));
    // May fail: write access to the directories is enough to move a file of another owner.
    static_cast<void>(copy->set_owner(status.uid, status.gid));
    DGFS_CHECK(copy->set_mode(status.mode & kPermissionBits));
    DGFS_CHECK(copy->set_times(status.access_time, status.modify_time));
    DGFS_CHECK(content.sync());
    DGFS_CHECK(compare(*source, content));
    return copy->link();
  }

  /// Checks that the old name still belongs to the moved file.
  [[nodiscard]] Status check_still_there(const storage::Directory& directory,
                                         const std::string& name,
                                         const storage::FileStatus& moved) const {
    DGFS_TRY(status, directory.status(name));
    if (status.device == moved.device && status.inode == moved.inode) return ok();
    return Error(ErrorKind::kChanged, 3294, "was replaced meanwhile").in_file(from_);
  }

  [[nodiscard]] Status copy_bytes(const storage::File& source, storage::File& copy) {
    for (std::uint64_t at = 0;;) {
      DGFS_TRY(part, read_part(source, at, buffer_));
      if (part.empty()) return ok();
      DGFS_CHECK(copy.write_at(at, part));
      at += part.size();
      tell(part.size());
    }
  }

  /// Reads both files again from the devices, to find errors of reading and of writing.
  [[nodiscard]] Status compare(storage::File& source, storage::File& copy) {
    source.advise(storage::Access::kDontNeed, 0, 0);
    copy.advise(storage::Access::kDontNeed, 0, 0);
    Buffer other_buffer;
    for (std::uint64_t at = 0;;) {
      DGFS_TRY(part, read_part(source, at, buffer_));
      DGFS_TRY(other, read_part(copy, at, other_buffer));
      if (!std::ranges::equal(part, other)) {
        return Error(ErrorKind::kCorrupt, 3262, "the written copy reads back differently")
            .in_file(to_)
            .at_offset(at);
      }
      if (part.empty()) return ok();
      at += part.size();
      tell(part.size());
    }
  }

  /// Reads the next part, which is shorter only at the end of the file.
  [[nodiscard]] Result<Bytes> read_part(const storage::File& file, std::uint64_t at,
                                        Buffer& buffer) const {
    if (options_.stop != nullptr && options_.stop->load()) {
      return Error(ErrorKind::kInterrupted, 3263, "interrupted");
    }
    buffer.resize(kCopyBytes);
    DGFS_TRY(count, file.read_at(at, MutableBytes(buffer)));
    return Bytes(buffer).first(count);
  }

  void tell(std::size_t count) {
    done_bytes_ += count;
    if (options_.progress) options_.progress(done_bytes_, total_bytes_);
  }

  storage::Env& env_;
  const std::string& from_;
  const std::string& to_;
  const MoveOptions& options_;
  Buffer buffer_;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
  MoveReport report_;
  storage::NameLocks locks_;
};

}  // namespace

Result<MoveReport> move_volume_file(storage::Env& env, const std::string& from,
                                    const std::string& to, const MoveOptions& options) {
  return VolumeMove(env, from, to, options).run();
}

}  // namespace dgfs::reader
