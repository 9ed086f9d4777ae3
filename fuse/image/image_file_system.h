// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ImageFileSystem: an image as the tree of a read-only mount.
#pragma once

#include <cstdint>
#include <string>

#include "format/header/superblock.h"
#include "fuse/attributes.h"
#include "fuse/file_system.h"
#include "fuse/generations.h"
#include "fuse/image/ahead/prefetcher.h"
#include "fuse/read_through.h"
#include "fuse/transport/init_reply.h"
#include "fuse/walk/walks.h"
#include "reader/image.h"

namespace dgfs::fuse {

/// Options of the mount. A value.
struct ImageServing {
  AttributeOverrides overrides;
  std::uint64_t max_read_bytes = 0;  ///< value of -o max_read; 0: the kernel's choice
  bool prefetches = true;
  bool allows_idmaps = true;  ///< see allow_idmapped_mounts()
};

class ImageFileSystem final : public FileSystem {
 public:
  /// @param mounted  must outlive the object, as must `request_counters`
  ImageFileSystem(const reader::Image& mounted, RequestCounters& request_counters,
                  const ImageServing& serving)
      : image(mounted),
        counters(request_counters),
        prefetcher(mounted, request_counters, read_through),
        walks(request_counters),
        overrides(serving.overrides),
        generations(mounted.superblock().uuid),
        serving_(serving) {}

  [[nodiscard]] fuse_lowlevel_ops operations() const override;
  [[nodiscard]] RequestFilter* filter() override {
    return serving_.allows_idmaps ? &idmapped_mounts_ : nullptr;
  }
  [[nodiscard]] Status start(Service& service, fuse_session& session, unsigned threads) override;
  void stop() noexcept override { walks.stop(); }
  void start_connection(fuse_conn_info& connection) noexcept override;
  [[nodiscard]] Result<std::string> path_of(std::uint64_t inode) const override {
    return image.path_of(inode);
  }
  [[nodiscard]] const format::Uuid& uuid() const override { return image.superblock().uuid; }
  void add_statistics(JsonObject& statistics) const override;

  /// The reply to a lookup of a node, which is as the mount shows it.
  [[nodiscard]] fuse_entry_param entry_of(const reader::Node& node) const {
    auto entry = to_entry(node, overrides);
    entry.generation = generations.of(node.inode);
    return entry;
  }

  [[nodiscard]] bool has_xattrs() const {
    return (image.superblock().compat & format::feature::kCompatXattrs) != 0;
  }
  [[nodiscard]] bool has_acls() const {
    return !overrides.any() && (image.superblock().compat & format::feature::kCompatAcls) != 0;
  }
  [[nodiscard]] bool has_holes() const {
    return image.superblock().section(format::SectionKind::kSparseMaps).length_bytes != 0;
  }
  /// Whether the kernel takes ENOSYS for OPEN, or OPENDIR, as "never ask, cache everything".
  [[nodiscard]] bool opens_unanswered() const { return opens_unanswered_; }
  [[nodiscard]] bool directory_opens_unanswered() const { return directory_opens_unanswered_; }

  // For the operations.
  const reader::Image& image;
  RequestCounters& counters;
  mutable ReadThrough read_through;  ///< thread-safe
  mutable Prefetcher prefetcher;     ///< likewise
  mutable Walks walks;               ///< likewise
  const AttributeOverrides overrides;
  const Generations generations;

 private:
  IdmappedMounts idmapped_mounts_;
  const ImageServing serving_;
  bool opens_unanswered_ = false;
  bool directory_opens_unanswered_ = false;
};

}  // namespace dgfs::fuse
