// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/merge/live/idle_work.h"

#include <chrono>
#include <exception>
#include <memory>
#include <thread>

#include "delta/store/directory/stacked_stores.h"
#include "storage/posix/idle_priority.h"

namespace dgfs::merge {
namespace {

// How often it looks at the writers.
constexpr std::chrono::milliseconds kLookInterval{10};

std::uint64_t writers_waited_ns(const delta::Store& store) {
  const auto counters = store.counters();
  return counters.log_wait_ns + counters.tree_wait_ns;
}

// Whether writers have waited for the store between two looks. Those that wait for space may need
// the work, which gives space back.
class WaitingWriters {
 public:
  bool have_waited(const std::shared_ptr<delta::Store>& live) {
    const auto now_ns = writers_waited_ns(*live);
    const bool is_same = store_.lock() == live;
    const bool have = is_same && now_ns != waited_ns_;
    waited_ns_ = now_ns;
    store_ = live;
    return have;
  }

 private:
  std::weak_ptr<delta::Store> store_;
  std::uint64_t waited_ns_ = 0;
};

}  // namespace

// The thread has idle priority from its begin to its end.
void IdleWork::run_in_thread(const std::function<void()>& work) {
  std::atomic<bool> has_ended = false;
  std::thread worker([&] {
    storage::take_idle_priority();
    try {
      work();
    } catch (const std::exception&) {  // no memory
    }
    has_ended = true;
  });
  WaitingWriters writers;
  while (!has_ended) {
    writers_wait_ = writers.have_waited(delta_.newest_store());
    std::this_thread::sleep_for(kLookInterval);
  }
  worker.join();
  writers_wait_ = false;
}

std::function<std::uint64_t()> free_bytes_of(storage::Env& env, const std::string& directory) {
  return [&env, path = delta::manifest_path(directory)]() -> std::uint64_t {
    const auto file = env.open(path);
    if (!file) return UINT64_MAX;
    const auto bytes = file.value()->free_bytes();
    return bytes ? bytes.value() : UINT64_MAX;
  };
}

}  // namespace dgfs::merge
