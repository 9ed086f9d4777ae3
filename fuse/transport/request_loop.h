// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// RequestLoop: threads that take requests from the kernel and let libfuse answer them. Requests
// come through the FUSE device, or through io_uring once the kernel and RingNegotiation have agreed
// on it. FORGET and INTERRUPT always come through the device.
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

/// For one run of a mounted session. While it runs, it owns the process's action for SIGUSR2.
class RequestLoop {
 public:
  /// Called once it is known how requests come: with true at the first request from a ring; with
  /// false otherwise, and then with a reason if users should know it.
  using Tell = std::function<void(bool is_ring, const std::string& reason)>;

  /// All arguments must outlive the object.
  /// @param filter  null: libfuse sees all requests unchanged
  /// @param tell    called in a serving thread; may be empty
  RequestLoop(fuse_session& session, RequestFilter* filter, Transport transport, Tell tell)
      : session_(session), filter_(filter), transport_(transport), tell_(std::move(tell)) {}
  RequestLoop(const RequestLoop&) = delete;
  RequestLoop& operator=(const RequestLoop&) = delete;

  /// Serves until the session is unmounted, or a signal handler ends it (fuse_session_exit()).
  /// Other threads of the process must block signals. Call it once. Errors: kIo, kLimit (no thread
  /// could be started).
  /// @param threads     1 or more; fewer serve if the system gives no more
  /// @param before_end  called in the calling thread, while all others still serve, if a signal
  ///                    ends a mounted session; may be empty
  [[nodiscard]] Status run(unsigned threads, const std::function<void()>& before_end);

 private:
  struct Thread {
    std::atomic<bool> is_waiting = false;  ///< for a request: only then it may be woken
    std::atomic<bool> has_ended = false;
    std::unique_ptr<RequestSource> source;
    std::optional<QueueShare> share;  ///< of a ring; nullopt: serves the device
    std::thread thread;
  };

  /// Holds the threads of rings back until INIT is answered.
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
  std::vector<unsigned> allowed_processors_;  ///< those of the thread that called run()
  std::optional<RingNegotiation> negotiation_;
  std::atomic<Gate> gate_ = Gate::kShut;
  std::atomic<bool> has_ring_request_ = false;
  std::atomic<bool> has_given_up_rings_ = false;
  pthread_t caller_{};  ///< the thread that called run()
  std::atomic<unsigned> serving_threads_ = 0;
  std::atomic<bool> is_unmounted_ = false;
  std::atomic<bool> is_over_ = false;    ///< unmounted, or no thread serves any more
  std::atomic<bool> is_ending_ = false;  ///< all threads must end
  std::mutex mutex_;
  std::list<Thread> threads_;   ///< under mutex_; none is added once is_ending_ is set
  std::optional<Error> error_;  ///< the first one; under mutex_
};

}  // namespace dgfs::fuse
