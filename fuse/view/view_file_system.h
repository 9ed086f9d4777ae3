// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ViewFileSystem: a view as the tree of a mount with a delta. The kernel caches names, attributes
// and pages without a time limit, because all changes come through it. It is given no pages
// unasked.
#pragma once

#include <memory>
#include <string>

#include "delta/merge/live/live_join.h"
#include "delta/merge/live/live_merge.h"
#include "delta/view/view.h"
#include "fuse/attributes.h"
#include "fuse/file_system.h"
#include "fuse/generations.h"
#include "fuse/statistics/request_counters.h"
#include "fuse/view/kernel_extensions.h"
#include "fuse/view/known_objects.h"
#include "fuse/view/merge_schedule.h"
#include "fuse/view/open_listings.h"
#include "fuse/view/seal_schedule.h"
#include "fuse/view/view_control.h"
#include "fuse/walk/walks.h"

namespace dgfs::fuse {

/// How the delta of a mount is merged. A value.
struct MergeServing {
  std::uint64_t bytes = 0;       ///< of the delta, at which it is merged unasked; 0: never
  std::uint64_t rate = 0;        ///< bytes a second; 0: no bound
  std::size_t memory_bytes = 0;  ///< of the mount; a merge takes an eighth of that more
  std::string image_path;        ///< absolute, of the image or base that was given
  reader::OpenOptions base;      ///< how a new base is opened
};

/// Options of the mount. A value.
struct ViewServing {
  std::string delta_path;  ///< absolute
  std::string mount_point;
  std::string image_path;  ///< absolute, of the delta's own image, for its manifest; may be empty
  /// The kernel collects writes and sends them when it chooses, or at a sync.
  bool writes_back = false;
  bool is_read_only = false;
  SealTimes seals;                   ///< -o seal=
  MergeServing merges;               ///< -o merge=, merge_rate=
  std::uint64_t max_read_bytes = 0;  ///< value of -o max_read; 0: the kernel's choice
  AttributeOverrides overrides;
  bool allows_idmaps = true;  ///< see allow_idmapped_mounts()
};

class ViewFileSystem final : public FileSystem {
 public:
  /// @param served_view  must outlive the object, as must all other arguments
  /// @param delta        the delta of the view
  ViewFileSystem(view::View& served_view, delta::DeltaDirectory& delta,
                 RequestCounters& request_counters, const ViewServing& serving)
      : view(served_view),
        counters(request_counters),
        overrides(serving.overrides),
        walks(request_counters),
        delta_(delta),
        uuid_(delta.manifest().image),
        serving_(serving),
        generations_(uuid_, end_of_image(served_view, delta), delta.manifest().delta),
        extensions_(serving.allows_idmaps),
        control_(serving.delta_path, serving.mount_point, serving.image_path, served_view) {}

  [[nodiscard]] fuse_lowlevel_ops operations() const override;
  [[nodiscard]] RequestFilter* filter() override { return &extensions_; }
  [[nodiscard]] Status start(Service& service, fuse_session& session, unsigned threads) override;
  void stop() noexcept override;
  void start_connection(fuse_conn_info& connection) noexcept override;
  [[nodiscard]] Result<std::string> path_of(std::uint64_t inode) const override;
  /// Of the delta's image, whatever its base.
  [[nodiscard]] const format::Uuid& uuid() const override { return uuid_; }
  void add_statistics(JsonObject& statistics) const override;

  /// The attributes of an object as the mount shows them. Errors: those of View::xattr(), which it
  /// calls only for overrides without umask.
  [[nodiscard]] Result<struct stat> stat_of(view::ObjectNumber object,
                                            const view::Attributes& attributes) const;
  /// The reply to a lookup. Errors: those of stat_of().
  [[nodiscard]] Result<fuse_entry_param> entry_of(const view::Entry& entry) const;
  /// Whether overrides hide an extended attribute.
  [[nodiscard]] bool hides(std::string_view xattr) const {
    return overrides.any() && is_bound_to_owner_and_mode(xattr);
  }
  /// Notes that the kernel has forgotten `count` lookups of an object.
  void forget(std::uint64_t inode, std::uint64_t count) noexcept;
  /// Makes the kernel request the attributes of an object again. Call it in the handler of a
  /// request, before its reply.
  void forget_attributes(std::uint64_t inode) noexcept;
  /// An object has lost a name: if it has no other and the kernel does not know it, ends it. If
  /// that fails, the next opening of the delta ends it.
  void lost_name(const view::Entry& entry) noexcept;
  /// Whether the kernel takes ENOSYS for OPEN as "never ask".
  [[nodiscard]] bool opens_unanswered() const { return opens_unanswered_; }
  [[nodiscard]] bool writes_back() const { return serving_.writes_back; }

  // For the operations.
  view::View& view;
  RequestCounters& counters;
  KnownObjects known;
  OpenListings listings;
  const AttributeOverrides overrides;
  Walks walks;

 private:
  delta::DeltaDirectory& delta_;
  /// Above the object numbers of the delta's own image.
  [[nodiscard]] static std::uint64_t end_of_image(const view::View& view,
                                                  const delta::DeltaDirectory& delta);
  const format::Uuid uuid_;
  const ViewServing serving_;
  const Generations generations_;
  void release(std::uint64_t inode) noexcept;

  KernelExtensions extensions_;
  ViewControl control_;
  fuse_session* session_ = nullptr;
  Service* service_ = nullptr;               ///< set while serving
  merge::LiveSlot slot_;                     ///< of merges and joins
  std::unique_ptr<merge::LiveJoin> join_;    ///< as merge_
  std::unique_ptr<merge::LiveMerge> merge_;  ///< set while serving, unless it is read-only
  std::unique_ptr<SealSchedule> schedule_;
  std::unique_ptr<MergeSchedule> merge_schedule_;
  bool opens_unanswered_ = false;
};

}  // namespace dgfs::fuse
