// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/fuse_ring.h"

#include <liburing.h>
#include <linux/fuse.h>
#include <sys/mman.h>
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

#include "storage/posix/fuse_channel.h"
#include "storage/posix/os_error.h"

namespace dgfs::storage {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kFixedBytesMax = sizeof(fuse_in_header) + sizeof(FuseRingHeader::body);
// Shorter contents are copied, so that a request lasts while its reply is put together.
constexpr std::size_t kCopiedBytesMax = 8192;
// No kernel has so many processors.
constexpr std::uint16_t kNoQueue = UINT16_MAX;
// Memory is short: for a while.
constexpr auto kRetry = std::chrono::milliseconds(5);

bool is_forget(std::uint32_t opcode) {
  return opcode == FUSE_FORGET || opcode == FUSE_BATCH_FORGET;
}

std::string reason_of(int os_errno) { return std::generic_category().message(os_errno); }

bool is_for_a_while(int os_errno) {
  return os_errno == EAGAIN || os_errno == EBUSY || os_errno == ENOMEM;
}

}  // namespace

// Named, for FuseRing::State has them.
namespace ring {

// Anonymous memory: pages of it that nobody touches are none.
class Mapping {
 public:
  explicit Mapping(std::size_t size_bytes)
      : begin_(::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
        size_bytes_(size_bytes) {}
  ~Mapping() {
    if (*this) ::munmap(begin_, size_bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  explicit operator bool() const { return begin_ != MAP_FAILED; }
  [[nodiscard]] std::uint8_t* begin() const { return static_cast<std::uint8_t*>(begin_); }

 private:
  void* begin_;
  std::size_t size_bytes_;
};

// In memory of its own: the kernel's header; room for a short request; and from a page's begin on
// the contents, with room in front of them for what libfuse wants there.
class Entry {
 public:
  Entry(unsigned queue, std::size_t payload_bytes)
      : queue_(static_cast<std::uint16_t>(queue)),
        payload_bytes_(payload_bytes),
        memory_(kPayloadAt + payload_bytes) {}

  [[nodiscard]] bool has_memory() const { return static_cast<bool>(memory_); }
  [[nodiscard]] std::uint16_t queue() const { return queue_; }
  [[nodiscard]] std::uint64_t commit_id() const { return header().commit_id; }
  [[nodiscard]] std::uint32_t command() const { return command_; }
  void set_command(std::uint32_t command) { command_ = command; }
  /// For REGISTER. They last as long as the entry.
  [[nodiscard]] const std::array<iovec, 2>& parts() {
    parts_ = {iovec{&header(), sizeof(FuseRingHeader)}, iovec{payload(), payload_bytes_}};
    return parts_;
  }

  /// The request that the kernel has put there; empty: it cannot be one.
  [[nodiscard]] MutableBytes take_request() {
    fuse_in_header in{};
    std::memcpy(&in, header().in_out, sizeof in);
    unique_ = in.unique;
    opcode_ = in.opcode;
    const std::size_t contents_bytes = header().payload_bytes;
    const auto fixed_bytes = in.len - contents_bytes;
    if (in.len < contents_bytes || fixed_bytes < sizeof in || fixed_bytes > kFixedBytesMax ||
        contents_bytes > payload_bytes_) {
      return {};
    }
    has_room_ = contents_bytes <= kCopiedBytesMax;
    auto* const begin = has_room_ ? memory_.begin() + kCopyAt : payload() - fixed_bytes;
    std::memcpy(begin, &in, sizeof in);
    std::memcpy(begin + sizeof in, header().body, fixed_bytes - sizeof in);
    if (has_room_) std::memcpy(begin + fixed_bytes, payload(), contents_bytes);
    return {begin, in.len};
  }

  [[nodiscard]] MutableBytes reply_room() const {
    return has_room_ ? MutableBytes(payload(), payload_bytes_) : MutableBytes();
  }
  [[nodiscard]] bool is_reply(const fuse_out_header& out) const { return out.unique == unique_; }
  /// False: it is too long.
  [[nodiscard]] bool put_reply(std::span<const iovec> parts) {
    std::size_t length = 0;
    for (const iovec& part : parts.subspan(1)) {
      if (part.iov_len > payload_bytes_ - length) return false;
      if (part.iov_base != payload() + length) {
        std::memmove(payload() + length, part.iov_base, part.iov_len);
      }
      length += part.iov_len;
    }
    std::memcpy(header().in_out, parts.front().iov_base, sizeof(fuse_out_header));
    header().payload_bytes = static_cast<std::uint32_t>(length);
    has_reply_ = true;
    return true;
  }
  /// The kernel waits for a reply to each request, also where libfuse sends none.
  void complete_reply() {
    if (!std::exchange(has_reply_, false)) {
      const fuse_out_header out{sizeof out, is_forget(opcode_) ? 0 : -EIO, unique_};
      std::memcpy(header().in_out, &out, sizeof out);
      header().payload_bytes = 0;
    }
    unique_ = 0;
  }

 private:
  static constexpr std::size_t kCopyAt = 512;
  static constexpr std::size_t kPayloadAt = 3 * kPageBytes;
  static_assert(kCopyAt >= sizeof(FuseRingHeader));
  static_assert(kCopyAt + kFixedBytesMax + kCopiedBytesMax <= kPayloadAt - kFixedBytesMax);

  [[nodiscard]] FuseRingHeader& header() const {
    return *reinterpret_cast<FuseRingHeader*>(memory_.begin());
  }
  [[nodiscard]] std::uint8_t* payload() const { return memory_.begin() + kPayloadAt; }

  const std::uint16_t queue_;
  const std::size_t payload_bytes_;
  const Mapping memory_;
  std::array<iovec, 2> parts_{};
  std::uint64_t unique_ = 0;
  std::uint32_t opcode_ = 0;
  std::uint32_t command_ = 0;
  bool has_room_ = false;
  bool has_reply_ = false;
};

// A ring of io_uring whose submissions have room for a command.
class CommandRing {
 public:
  CommandRing() = default;
  ~CommandRing() {
    if (is_set_up_) io_uring_queue_exit(&ring_);
  }
  CommandRing(const CommandRing&) = delete;
  CommandRing& operator=(const CommandRing&) = delete;

  /// Returns an errno; 0: it is there.
  [[nodiscard]] int set_up(unsigned entries, unsigned flags) {
    io_uring_params params{};
    params.flags = IORING_SETUP_SQE128 | IORING_SETUP_CQSIZE | flags;
    params.cq_entries = 2 * entries;
    const int result = io_uring_queue_init_params(entries, &ring_, &params);
    is_set_up_ = result == 0;
    return -result;
  }
  [[nodiscard]] io_uring& get() { return ring_; }

  /// @param parts  of REGISTER; empty: none
  void submit(int device, std::uint32_t command, const FuseRingCommand& own,
              std::span<const iovec> parts, void* data) {
    io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
    // Not met: there is room for each entry's one command.
    for (; sqe == nullptr; sqe = io_uring_get_sqe(&ring_)) io_uring_submit(&ring_);
    std::memset(sqe, 0, 2 * sizeof *sqe);
    sqe->opcode = IORING_OP_URING_CMD;
    sqe->fd = device;
    sqe->cmd_op = command;
    sqe->addr = reinterpret_cast<std::uintptr_t>(parts.data());
    sqe->len = static_cast<unsigned>(parts.size());
    io_uring_sqe_set_data(sqe, data);
    std::memcpy(sqe->cmd, &own, sizeof own);
  }

 private:
  io_uring ring_{};
  bool is_set_up_ = false;
};

}  // namespace ring

using ring::CommandRing;
using ring::Entry;

namespace {

// The errno with which the kernel refuses an entry of a queue that does not exist, or with which
// the system refuses a ring.
int register_nowhere(int device) {
  CommandRing commands;
  if (const int os_errno = commands.set_up(1, 0); os_errno != 0) return os_errno;
  FuseRingHeader header{};
  std::uint8_t payload = 0;
  const std::array<iovec, 2> parts = {iovec{&header, sizeof header}, iovec{&payload, 1}};
  FuseRingCommand own;
  own.queue = kNoQueue;
  commands.submit(device, kFuseRingRegister, own, parts, nullptr);
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
  std::vector<std::unique_ptr<Entry>> entries;
  CommandRing commands;      ///< ends before the entries do
  Entry* current = nullptr;  ///< has a request that the kernel waits for

  // A ring of as many submissions as there are entries has room for each.
  void submit(Entry& entry, std::uint32_t command) {
    entry.set_command(command);
    FuseRingCommand own;
    own.queue = entry.queue();
    if (command == kFuseRingRegister) {
      commands.submit(device, command, own, entry.parts(), &entry);
    } else {
      own.commit_id = entry.commit_id();
      commands.submit(device, command, own, {}, &entry);
    }
  }
  void submit_reply() {
    if (current == nullptr) return;
    current->complete_reply();
    submit(*std::exchange(current, nullptr), kFuseRingCommitAndFetch);
  }

  [[nodiscard]] Status offer() {
    // liburing 2.3 declares io_uring_enable_rings() and does not export it.
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

  // null: the connection has ended.
  [[nodiscard]] Result<Entry*> wait() {
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
    auto* const entry = static_cast<Entry*>(io_uring_cqe_get_data(cqe));
    const int result = cqe->res;
    io_uring_cqe_seen(&commands.get(), cqe);
    return result == 0 ? Result<Entry*>(entry) : failed(*entry, -result);
  }

  [[nodiscard]] Result<Entry*> failed(Entry& entry, int os_errno) {
    if (os_errno == ENOTCONN || os_errno == ECONNABORTED || os_errno == ECANCELED) return nullptr;
    if (os_errno == EINTR || is_for_a_while(os_errno)) {
      std::this_thread::sleep_for(kRetry);
      submit(entry, entry.command());
      return Error(ErrorKind::kInterrupted, 1216, "a command was broken off");
    }
    if (entry.command() == kFuseRingRegister) {
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
  // The thread that offers the ring is the only one that enters it.
  const int os_errno = state->commands.set_up(
      static_cast<unsigned>(queues.size()),
      IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED);
  if (os_errno != 0) {
    return Error(ErrorKind::kUnsupported, 1210, "no io_uring for FUSE: " + reason_of(os_errno))
        .with_errno(os_errno);
  }
  for (const unsigned queue : queues) {
    state->entries.push_back(std::make_unique<Entry>(queue, payload_bytes));
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

void FuseRing::finish() {
  state_->submit_reply();
  while (io_uring_sq_ready(&state_->commands.get()) != 0) {
    const int result = io_uring_submit(&state_->commands.get());
    if (result < 0 && result != -EINTR) return;
  }
}

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

// A connection that has not begun has no queue yet, and says: try again.
Status try_ring_commands(int device) {
  const int os_errno = register_nowhere(device);
  if (os_errno == EAGAIN) return ok();
  return Error(ErrorKind::kUnsupported, 1219, "io_uring is forbidden here: " + reason_of(os_errno))
      .with_errno(os_errno);
}

void refuse_rings(int device) { static_cast<void>(register_nowhere(device)); }

}  // namespace dgfs::storage
