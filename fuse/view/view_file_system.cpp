// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/view_file_system.h"

#include <algorithm>
#include <exception>

#include "delta/store/directory/states.h"
#include "format/entry/access_list.h"
#include "format/entry/mode.h"
#include "fuse/connection.h"
#include "fuse/image/overridden_list.h"
#include "fuse/statistics/image_statistics.h"
#include "fuse/view/merge_answer.h"
#include "fuse/view/view_attributes.h"
#include "fuse/view/view_operations.h"
#include "storage/fuse/fuse_channel.h"

namespace dgfs::fuse {
namespace {

// What a merge takes of memory=, in addition to it, and the least that it works with.
constexpr std::size_t kMergeShare = 8;
constexpr std::size_t kMergeBytesMin = std::size_t{32} << 20;

}  // namespace

fuse_lowlevel_ops ViewFileSystem::operations() const {
  fuse_lowlevel_ops operations{};
  add_object_operations(operations);
  add_name_operations(operations);
  add_view_content_operations(operations);
  add_view_directory_operations(operations);
  add_view_xattr_operations(operations);
  return operations;
}

std::uint64_t ViewFileSystem::end_of_image(const view::View& view,
                                           const delta::DeltaDirectory& delta) {
  const auto& base = delta.manifest().base;
  return base ? base->end_of_image : view.image()->superblock().next_inode;
}

Status ViewFileSystem::start(Service& service, fuse_session& session, unsigned) {
  session_ = &session;
  service_ = &service;
  walks.start();
  DGFS_CHECK(delta_.start());
  if (serving_.is_read_only) return ok();  // other processes may have the delta open as well
  static_cast<void>(delta_.note_image(serving_.image_path));  // the mount does not need it
  schedule_ =
      std::make_unique<SealSchedule>(service.env, view, delta_, serving_.image_path, serving_.seals,
                                     [&log = service.log](const Error& error) { log.warn(error); });
  DGFS_CHECK(schedule_->start());
  merge::LiveMergeOptions merges;
  merges.directory = serving_.delta_path;
  merges.image_path = serving_.merges.image_path;
  merges.own_image_path = serving_.image_path;
  merges.volume_paths = serving_.merges.base.volume_paths;
  merges.base = serving_.merges.base;
  merges.memory_bytes = std::max(serving_.merges.memory_bytes / kMergeShare, kMergeBytesMin);
  merges.bytes_per_second = serving_.merges.rate;
  merges.others_work = [&requests = counters] { return requests.under_way() != 0; };
  merges.tell = [&log = service.log](const std::string& text) { log.info("merge: " + text); };
  merges.slot = &slot_;
  merge::LiveJoinOptions joins;
  joins.directory = serving_.delta_path;
  joins.memory_bytes = merges.memory_bytes;
  joins.bytes_per_second = merges.bytes_per_second;
  joins.others_work = merges.others_work;
  joins.tell = [&log = service.log](const std::string& text) { log.info("layers: " + text); };
  joins.slot = &slot_;
  join_ = std::make_unique<merge::LiveJoin>(service.env, view, delta_, std::move(joins));
  DGFS_CHECK(join_->start());
  control_.join_by(join_.get());
  merge_ = std::make_unique<merge::LiveMerge>(service.env, view, delta_, std::move(merges));
  merge_schedule_ =
      std::make_unique<MergeSchedule>(service.env, *merge_, delta_, serving_.merges.bytes);
  DGFS_CHECK(merge_schedule_->start());
  control_.merge_by(merge_.get());
  return control_.start(
      service, [device = fuse_session_fd(&session)] { return storage::is_fuse_connected(device); });
}

void ViewFileSystem::stop() noexcept {
  schedule_ = nullptr;
  merge_schedule_ = nullptr;
  service_ = nullptr;
  control_.say_closing();
  join_ = nullptr;
  merge_ = nullptr;
}

void ViewFileSystem::start_connection(fuse_conn_info& connection) noexcept {
  const unsigned writeback = serving_.writes_back ? FUSE_CAP_WRITEBACK_CACHE : 0U;
  // With overrides, lists have no effect.
  const unsigned acls = overrides.any() ? 0U : FUSE_CAP_POSIX_ACL;
  const unsigned direct = serving_.is_read_only ? FUSE_CAP_ASYNC_DIO : 0U;
  set_up_connection(connection, FUSE_CAP_DONT_MASK | acls | direct | writeback,
                    serving_.max_read_bytes);
  opens_unanswered_ = leaves_opens_unanswered(connection);
  connection.time_gran = 1;
}

Result<std::string> ViewFileSystem::path_of(std::uint64_t inode) const {
  DGFS_TRY(paths, view.paths(inode));
  if (paths.empty()) return Error(ErrorKind::kNotFound, 5040, "the object has no name");
  return std::move(paths.front());
}

void ViewFileSystem::add_statistics(JsonObject& statistics) const {
  const auto space = view.space();
  const auto store = delta_.newest_store()->counters();
  const auto manifest = delta_.present_manifest();
  const auto closing = view.closing_state();
  statistics.add("written_bytes", counters.written_bytes())
      .add("known_objects", known.size())
      .add("listings", JsonObject()
                           .add("bare_names", counters.bare_names())
                           .add("dropped", counters.dropped_listings()))
      .add("delta",
           JsonObject()
               .add("path", serving_.delta_path)
               .add("read_only", serving_.is_read_only)
               .add("stores", manifest.stores.size())
               .add("newest_state", delta::state_title(manifest, delta::layers_of(manifest)))
               .add("layer_is_closing", !closing)
               .add_raw("base", manifest.base ? base_text(*manifest.base, *view.image()) : "null")
               .add_raw("join", join_ ? join_state_text(join_->status()) : "null")
               .add_raw("merge", merge_ ? merge_state_text(merge_->status()) : "null")
               .add("unclosed_layer", closing && !*closing ? closing->error().message() : "")
               .add("used_bytes", space.used_bytes)
               .add("free_bytes", space.free_bytes)
               .add("reserved_bytes", space.reserved_bytes)
               .add("max_bytes", space.max_bytes)
               .add("log_bytes", store.log_bytes)
               .add("block_bytes", store.block_bytes)
               .add("value_bytes", store.value_bytes)
               .add("moved_bytes", store.moved_bytes)
               .add("checkpoints", store.checkpoints)
               .add("held_bytes", store.held_bytes)
               .add("log_wait_ns", store.log_wait_ns)
               .add("tree_wait_ns", store.tree_wait_ns)
               .add("space_wait_ns", store.space_wait_ns));
  add_image_statistics(statistics, *view.image());
}

Result<struct stat> ViewFileSystem::stat_of(view::ObjectNumber object,
                                            const view::Attributes& attributes) const {
  auto told = to_stat(object, attributes);
  if (!overrides.any()) return told;
  // With umask=, permissions do not come from the object at all.
  if (!overrides.umask && !format::is_symlink(told.st_mode)) {
    const auto list = view.xattr(object, format::kAccessListXattr);
    if (list) {
      told.st_mode = mode_without_list(told.st_mode, list.value());
    } else if (list.error().kind() != ErrorKind::kNoAttribute) {
      return list.error();
    }
  }
  override_attributes(told, overrides);
  return told;
}

Result<fuse_entry_param> ViewFileSystem::entry_of(const view::Entry& entry) const {
  DGFS_TRY(attributes, stat_of(entry.object, entry.attributes));
  auto told = to_entry(entry);
  told.attr = attributes;
  told.generation = generations_.of(entry.object);
  return told;
}

void ViewFileSystem::forget(std::uint64_t inode, std::uint64_t count) noexcept {
  if (known.remove(inode, count)) release(inode);
}

// If a full disk or a damaged record prevents ending an object now, the next opening of the delta
// ends it: its mark stays.
void ViewFileSystem::release(std::uint64_t inode) noexcept {
  try {
    const auto released = view.release(inode);
    if (!released && service_ != nullptr) service_->log.warn(released.error());
  } catch (const std::exception&) {
    // No memory, not even for the line in the log.
  }
}

// If the kernel does not know the object, it has nothing to forget, which is no error.
void ViewFileSystem::forget_attributes(std::uint64_t inode) noexcept {
  constexpr off_t kAttributesAlone = -1;
  static_cast<void>(fuse_lowlevel_notify_inval_inode(session_, inode, kAttributesAlone, 0));
}

void ViewFileSystem::lost_name(const view::Entry& entry) noexcept {
  const bool is_orphan = entry.object != 0 && entry.attributes.link_count == 0;
  if (is_orphan && !known.has(entry.object)) release(entry.object);
}

}  // namespace dgfs::fuse
