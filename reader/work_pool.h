// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// WorkPool: threads that process a bounded queue of tasks. push() waits while the queue is full, so
// memory does not grow with the amount of work. If the system grants fewer threads, those do the
// work; if it grants none, push() does it. An exception of a task (out of memory) makes the pool
// skip the remaining tasks, and finish() throws it. Tasks run in no particular order, and the pool
// cannot wait for a single task: builder/read/read_pool.h is the pool for results in order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dgfs::reader {

/// One thread calls push() and finish(). All threads of the pool call `work`.
template <class Task>
class WorkPool {
 public:
  /// Bound of threads: more would only wait for each other and for the device.
  static constexpr unsigned kThreadsMax = 256;

  WorkPool(unsigned threads, std::size_t queue_max, std::function<void(Task&)> work)
      : queue_max_(queue_max), work_(std::move(work)) {
    const std::size_t wanted = std::min(threads, kThreadsMax);
    try {
      while (threads_.size() < wanted) threads_.emplace_back([this] { run(); });
    } catch (const std::exception&) {
      // Go on with the threads that were granted.
    }
  }
  ~WorkPool() { join(); }
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  [[nodiscard]] std::size_t thread_count() const { return threads_.size(); }

  /// Waits while the queue is full.
  void push(Task task) {
    if (threads_.empty()) return work_(task);
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return queue_.size() < queue_max_; });
    queue_.push_back(std::move(task));
    filled_.notify_one();
  }

  /// Returns when all tasks are done and all threads have ended. No push() may follow.
  void finish() {
    join();
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  void join() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    filled_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      filled_.wait(lock, [this] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      Task task = std::move(queue_.front());
      queue_.pop_front();
      room_.notify_one();
      if (exception_) continue;
      lock.unlock();
      const auto exception = exception_of(task);
      lock.lock();
      if (exception) exception_ = exception;
    }
  }

  std::exception_ptr exception_of(Task& task) {
    try {
      work_(task);
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  std::size_t queue_max_;
  std::function<void(Task&)> work_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable room_;
  std::deque<Task> queue_;
  bool ended_ = false;
  std::exception_ptr exception_;
  std::vector<std::thread> threads_;
};

}  // namespace dgfs::reader
