// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/reads/uring_reads.h"

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>

namespace dgfs::storage {
namespace {

// Number of reads submitted together. A lower number costs more system calls. A higher one leaves
// the device idle while the caller handles reads that have ended.
constexpr std::size_t kSubmittedTogether = 4;

// Longer reads come back short, as from read(2).
constexpr std::size_t kReadBytesMax = std::size_t{1} << 30;

class UringReads final : public PosixReads {
 public:
  // Returns -errno on failure.
  int open(unsigned depth) {
    // The kernel processes completions when we ask for them, not in the middle of other work.
    constexpr unsigned kFlags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    int result = io_uring_queue_init(depth, &ring_, kFlags);
    if (result == -EINVAL) result = io_uring_queue_init(depth, &ring_, 0);  // before Linux 6.1
    is_open_ = result == 0;
    return result;
  }
  ~UringReads() override {
    if (is_open_) io_uring_queue_exit(&ring_);
  }

  void begin(std::size_t slot, int fd, std::uint64_t offset_bytes, MutableBytes out) override {
    unsubmitted_.push_back(slot);  // first, since it may lack memory
    io_uring_sqe* entry = is_broken_ ? nullptr : io_uring_get_sqe(&ring_);
    if (entry == nullptr) {
      unsubmitted_.pop_back();
      refused_.push_back({slot, -EAGAIN});
      return;
    }
    const auto length = static_cast<unsigned>(std::min(out.size(), kReadBytesMax));
    io_uring_prep_read(entry, fd, out.data(), length, offset_bytes);
    io_uring_sqe_set_data64(entry, slot);
    if (unsubmitted_.size() >= kSubmittedTogether) note_submitted(io_uring_submit(&ring_));
  }

  EndedRead wait() override {
    while (true) {
      if (!refused_.empty()) {
        const EndedRead ended = refused_.front();
        refused_.pop_front();
        return ended;
      }
      io_uring_cqe* entry = nullptr;
      if (io_uring_peek_cqe(&ring_, &entry) == 0) {
        const EndedRead ended{io_uring_cqe_get_data64(entry), entry->res};
        io_uring_cqe_seen(&ring_, entry);
        return ended;
      }
      if (is_broken_) {
        static_cast<void>(io_uring_wait_cqe(&ring_, &entry));
      } else {
        note_submitted(io_uring_submit_and_wait(&ring_, 1));
      }
    }
  }

  const char* name() const override { return "io_uring"; }

 private:
  // The system takes reads from the ring in the order of begin().
  void note_submitted(int result) {
    for (; result > 0 && !unsubmitted_.empty(); --result) unsubmitted_.pop_front();
    if (result >= 0 || result == -EINTR || result == -EAGAIN || result == -EBUSY) return;
    // The ring takes nothing any more: refuses all reads that it has not taken, and all later ones.
    is_broken_ = true;
    for (const auto slot : unsubmitted_) refused_.push_back({slot, result});
    unsubmitted_.clear();
  }

  io_uring ring_{};
  bool is_open_ = false;
  bool is_broken_ = false;
  std::deque<std::size_t> unsubmitted_;  // prepared, but not yet submitted
  std::deque<EndedRead> refused_;
};

}  // namespace

std::unique_ptr<PosixReads> make_uring_reads(unsigned depth) {
  auto reads = std::make_unique<UringReads>();
  // ENOSYS, EPERM (containers, a sysctl), ENOMEM (locked memory): the reason does not matter here.
  if (reads->open(depth) != 0) return nullptr;
  return reads;
}

}  // namespace dgfs::storage
