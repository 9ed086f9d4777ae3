// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// InitReply: the reply of libfuse to INIT, before it is sent. libfuse 3.14 does not know all flags.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fuse/transport/raw_request.h"
#include "fuse/transport/request_filter.h"
#include "storage/fuse/fuse_channel.h"

namespace dgfs::fuse {

/// Refers to the parts of the reply. For one thread.
class InitReply {
 public:
  /// @param parts  header and fuse_init_out, as libfuse sends them
  /// Returns nullopt if this is not a reply to INIT, or one of a kernel without these flags.
  [[nodiscard]] static std::optional<InitReply> of(const RawRequest& request,
                                                   std::span<const iovec> parts);

  /// @param flags  FUSE_..., bits of fuse_init_out::flags
  void add_flags(std::uint32_t flags);
  /// Adds bits of fuse_init_out::flags2, and FUSE_INIT_EXT, which makes the kernel read them.
  /// Returns false if the reply has no room for them.
  bool add_flags2(std::uint32_t flags2);

 private:
  explicit InitReply(const iovec& body) : body_(body) {}
  void add(std::size_t offset_bytes, std::uint32_t bits);

  iovec body_;
};

/// Agrees to parallel lookups and listings of one directory if the kernel offers them. libfuse 3.14
/// takes FUSE_CAP_PARALLEL_DIROPS and does not tell the kernel, which then sends one at a time.
void allow_parallel_lookups(const RawRequest& request, InitReply& reply);

/// Agrees to mounts with mapped ids (FUSE_ALLOW_IDMAP) if the kernel offers them. Needs
/// default_permissions. Afterwards requests name their user only if they make an object
/// (fuse/caller.h), so libfuse refuses nearly all of them if allow_root was given.
void allow_idmapped_mounts(const RawRequest& request, InitReply& reply);

/// A filter for a mount that needs nothing else. Thread-safe.
class IdmappedMounts final : public RequestFilter {
 public:
  void see_request(RawRequest&) override {}
  void see_reply(const RawRequest& request, std::span<const iovec> parts) override {
    if (auto reply = InitReply::of(request, parts)) allow_idmapped_mounts(request, *reply);
  }
};

}  // namespace dgfs::fuse
