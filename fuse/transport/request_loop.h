// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RequestLoop: threads that take requests from the kernel and have libfuse answer them. They come
// through the FUSE device, or, once kernel and RingNegotiation have agreed on it, through io_uring;
// FORGET and INTERRUPT come through the device all the same.
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
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fuse/transport/request_filter.h"
#include "fuse/transport/request_source.h"
#include "fuse/transport/ring_negotiation.h"

struct fuse_session;

namespace dgfs::fuse {

/// For one run of a mounted session. While it runs the process's action of SIGUSR2 is its own.
class RequestLoop {
 public:
  /// Told how requests come once that is known: by a ring when the first one has come so; not so,
  /// and why, if somebody should know.
  using Tell = std::function<void(bool is_ring, const std::string& reason)>;

  /// All must outlive it.
  /// @param filter  null: libfuse sees all as it comes
  /// @param tell    is called in a thread that serves; may be empty
  RequestLoop(fuse_session& session, RequestFilter* filter, Transport transport, Tell tell)
      : session_(session), filter_(filter), transport_(transport), tell_(std::move(tell)) {}
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
    std::unique_ptr<RequestSource> source;
    std::optional<QueueShare> share;  ///< of a ring; nullopt: the device
    std::thread thread;
  };

  /// Of the threads of rings, until INIT has been answered.
  enum class Gate : std::uint8_t { kShut, kOpen, kGone };

  [[nodiscard]] Status attach();
  [[nodiscard]] Status start(unsigned threads);
  [[nodiscard]] Status start_device_threads(unsigned threads);
  [[nodiscard]] Status start_thread(std::unique_ptr<RequestSource> source,
                                    std::optional<QueueShare> share);
  void start_ring_threads();
  void serve(Thread& own);
  void serve_requests(Thread& own);
  void answer(MutableBytes bytes);
  void begin_transport();
  void give_up_rings(const Error& why);
  void open_gate(Gate gate);
  void note(const Error& error);
  void end();

  fuse_session& session_;
  RequestFilter* const filter_;
  const Transport transport_;
  const Tell tell_;
  unsigned asked_threads_ = 0;
  std::vector<unsigned> allowed_processors_;  ///< of the caller of run()
  std::optional<RingNegotiation> negotiation_;
  std::atomic<Gate> gate_ = Gate::kShut;
  std::atomic<bool> has_ring_request_ = false;
  std::atomic<bool> has_given_up_rings_ = false;
  pthread_t caller_{};  ///< of run()
  std::atomic<unsigned> serving_threads_ = 0;
  std::atomic<bool> is_unmounted_ = false;
  std::atomic<bool> is_over_ = false;    ///< that, or no thread serves any more
  std::atomic<bool> is_ending_ = false;  ///< all are to end
  std::mutex mutex_;
  std::list<Thread> threads_;   ///< with mutex_; none is added once is_ending_
  std::optional<Error> error_;  ///< the first; with mutex_
};

}  // namespace dgfs::fuse
