// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/reads/thread_reads.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace dgfs::storage {
namespace {

// More threads would cost more than a deeper queue gains.
constexpr std::size_t kThreadsMax = 64;

struct Read {
  std::size_t slot = 0;
  int fd = -1;
  std::uint64_t offset_bytes = 0;
  MutableBytes out;
};

EndedRead do_read(const Read& read) {
  const auto offset = static_cast<off_t>(read.offset_bytes);
  while (true) {
    const ssize_t count = ::pread(read.fd, read.out.data(), read.out.size(), offset);
    if (count >= 0) return {read.slot, count};
    if (errno != EINTR) return {read.slot, -errno};
  }
}

class ThreadReads final : public PosixReads {
 public:
  explicit ThreadReads(unsigned depth) : threads_max_(std::min<std::size_t>(depth, kThreadsMax)) {
    // Reserved now, so that a thread needs no memory to end a read.
    done_.reserve(depth);
    threads_.reserve(threads_max_);
  }
  ~ThreadReads() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    begun_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void begin(std::size_t slot, int fd, std::uint64_t offset_bytes, MutableBytes out) override {
    const Read read{slot, fd, offset_bytes, out};
    std::unique_lock lock(mutex_);
    if (waiting_.size() >= idle_ && threads_.size() < threads_max_) start_thread();
    if (threads_.empty()) {
      done_.push_back(do_read(read));
      return;
    }
    waiting_.push_back(read);
    begun_.notify_one();
  }

  EndedRead wait() override {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return !done_.empty(); });
    const EndedRead ended = done_.back();
    done_.pop_back();
    return ended;
  }

  const char* name() const override { return "threads"; }

 private:
  // The caller holds the mutex.
  void start_thread() {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      threads_max_ = threads_.size();  // go on with the threads that exist
    }
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      begun_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      const Read read = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      const EndedRead ended = do_read(read);
      lock.lock();
      done_.push_back(ended);
      finished_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable finished_;
  std::deque<Read> waiting_;
  std::vector<EndedRead> done_;
  std::size_t idle_ = 0;
  bool ended_ = false;
  std::size_t threads_max_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<PosixReads> make_thread_reads(unsigned depth) {
  return std::make_unique<ThreadReads>(depth);
}

}  // namespace dgfs::storage
