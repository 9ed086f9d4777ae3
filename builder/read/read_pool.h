// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The read pool: threads that make batches, read their files, and hand them over in order. The
// number of batches bounds the bytes in flight. It is no queue of work like reader/work_pool.h:
// nobody pushes, since making a batch is work too, and each result is taken in its turn.
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
  std::size_t batches = 2;  ///< at least threads, so that none waits for a buffer
};

/// next() and release() are called by one thread, the data writer's.
class ReadPool {
 public:
  /// @param maker  must outlive the pool, which is the only one to use it meanwhile
  ReadPool(BatchMaker& maker, BatchFillerMaker make_filler, const PoolOptions& options);
  /// Waits for the threads; batches not yet taken are dropped.
  ~ReadPool();
  ReadPool(const ReadPool&) = delete;
  ReadPool& operator=(const ReadPool&) = delete;

  /// Starts the threads. Error: kLimit if the system gives none.
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

  std::mutex mutex_;  ///< guards what follows; taken after make_mutex_ if both
  std::condition_variable freed_;
  std::condition_variable done_;
  std::vector<std::unique_ptr<Batch>> free_;
  std::map<std::uint64_t, std::unique_ptr<Batch>> finished_;
  std::uint64_t next_number_ = 0;
  std::optional<std::uint64_t> end_number_;  ///< known once all batches are made
  bool cancelled_ = false;
  bool out_of_memory_ = false;  ///< of a thread, which has ended

  std::vector<std::thread> threads_;
};

}  // namespace dgfs::builder
