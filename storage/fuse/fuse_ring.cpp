// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/fuse/fuse_ring.h"

#include <liburing.h>
#include <linux/fuse.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "storage/fuse/command_ring.h"
#include "storage/fuse/fuse_channel.h"
#include "storage/fuse/fuse_ring_entry.h"
#include "storage/posix/os_error.h"

namespace dgfs::storage {
namespace {

// A queue that does not exist: no kernel has that many processors.
constexpr std::uint16_t kNoQueue = UINT16_MAX;
// A shortage of memory passes; this is the wait before trying again.
constexpr auto kRetry = std::chrono::milliseconds(5);

std::string reason_of(int os_errno) { return std::generic_category().message(os_errno); }

bool is_for_a_while(int os_errno) {
  return os_errno == EAGAIN || os_errno == EBUSY || os_errno == ENOMEM;
}

// Returns the errno with which the kernel refuses an entry of a queue that does not exist, or with
// which the system refuses a ring.
int register_nowhere(int device) {
  CommandRing commands;
  if (const int os_errno = commands.set_up(1, 0); os_errno != 0) return os_errno;
  FuseRingHeader header{};
  std::uint8_t payload = 0;
  const std::array<iovec, 2> parts = {iovec{&header, sizeof header}, iovec{&payload, 1}};
  FuseRingCommand own;
  own.queue = kNoQueue;
  commands.add(device, kFuseRingRegister, own, parts, nullptr);
  io_uring_cqe* cqe = nullptr;
  const int submitted = io_uring_submit_and_wait(&commands.get(), 1);
  if (submitted < 0) return -submitted;
  if (const int peeked = io_uring_peek_cqe(&commands.get(), &cqe); peeked != 0) return -peeked;
  const int result = cqe->res;
  io_uring_cqe_seen(&commands.get(), cqe);
  return -result;
}

}  // namespace

struct FuseRing::State {
  int device = -1;
  bool is_offered = false;
  std::vector<std::unique_ptr<FuseRingEntry>> entries;
  CommandRing commands;              ///< declared after the entries: ends before they do
  FuseRingEntry* current = nullptr;  ///< holds a request to which the kernel awaits a reply

  // The ring has as many submissions as entries, so there is room for each.
  void submit(FuseRingEntry& entry, std::uint32_t command) {
    entry.set_command(command);
    FuseRingCommand own;
    own.queue = entry.queue();
    if (command == kFuseRingRegister) {
      commands.add(device, command, own, entry.parts(), &entry);
    } else {
      own.commit_id = entry.commit_id();
      commands.add(device, command, own, {}, &entry);
    }
  }
  void submit_reply() {
    if (current == nullptr) return;
    current->complete_reply();
    submit(*std::exchange(current, nullptr), kFuseRingCommitAndFetch);
  }

  void flush() {
    if (current != nullptr && current->has_reply()) finish();
  }
  void finish() {
    submit_reply();
    while (io_uring_sq_ready(&commands.get()) != 0) {
      const int result = io_uring_submit(&commands.get());
      if (result < 0 && result != -EINTR) return;
    }
  }
  // Answers the requests that other entries hold already: without a ring nobody would.
  void refuse_delivered() {
    io_uring_cqe* cqe = nullptr;
    while (io_uring_peek_cqe(&commands.get(), &cqe) == 0) {
      auto* const entry = static_cast<FuseRingEntry*>(io_uring_cqe_get_data(cqe));
      const bool has_request = cqe->res == 0;
      io_uring_cqe_seen(&commands.get(), cqe);
      if (!has_request) continue;
      static_cast<void>(entry->take_request());
      current = entry;
      submit_reply();
    }
    finish();
  }

  [[nodiscard]] Status offer() {
    // liburing 2.3 declares io_uring_enable_rings() but does not export it.
    if (::syscall(__NR_io_uring_register, commands.get().ring_fd, IORING_REGISTER_ENABLE_RINGS,
                  nullptr, 0) != 0) {
      const int os_errno = errno;
      return Error(ErrorKind::kUnsupported, 1212,
                   "a ring for FUSE cannot be enabled: " + reason_of(os_errno))
          .with_errno(os_errno);
    }
    for (const auto& entry : entries) submit(*entry, kFuseRingRegister);
    return ok();
  }

