// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ViewFileSystem: a view as the tree of a mount that can be written to. The kernel caches names,
// attributes and pages for ever, as all changes come through it. It is given no pages unasked.
#pragma once

#include <memory>
#include <string>

#include "delta/view/view.h"
#include "fuse/file_system.h"
#include "fuse/statistics/request_counters.h"
#include "fuse/view/kernel_extensions.h"
#include "fuse/view/known_objects.h"
#include "fuse/view/open_listings.h"
#include "fuse/view/view_control.h"

namespace dgfs::fuse {

/// How it is served. A value.
struct ViewServing {
  std::string delta_path;  ///< absolute
  std::string mount_point;
  /// The kernel keeps what is written until it likes to send it, or somebody asks for a sync.
  bool writes_back = false;
  bool is_read_only = false;
  std::uint64_t max_read_bytes = 0;  ///< what -o max_read says; 0: the kernel's choice
};

class ViewFileSystem final : public FileSystem {
 public:
  /// @param served_view  must outlive it, as must all others
  /// @param delta        of the view
  ViewFileSystem(view::View& served_view, delta::DeltaDirectory& delta, const reader::Image& image,
                 RequestCounters& request_counters, const ViewServing& serving)
      : view(served_view),
        counters(request_counters),
        delta_(delta),
        image_(image),
        serving_(serving),
        control_(serving.delta_path, serving.mount_point, delta.newest()) {}

  [[nodiscard]] fuse_lowlevel_ops operations() const override;
  [[nodiscard]] RequestFilter* filter() override { return &extensions_; }
  [[nodiscard]] Status start(Service& service, fuse_session& session, unsigned threads) override;
  void stop() noexcept override;
  void start_connection(fuse_conn_info& connection) noexcept override;
  [[nodiscard]] Result<std::string> path_of(std::uint64_t inode) const override;
  [[nodiscard]] const format::Uuid& uuid() const override { return image_.superblock().uuid; }
  void add_statistics(JsonObject& statistics) const override;

  /// The kernel has forgotten an object so many times.
  void forget(std::uint64_t inode, std::uint64_t count) noexcept;
  /// The kernel asks for the attributes of an object anew. In the handler of a request, before its
  /// reply.
  void forget_attributes(std::uint64_t inode) noexcept;
  /// A name was taken from an object: it ends at once if the kernel does not know it. Where it
  /// cannot, the next opening of the delta ends it.
  void lost_name(const view::Entry& entry) noexcept;
  /// Whether the kernel takes ENOSYS for OPEN as "never ask".
  [[nodiscard]] bool opens_unanswered() const { return opens_unanswered_; }
  [[nodiscard]] bool writes_back() const { return serving_.writes_back; }

  // For its operations.
  view::View& view;
  RequestCounters& counters;
  KnownObjects known;
  OpenListings listings;

 private:
  delta::DeltaDirectory& delta_;
  const reader::Image& image_;
  const ViewServing serving_;
  void release(std::uint64_t inode) noexcept;

  KernelExtensions extensions_;
  ViewControl control_;
  fuse_session* session_ = nullptr;
  Service* service_ = nullptr;  ///< while it serves
  bool opens_unanswered_ = false;
};

}  // namespace dgfs::fuse
