// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RequestSource: the channel from which a thread takes requests, and to which it sends replies.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "storage/fuse/fuse_channel.h"
#include "storage/fuse/fuse_ring.h"

namespace dgfs::fuse {

/// Not thread-safe: each thread has its own.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  RequestSource() = default;
  RequestSource(const RequestSource&) = delete;
  RequestSource& operator=(const RequestSource&) = delete;

  /// Waits for a request. Empty: the connection has ended. Errors: kInterrupted (call it again),
  /// kUnsupported (the kernel sends no requests this way), kIo.
  [[nodiscard]] virtual Result<MutableBytes> receive() = 0;
  /// Sends a reply to that request, or a notification. Returns as writev(2) does, and sets errno.
  virtual ssize_t send(std::span<const iovec> parts) = 0;
  /// Memory from which the kernel takes the reply to that request; empty: no such memory exists.
  [[nodiscard]] virtual MutableBytes reply_room() const { return {}; }
  /// Sends a reply that is still waiting to be sent.
  virtual void flush() {}
  /// The last call: see FuseRing::finish().
  virtual void finish() {}
};

/// The FUSE device: read(2) and writev(2).
class DeviceSource final : public RequestSource {
 public:
  /// @param device   descriptor of the connection
  /// @param request_bytes_max  length of the longest request
  DeviceSource(int device, std::size_t request_bytes_max)
      // Pages of the buffer that no request reaches take no memory.
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
  void flush() override { ring_->flush(); }
  void finish() override { ring_->finish(); }

 private:
  std::unique_ptr<storage::FuseRing> ring_;
};

}  // namespace dgfs::fuse