  // Returns null if the connection has ended.
  [[nodiscard]] Result<FuseRingEntry*> wait() {
    io_uring_cqe* cqe = nullptr;
    if (io_uring_sq_ready(&commands.get()) != 0 || io_uring_peek_cqe(&commands.get(), &cqe) != 0) {
      const int result = io_uring_submit_and_wait(&commands.get(), 1);
      if (result < 0 && is_for_a_while(-result)) std::this_thread::sleep_for(kRetry);
      if (result == -EINTR || (result < 0 && is_for_a_while(-result))) {
        return Error(ErrorKind::kInterrupted, 1213, "no request has been waited for");
      }
      if (result < 0) return os_error(1214, -result, "wait for a request", "/dev/fuse");
      if (io_uring_peek_cqe(&commands.get(), &cqe) != 0) {
        return Error(ErrorKind::kInterrupted, 1215, "no request has come");
      }
    }
    auto* const entry = static_cast<FuseRingEntry*>(io_uring_cqe_get_data(cqe));
    const int result = cqe->res;
    io_uring_cqe_seen(&commands.get(), cqe);
    return result == 0 ? Result<FuseRingEntry*>(entry) : failed(*entry, -result);
  }

  [[nodiscard]] Result<FuseRingEntry*> failed(FuseRingEntry& entry, int os_errno) {
    if (os_errno == ENOTCONN || os_errno == ECONNABORTED || os_errno == ECANCELED) return nullptr;
    if (os_errno == EINTR || is_for_a_while(os_errno)) {
      std::this_thread::sleep_for(kRetry);
      submit(entry, entry.command());
      return Error(ErrorKind::kInterrupted, 1216, "a command was broken off");
    }
    if (entry.command() == kFuseRingRegister) {
      refuse_delivered();
      return Error(ErrorKind::kUnsupported, 1217,
                   "the kernel has refused an entry of a ring: " + reason_of(os_errno))
          .with_errno(os_errno);
    }
    return os_error(1218, os_errno, "reply", "/dev/fuse");
  }
};

FuseRing::FuseRing(std::unique_ptr<State> state) : state_(std::move(state)) {}
FuseRing::~FuseRing() = default;

Result<std::unique_ptr<FuseRing>> FuseRing::make(int device, std::span<const unsigned> queues,
                                                 std::size_t payload_bytes) {
  auto state = std::make_unique<State>();
  state->device = device;
  // Only the thread that offers the ring enters it.
  const int os_errno = state->commands.set_up(
      static_cast<unsigned>(queues.size()),
      IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED);
  if (os_errno != 0) {
    return Error(ErrorKind::kUnsupported, 1210, "no io_uring for FUSE: " + reason_of(os_errno))
        .with_errno(os_errno);
  }
  for (const unsigned queue : queues) {
    state->entries.push_back(std::make_unique<FuseRingEntry>(queue, payload_bytes));
    if (!state->entries.back()->has_memory()) {
      return Error(ErrorKind::kLimit, 1211, "no memory for requests");
    }
  }
  return std::unique_ptr<FuseRing>(new FuseRing(std::move(state)));
}

Result<MutableBytes> FuseRing::receive() {
  if (!std::exchange(state_->is_offered, true)) {
    DGFS_CHECK(state_->offer());
  }
  state_->submit_reply();
  for (;;) {
    DGFS_TRY(entry, state_->wait());
    if (entry == nullptr) return MutableBytes();
    state_->current = entry;
    const auto request = entry->take_request();
    if (!request.empty()) return request;
    state_->submit_reply();
  }
}

MutableBytes FuseRing::reply_room() const {
  return state_->current == nullptr ? MutableBytes() : state_->current->reply_room();
}

void FuseRing::flush() { state_->flush(); }
void FuseRing::finish() { state_->finish(); }

ssize_t FuseRing::send(std::span<const iovec> parts) {
  fuse_out_header out{};
  if (parts.empty() || parts.front().iov_len != sizeof out) {
    errno = EINVAL;
    return -1;
  }
  std::memcpy(&out, parts.front().iov_base, sizeof out);
  auto* const current = state_->current;
  if (current == nullptr || out.unique == 0 || !current->is_reply(out)) {
    return send_to_fuse(state_->device, parts);
  }
  if (!current->put_reply(parts)) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<ssize_t>(out.len);
}

// A connection that has not begun has no queue yet; the kernel answers EAGAIN.
Status try_ring_commands(int device) {
  const int os_errno = register_nowhere(device);
  if (os_errno == EAGAIN) return ok();
  return Error(ErrorKind::kUnsupported, 1219, "io_uring is forbidden here: " + reason_of(os_errno))
      .with_errno(os_errno);
}

void refuse_rings(int device) { static_cast<void>(register_nowhere(device)); }

}  // namespace dgfs::storage
