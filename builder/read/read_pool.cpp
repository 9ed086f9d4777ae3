// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/read/read_pool.h"

#include <exception>
#include <utility>

namespace dgfs::builder {

ReadPool::ReadPool(BatchMaker& maker, BatchFillerMaker make_filler, const PoolOptions& options)
    : maker_(maker), make_filler_(std::move(make_filler)), options_(options) {
  for (std::size_t i = 0; i < options.batches; ++i) free_.push_back(std::make_unique<Batch>());
}

ReadPool::~ReadPool() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  freed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Status ReadPool::start() {
  try {
    while (threads_.size() < options_.threads) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {
    // One thread is enough to do the work.
    if (threads_.empty()) return Error(ErrorKind::kLimit, 4050, "cannot start a thread");
  }
  return ok();
}

void ReadPool::work() {
  try {
    const auto filler = make_filler_();
    while (std::unique_ptr<Batch> batch = take_free()) {
      if (!make(*batch)) return;
      if (!batch->failure) filler->fill(*batch);
      hand_over(std::move(batch));
    }
  } catch (const std::exception&) {  // out of memory, perhaps while making an error
    const std::lock_guard lock(mutex_);
    out_of_memory_ = true;
    done_.notify_all();
  }
}

std::unique_ptr<Batch> ReadPool::take_free() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return cancelled_ || !free_.empty(); });
  if (cancelled_) return nullptr;
  std::unique_ptr<Batch> batch = std::move(free_.back());
  free_.pop_back();
  return batch;
}

// Returns false if no batch is left to make. A failure becomes a batch of its own, at its place in
// the order.
bool ReadPool::make(Batch& batch) {
  const std::lock_guard make_lock(make_mutex_);
  if (all_made_) return false;
  auto filled = maker_.fill(batch);
  if (filled && filled.value()) return true;
  all_made_ = true;
  if (!filled) batch.failure = std::move(filled).error();
  const std::lock_guard lock(mutex_);
  end_number_ = batch.number + (batch.failure ? 1 : 0);
  done_.notify_all();
  return batch.failure.has_value();
}

void ReadPool::hand_over(std::unique_ptr<Batch> batch) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = batch->number;
  finished_.emplace(number, std::move(batch));
  if (number == next_number_) done_.notify_one();
}

Result<std::unique_ptr<Batch>> ReadPool::next() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] {
    return out_of_memory_ || finished_.contains(next_number_) || end_number_ == next_number_;
  });
  if (out_of_memory_) return Error(ErrorKind::kLimit, 4051, "not enough memory");
  const auto found = finished_.find(next_number_);
  if (found == finished_.end()) return nullptr;
  std::unique_ptr<Batch> batch = std::move(found->second);
  finished_.erase(found);
  ++next_number_;
  if (batch->failure) return std::move(*batch->failure);
  return batch;
}

void ReadPool::release(std::unique_ptr<Batch> batch) {
  batch->clear();
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(batch));
  freed_.notify_one();
}

}  // namespace dgfs::builder
