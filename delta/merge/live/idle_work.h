// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IdleWork: long work for a mounted delta, in a thread of idle priority that takes no lock of the
// view. Meanwhile the calling thread watches the writers of the delta.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "delta/store/directory/delta_directory.h"

namespace dgfs::merge {

/// One thread runs work; any thread may ask.
class IdleWork {
 public:
  /// @param delta  must outlive the object
  explicit IdleWork(const delta::DeltaDirectory& delta) : delta_(delta) {}

  /// Runs the work to its end, and returns its result. Throws std::bad_alloc if the work throws
  /// anything.
  template <class Work>
  auto run(const Work& work) {
    std::optional<decltype(work())> result;
    run_in_thread([&] { result.emplace(work()); });
    if (!result) throw std::bad_alloc();
    return *std::move(result);
  }
  /// Whether writers wait for the log or the tree while the work is under way.
  [[nodiscard]] bool writers_wait() const { return writers_wait_; }

 private:
  void run_in_thread(const std::function<void()>& work);

  const delta::DeltaDirectory& delta_;
  std::atomic<bool> writers_wait_ = false;
};

/// Asks how many bytes of the disk are free beside the files of a delta; UINT64_MAX if the system
/// does not say. For PaceOptions.
/// @param env  must outlive the result
[[nodiscard]] std::function<std::uint64_t()> free_bytes_of(storage::Env& env,
                                                           const std::string& directory);

}  // namespace dgfs::merge
