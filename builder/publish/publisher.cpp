// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/publish/publisher.h"

#include <array>
#include <functional>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "builder/publish/output_paths.h"
#include "builder/spool/append_file.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/limits.h"
#include "storage/names.h"

namespace dgfs::builder {
namespace {

// Ignores failures of a clean-up: the result stands, and only a hidden name stays behind.
void quietly(const std::function<void()>& clean_up) {
  try {
    clean_up();
  } catch (const std::bad_alloc&) {
  }
}

// Undoes steps in reverse order, unless commit() is called. The undo function is added before the
// step, because an allocation may fail between the two. So it must do no harm if the step was not
// made.
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

bool is_failed_look(const Error& error) {
  return error.kind() == ErrorKind::kIo || error.kind() == ErrorKind::kPermission;
}

// Whether the file is the index of the image. Other files stay; but an index of the old image must
// be found, because readers would refuse it beside the new image. So a failed read is an error.
Result<bool> is_index_of(storage::Env& env, const std::string& index_path,
                         const std::string& image_path) {
  auto index = first_page(env, index_path);
  auto image = first_page(env, image_path);
  if (!index && is_failed_look(index.error())) return std::move(index).error();
  if (!image && is_failed_look(image.error())) return std::move(image).error();
  if (!index || !image) return false;
  const auto superblock = format::decode_superblock(index.value());
  const auto header = format::decode_volume_header(image.value());
  return superblock && header && superblock.value().uuid == header.value().image_uuid;
}

// An output, and the old file at its path.
struct Replacement {
  Publication::Output output;
  std::string new_path;        ///< hidden; empty if the output is published directly
  std::string old_path;        ///< hidden; empty if there was no old file
  bool is_old_linked = false;  ///< the old file has both names
};

class Publisher {
 public:
  Publisher(storage::Env& env, const Publication& publication);

  Status run();

 private:
  Status sync_all();
  Status check_again();
  Status stage(const Publication::Output& output, std::string& hidden);
  Status keep_old(Replacement& output);
  Status set_aside(const std::string& path);
  Status switch_image();
  Status switch_index();
  Status switch_volume(Replacement& volume);
  Status make_way(const Replacement& output);
  Status sync_directories();
  void remove_old();

