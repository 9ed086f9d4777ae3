// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RequestLoop: threads that take requests from the kernel and have libfuse answer them.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/result.h"
#include "fuse/transport/request_filter.h"

struct fuse_session;

namespace dgfs::fuse {

/// The longest write that a request may hold.
inline constexpr std::size_t kWriteBytesMax = std::size_t{1} << 20;

/// For one run of a mounted session. While it runs the process's action of SIGUSR2 is its own.
class RequestLoop {
 public:
  /// Both must outlive it.
  /// @param filter  null: libfuse sees all as it comes
  RequestLoop(fuse_session& session, RequestFilter* filter) : session_(session), filter_(filter) {}
  RequestLoop(const RequestLoop&) = delete;
  RequestLoop& operator=(const RequestLoop&) = delete;

  /// Serves until the session is unmounted, or told to end (fuse_session_exit()) by a handler of a
  /// signal. Other threads of the process block signals. Once. Errors: kIo, kLimit (no thread to be
  /// had).
  /// @param threads     1 or more; fewer serve where the system gives no more
  /// @param before_end  is called in the calling thread, while all others still serve, if a signal
  ///                    ends a session that is mounted; may be empty
  [[nodiscard]] Status run(unsigned threads, const std::function<void()>& before_end);

 private:
  struct Thread {
    std::atomic<bool> is_waiting = false;  ///< for a request: only then may it be woken
    std::atomic<bool> has_ended = false;
    std::unique_ptr<std::uint8_t[]> buffer;
    std::thread thread;
  };

  [[nodiscard]] Status attach();
  [[nodiscard]] Status start(unsigned threads);
  void serve(Thread& own);
  void serve_requests(Thread& own);
  void note(const Error& error);
  void end();

  fuse_session& session_;
  RequestFilter* const filter_;
  pthread_t caller_{};  ///< of run()
  std::atomic<unsigned> serving_threads_ = 0;
  std::atomic<bool> is_unmounted_ = false;
  std::atomic<bool> is_over_ = false;    ///< that, or no thread serves any more
  std::atomic<bool> is_ending_ = false;  ///< all are to end
  std::list<Thread> threads_;
  std::mutex mutex_;
  std::optional<Error> error_;  ///< the first; with mutex_
};

}  // namespace dgfs::fuse
