// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The read pool: threads that make batches, read their files, and hand the batches over in order.
// The number of batches bounds the bytes in flight. Unlike reader/work_pool.h it has no queue of
// tasks, because making a batch is work for the threads too, and its results come in order.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "builder/read/batch_filler.h"
#include "builder/read/batch_maker.h"

namespace dgfs::builder {

struct PoolOptions {
  unsigned threads = 1;
  std::size_t batches = 2;  ///< at least `threads`, so that no thread waits for a batch
};

/// Only the thread of the data writer calls next() and release().
class ReadPool {
 public:
  /// @param maker  must outlive the pool; only the pool uses it meanwhile
  ReadPool(BatchMaker& maker, BatchFillerMaker make_filler, const PoolOptions& options);
  /// Waits for the threads, and drops batches not yet taken.
  ~ReadPool();
  ReadPool(const ReadPool&) = delete;
  ReadPool& operator=(const ReadPool&) = delete;

  /// Starts the threads. Error: kLimit if the system grants none.
  [[nodiscard]] Status start();
  /// The next batch in order; nullptr at the end. Errors: Batch::failure of that batch.
  [[nodiscard]] Result<std::unique_ptr<Batch>> next();
  /// Gives a batch back for reuse.
  void release(std::unique_ptr<Batch> batch);

 private:
  void work();
  [[nodiscard]] std::unique_ptr<Batch> take_free();
  [[nodiscard]] bool make(Batch& batch);
  void hand_over(std::unique_ptr<Batch> batch);

  BatchMaker& maker_;
  BatchFillerMaker make_filler_;
  PoolOptions options_;

  std::mutex make_mutex_;  ///< held while a batch is made; guards maker_ and all_made_
  bool all_made_ = false;

  std::mutex mutex_;  ///< guards the members below; locked after make_mutex_
  std::condition_variable freed_;
  std::condition_variable done_;
  std::vector<std::unique_ptr<Batch>> free_;
  std::map<std::uint64_t, std::unique_ptr<Batch>> finished_;
  std::uint64_t next_number_ = 0;
  std::optional<std::uint64_t> end_number_;  ///< set when all batches are made
  bool cancelled_ = false;
  bool out_of_memory_ = false;  ///< a thread has ended for lack of memory

  std::vector<std::thread> threads_;
};

}  // namespace dgfs::builder