  storage::Env& env_;
  const Publication& publication_;
  Replacement image_;
  std::vector<Replacement> volumes_;      ///< never resized: undo functions refer to elements
  std::string new_index_;                 ///< hidden path
  std::vector<std::string> old_indexes_;  ///< hidden paths
  Rollback rollback_;
};

Publisher::Publisher(storage::Env& env, const Publication& publication)
    : env_(env), publication_(publication), image_{publication.image, {}, {}} {
  for (const auto& volume : publication.volumes) volumes_.push_back({volume, {}, {}});
}

Status Publisher::run() {
  const bool has_index = publication_.index != nullptr;
  const std::string& other_index = publication_.default_index_path;
  bool is_other_old = false;
  if (other_index != publication_.index_path) {
    DGFS_TRY(is_old, is_index_of(env_, other_index, image_.output.path));
    is_other_old = is_old;
  }
  DGFS_CHECK(sync_all());
  // Only one name changes, which is atomic by itself.
  if (!has_index && !is_other_old && volumes_.empty()) {
    DGFS_CHECK(check_again());
    return env_.publish(*image_.output.file, image_.output.path, publication_.mode);
  }
  if (has_index) {
    DGFS_CHECK(stage({publication_.index, publication_.index_path}, new_index_));
  }
  for (Replacement& volume : volumes_) {
    DGFS_CHECK(stage(volume.output, volume.new_path));
  }
  DGFS_CHECK(check_again());
  DGFS_CHECK(keep_old(image_));
  for (Replacement& volume : volumes_) {
    DGFS_CHECK(keep_old(volume));
  }
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
  for (Replacement& volume : volumes_) {
    DGFS_CHECK(switch_volume(volume));
  }
  DGFS_CHECK(sync_directories());
  rollback_.commit();
  remove_old();
  return ok();
}

// The slow step comes first, while a killed process would leave no hidden names.
Status Publisher::sync_all() {
  DGFS_CHECK(image_.output.file->sync());
  if (publication_.index != nullptr) {
    DGFS_CHECK(with_path(publication_.index->sync(), publication_.index_path));
  }
  for (const Replacement& volume : volumes_) {
    DGFS_CHECK(with_path(volume.output.file->sync(), volume.output.path));
  }
  return ok();
}

// Checks the output paths again, because other files may have come there since the build began.
Status Publisher::check_again() {
  const std::string& image_path = image_.output.path;
  const bool force = publication_.force;
  DGFS_CHECK(check_output_path(env_, image_path));
  DGFS_CHECK(check_replaced(env_, image_path, OutputRole::kImage, image_path, force));
  for (const Replacement& volume : volumes_) {
    DGFS_CHECK(check_output_path(env_, volume.output.path));
    DGFS_CHECK(check_replaced(env_, volume.output.path, OutputRole::kVolume, image_path, force));
  }
  if (publication_.index == nullptr) return ok();
  const std::string& index_path = publication_.index_path;
  DGFS_CHECK(check_output_path(env_, index_path));
  return check_replaced(env_, index_path, OutputRole::kIndex, image_path, force);
}

Status Publisher::stage(const Publication::Output& output, std::string& hidden) {
  hidden = beside(output.path, fresh_name(env_, output.path, "new"));
  rollback_.add([this, &hidden] { remove_quietly(env_, hidden); });
  return env_.publish(*output.file, hidden, publication_.mode);
}

Status Publisher::keep_old(Replacement& output) {
  const std::string& path = output.output.path;
  DGFS_TRY(there, exists(env_, path));
  if (!there) return ok();
  DGFS_TRY(directory, env_.open_directory(storage::parent_path(path)));
  const std::string name = fresh_name(env_, path, "old");
  output.old_path = beside(path, name);
  rollback_.add([this, &output] {
    if (output.is_old_linked) remove_quietly(env_, output.old_path);
  });
  // Without hard links, make_way() renames the old file later.
  output.is_old_linked =
      directory->make_link(*directory, storage::base_name(path), name).has_value();
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
  const std::string& path = image_.output.path;
  // publish() may fail after its rename, when the directory cannot be synced.
  rollback_.add([this, &path] {
    if (image_.old_path.empty()) {
      remove_quietly(env_, path);
    } else {
      // If both are names of one file, the rename does nothing, and keep_old()'s step removes the
      // hidden name.
      static_cast<void>(env_.rename(image_.old_path, path));
    }
    // The next steps remove the new volumes. Sync first, so that no power cut brings the new image
    // back without them.
    if (!volumes_.empty()) static_cast<void>(env_.sync_directory(storage::parent_path(path)));
  });
  DGFS_CHECK(make_way(image_));
  return env_.publish(*image_.output.file, path, publication_.mode);
}

Status Publisher::make_way(const Replacement& output) {
  if (output.old_path.empty() || output.is_old_linked) return ok();
  return env_.rename(output.output.path, output.old_path);
}

Status Publisher::switch_index() {
  const std::string& path = publication_.index_path;
  rollback_.add([this, &path] { static_cast<void>(env_.rename(path, new_index_)); });
  DGFS_CHECK(env_.rename(new_index_, path));
  return env_.sync_directory(storage::parent_path(path));
}

Status Publisher::switch_volume(Replacement& volume) {
  const std::string& path = volume.output.path;
  // The new image may still have its name when this step is undone. So its volume first goes back
  // to the hidden name, where readers find it, and then the old volume takes the path.
  rollback_.add([this, &volume, &path] {
    const auto is_staged = exists(env_, volume.new_path);
    if (is_staged && !is_staged.value()) static_cast<void>(env_.rename(path, volume.new_path));
    if (!volume.old_path.empty()) static_cast<void>(env_.rename(volume.old_path, path));
  });
  DGFS_CHECK(make_way(volume));
  return env_.rename(volume.new_path, path);
}

Status Publisher::sync_directories() {
  std::set<std::string> directories;
  for (const Replacement& volume : volumes_) {
    directories.insert(storage::parent_path(volume.output.path));
  }
  for (const std::string& directory : directories) {
    DGFS_CHECK(env_.sync_directory(directory));
  }
  return ok();
}

void Publisher::remove_old() {
  for (const Replacement& volume : volumes_) {
    if (!volume.old_path.empty()) remove_quietly(env_, volume.old_path);
  }
  if (!image_.old_path.empty()) remove_quietly(env_, image_.old_path);
  for (const std::string& path : old_indexes_) remove_quietly(env_, path);
}

}  // namespace

Status publish(storage::Env& env, const Publication& publication) {
  return Publisher(env, publication).run();
}

}  // namespace dgfs::builder
