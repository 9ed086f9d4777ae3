// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/publisher.h"

#include <array>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include "format/limits.h"
#include "format/mode.h"
#include "format/superblock.h"
#include "format/volume_header.h"
#include "storage/names.h"

namespace dgfs::builder {
namespace {

// Failures of clean-up cannot be helped: the result stands, a hidden name stays.
void quietly(const std::function<void()>& clean_up) {
  try {
    clean_up();
  } catch (const std::bad_alloc&) {
  }
}

// Undoes steps in reverse order unless told that all went well. What undoes a step is added before
// the step is made, for memory may end between them; so it must do no harm where it was not made.
class Rollback {
 public:
  ~Rollback() {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) quietly(*step);
  }
  void add(std::function<void()> step) { steps_.push_back(std::move(step)); }
  void commit() { steps_.clear(); }

 private:
  std::vector<std::function<void()>> steps_;
};

std::string fresh_name(storage::Env& env, const std::string& path, std::string_view suffix) {
  std::array<std::uint8_t, 5> random{};
  env.random(random);
  return storage::hidden_name(storage::base_name(path), random, suffix);
}

std::string beside(const std::string& path, const std::string& name) {
  return storage::join_path(storage::parent_path(path), name);
}

void remove_quietly(storage::Env& env, const std::string& path) {
  quietly([&] { static_cast<void>(env.remove(path)); });
}

Result<bool> exists(const storage::Env& env, const std::string& path) {
  const auto status = env.status(path);
  if (status) return true;
  if (status.error().kind() == ErrorKind::kNotFound) return false;
  return status.error();
}

Result<Buffer> first_page(storage::Env& env, const std::string& path) {
  DGFS_TRY(file, env.open(path));
  Buffer page(format::kPageBytes);
  DGFS_CHECK(storage::read_exactly(*file, 0, page));
  return page;
}

// Whatever cannot be read or is something else is left alone.
bool is_index_of(storage::Env& env, const std::string& index_path, const std::string& image_path) {
  const auto index = first_page(env, index_path);
  const auto image = first_page(env, image_path);
  if (!index || !image) return false;
  const auto superblock = format::decode_superblock(index.value());
  const auto header = format::decode_volume_header(image.value());
  return superblock && header && superblock.value().uuid == header.value().image_uuid;
}

class Publisher {
 public:
  Publisher(storage::Env& env, const Publication& publication)
      : env_(env), publication_(publication) {}

  Status run();

 private:
  Status stage_index();
  Status keep_old_image();
  Status set_aside(const std::string& path);
  Status switch_image();
  Status switch_index();

  storage::Env& env_;
  const Publication& publication_;
  std::string new_index_;                 ///< hidden path
  std::string old_image_;                 ///< hidden path, empty if there was none
  bool is_old_linked_ = false;            ///< it has that name already, beside its own
  std::vector<std::string> old_indexes_;  ///< hidden paths
  Rollback rollback_;
};

Status Publisher::run() {
  const bool has_index = publication_.index != nullptr;
  const std::string& other_index = publication_.default_index_path;
  const bool is_other_old = other_index != publication_.index_path &&
                            is_index_of(env_, other_index, publication_.image_path);
  // One name changes, which is atomic by itself.
  if (!has_index && !is_other_old) {
    return env_.publish(*publication_.image, publication_.image_path);
  }
  // Slow, so it comes before anything has a name that a kill would leave.
  DGFS_CHECK(publication_.image->sync());
  if (has_index) {
    DGFS_CHECK(stage_index());
  }
  DGFS_CHECK(keep_old_image());
  if (has_index) {
    DGFS_CHECK(set_aside(publication_.index_path));
  }
  if (is_other_old) {
    DGFS_CHECK(set_aside(other_index));
  }
  DGFS_CHECK(switch_image());
  if (has_index) {
    DGFS_CHECK(switch_index());
  }
  rollback_.commit();
  if (!old_image_.empty()) remove_quietly(env_, old_image_);
  for (const std::string& path : old_indexes_) remove_quietly(env_, path);
  return ok();
}

Status Publisher::stage_index() {
  const std::string& path = publication_.index_path;
  new_index_ = beside(path, fresh_name(env_, path, "new"));
  rollback_.add([this] { remove_quietly(env_, new_index_); });
  return env_.publish(*publication_.index, new_index_);
}

Status Publisher::keep_old_image() {
  const std::string& path = publication_.image_path;
  DGFS_TRY(there, exists(env_, path));
  if (!there) return ok();
  DGFS_TRY(directory, env_.open_directory(storage::parent_path(path)));
  const std::string name = fresh_name(env_, path, "old");
  old_image_ = beside(path, name);
  rollback_.add([this] {
    if (is_old_linked_) remove_quietly(env_, old_image_);
  });
  // Where the file system has no hard links, switching renames it instead.
  is_old_linked_ = directory->make_link(*directory, storage::base_name(path), name).has_value();
  return ok();
}

Status Publisher::set_aside(const std::string& path) {
  DGFS_TRY(there, exists(env_, path));
  if (!there) return ok();
  const std::string hidden = beside(path, fresh_name(env_, path, "old"));
  old_indexes_.push_back(hidden);
  rollback_.add([this, path, hidden] { static_cast<void>(env_.rename(hidden, path)); });
  return env_.rename(path, hidden);
}

Status Publisher::switch_image() {
  const std::string& path = publication_.image_path;
  // publish() may fail after its rename, when the directory cannot be synced.
  rollback_.add([this, &path] {
    if (old_image_.empty()) return remove_quietly(env_, path);
    // Both names of one file: a rename would do nothing and leave the hidden one.
    static_cast<void>(env_.rename(old_image_, path));
  });
  if (!old_image_.empty() && !is_old_linked_) {
    DGFS_CHECK(env_.rename(path, old_image_));
  }
  return env_.publish(*publication_.image, path);
}

Status Publisher::switch_index() {
  const std::string& path = publication_.index_path;
  rollback_.add([this, &path] { static_cast<void>(env_.rename(path, new_index_)); });
  DGFS_CHECK(env_.rename(new_index_, path));
  return env_.sync_directory(storage::parent_path(path));
}

}  // namespace

Status publish(storage::Env& env, const Publication& publication) {
  return Publisher(env, publication).run();
}

Result<std::optional<storage::FileStatus>> check_output_path(storage::Env& env,
                                                             const std::string& path) {
  DGFS_CHECK(storage::check_name(storage::base_name(path), storage::parent_path(path)));
  DGFS_TRY(directory, env.open_directory(storage::parent_path(path)));
  auto status = directory->status(storage::base_name(path));
  if (!status && status.error().kind() == ErrorKind::kNotFound) return std::nullopt;
  if (!status) return std::move(status).error();
  const std::uint32_t mode = status.value().mode;
  if (format::is_regular(mode)) return status.value();
  if (format::is_directory(mode)) {
    return Error(ErrorKind::kIsDirectory, 4080, "is a directory").in_file(path);
  }
  // To put a file in the place of a device would take the device away from everybody; in that of
  // a link (/dev/stdout, for one), the link.
  return Error(ErrorKind::kExists, 4081, "is there and is not a regular file").in_file(path);
}

}  // namespace dgfs::builder
