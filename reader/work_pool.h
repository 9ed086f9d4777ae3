// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// WorkPool: threads that work off a bounded queue. Who fills it waits while it is full, so memory
// does not grow with the amount of work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dgfs::reader {

/// push() and finish() are for one thread; `work` is called by all of the pool's.
template <class Task>
class WorkPool {
 public:
  WorkPool(unsigned threads, std::size_t queue_max, std::function<void(Task&)> work)
      : queue_max_(queue_max), work_(std::move(work)) {
    for (unsigned i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { run(); });
    }
  }
  ~WorkPool() { finish(); }
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// Waits while the queue is full.
  void push(Task task) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return queue_.size() < queue_max_; });
    queue_.push_back(std::move(task));
    filled_.notify_one();
  }

  /// Returns when all tasks are done and all threads have ended. Nothing may be pushed after it.
  void finish() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    filled_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      filled_.wait(lock, [this] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      Task task = std::move(queue_.front());
      queue_.pop_front();
      room_.notify_one();
      lock.unlock();
      work_(task);
      lock.lock();
    }
  }

  std::size_t queue_max_;
  std::function<void(Task&)> work_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable room_;
  std::deque<Task> queue_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dgfs::reader
