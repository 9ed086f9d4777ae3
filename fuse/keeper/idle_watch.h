// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// IdleWatch: a thread that has a mount unmounted when nothing has used it for a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/result.h"
#include "fuse/keeper/mount_keeper.h"
#include "fuse/service.h"

namespace dgfs::fuse {

/// The unmount comes within `idle` and a tenth of it after the last request, and within twice
/// `idle` after a last use that the kernel's caches answered. Serving then ends as after umount(8).
/// One thread starts and destroys it; the destructor ends the watch.
class IdleWatch {
 public:
  /// Starts the thread, which inherits the caller's blocked signals.
  /// @param service, keeper  must outlive the object
  /// @param idle             more than 0
  /// Errors: kLimit (the system has no thread left). Throws std::bad_alloc.
  [[nodiscard]] static Result<std::unique_ptr<IdleWatch>> start(Service& service,
                                                                const MountKeeper& keeper,
                                                                std::chrono::seconds idle);
  ~IdleWatch();
  IdleWatch(const IdleWatch&) = delete;
  IdleWatch& operator=(const IdleWatch&) = delete;

 private:
  IdleWatch(Service& service, const MountKeeper& keeper, std::chrono::seconds idle);
  void run() noexcept;
  void watch();
  [[nodiscard]] bool is_to_stop(std::chrono::milliseconds after);
  [[nodiscard]] std::optional<Use> ask(bool unmounts);
  [[nodiscard]] std::uint64_t uses() const;

  Service& service_;
  const MountKeeper& keeper_;
  const std::chrono::seconds idle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopped_ = false;  ///< under mutex_
  std::thread thread_;
};

}  // namespace dgfs::fuse
