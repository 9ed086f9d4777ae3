// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RequestSource: where a thread takes requests from, and sends the replies to.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/posix/fuse_channel.h"
#include "storage/posix/fuse_ring.h"

namespace dgfs::fuse {

/// For one thread.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  RequestSource() = default;
  RequestSource(const RequestSource&) = delete;
  RequestSource& operator=(const RequestSource&) = delete;

  /// Waits for a request. Empty: the connection has ended. Errors: kInterrupted (to be called
  /// again), kUnsupported (the kernel gives none this way), kIo.
  [[nodiscard]] virtual Result<MutableBytes> receive() = 0;
  /// A reply to that request, or a notification. Returns what writev(2) does, and sets errno.
  virtual ssize_t send(std::span<const iovec> parts) = 0;
  /// Memory from which the kernel takes the reply to that request; empty: there is none.
  [[nodiscard]] virtual MutableBytes reply_room() const { return {}; }
  /// Sends a reply that has not been sent yet. The last call.
  virtual void finish() {}
};

/// The FUSE device: read(2) and writev(2).
class DeviceSource final : public RequestSource {
 public:
  /// @param device   of the connection
  /// @param request_bytes_max  of the longest request
  DeviceSource(int device, std::size_t request_bytes_max)
      // Pages of it that no request reaches take no memory.
      : buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(request_bytes_max)),
        request_bytes_max_(request_bytes_max),
        channel_(storage::FuseChannel::further(device)) {}

  [[nodiscard]] Result<MutableBytes> receive() override {
    const MutableBytes whole(buffer_.get(), request_bytes_max_);
    DGFS_TRY(length, channel_.receive(whole));
    return whole.first(length);
  }
  ssize_t send(std::span<const iovec> parts) override { return channel_.send(parts); }

 private:
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t request_bytes_max_;
  storage::FuseChannel channel_;
};

/// A ring of io_uring.
class RingSource final : public RequestSource {
 public:
  explicit RingSource(std::unique_ptr<storage::FuseRing> ring) : ring_(std::move(ring)) {}
  [[nodiscard]] Result<MutableBytes> receive() override { return ring_->receive(); }
  ssize_t send(std::span<const iovec> parts) override { return ring_->send(parts); }
  [[nodiscard]] MutableBytes reply_room() const override { return ring_->reply_room(); }
  void finish() override { ring_->finish(); }

 private:
  std::unique_ptr<storage::FuseRing> ring_;
};

}  // namespace dgfs::fuse
