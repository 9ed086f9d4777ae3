// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/transport/request_loop.h"

#include <fuse_lowlevel.h>
#include <poll.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <string>

#include "storage/posix/blocked_signals.h"
#include "storage/posix/fuse_channel.h"

namespace dgfs::fuse {
namespace {

// The largest request: a write, with its header.
constexpr std::size_t kRequestBytesMax = kWriteBytesMax + 4096;
// Ends a thread's wait for a request, and the caller's for the end. Nothing else here uses it.
constexpr int kWakeSignal = SIGUSR2;
// A thread that was about to wait has missed it, and gets another one.
constexpr auto kWakeAgain = std::chrono::milliseconds(5);

// Of a thread that serves.
struct Serving {
  const storage::FuseChannel& channel;
  RequestFilter* filter;
};
thread_local const Serving* serving = nullptr;

void do_nothing(int) {}

// Threads that serve no requests send by the descriptor of the session itself.
ssize_t send(int device, iovec* parts, int count, void*) {
  const std::span<const iovec> all(parts, static_cast<std::size_t>(count));
  if (serving == nullptr) return storage::send_to_fuse(device, all);
  const auto* const request = current_request();
  if (serving->filter != nullptr && request != nullptr) serving->filter->see_reply(*request, all);
  return serving->channel.send(all);
}

// libfuse wants one; each thread receives by its channel.
ssize_t receive(int, void*, std::size_t, void*) {
  errno = ENOTSUP;
  return -1;
}

// Waits for a signal that is not blocked without it. One that has come before counts.
void wait_for_signal(const storage::BlockedSignals& blocked) {
  sigset_t waited = blocked.before();
  sigdelset(&waited, kWakeSignal);
  static_cast<void>(::ppoll(nullptr, 0, nullptr, &waited));
}

// The action of the wake signal while requests are served.
class WakeAction {
 public:
  WakeAction() {
    struct sigaction action {};
    action.sa_handler = do_nothing;
    sigaction(kWakeSignal, &action, &before_);
  }
  ~WakeAction() { sigaction(kWakeSignal, &before_, nullptr); }
  WakeAction(const WakeAction&) = delete;
  WakeAction& operator=(const WakeAction&) = delete;

 private:
  struct sigaction before_ {};
};

void take_wake_signals() {
  sigset_t wake;
  sigemptyset(&wake);
  sigaddset(&wake, kWakeSignal);
  pthread_sigmask(SIG_UNBLOCK, &wake, nullptr);
}

}  // namespace

Status RequestLoop::run(unsigned threads, const std::function<void()>& before_end) {
  const WakeAction wake;
  DGFS_CHECK(attach());
  caller_ = pthread_self();
  // Signals that end a mount find the caller alone, and while it waits.
  const storage::BlockedSignals blocked;
  const auto started = start(threads);
  while (started && !is_over_ && fuse_session_exited(&session_) == 0) wait_for_signal(blocked);
  if (started && !is_unmounted_ && !is_over_ && before_end) before_end();
  is_ending_ = true;
  fuse_session_exit(&session_);
  end();
  DGFS_CHECK(started);
  const std::lock_guard lock(mutex_);
  return error_ ? Status(*error_) : ok();
}

Status RequestLoop::attach() {
  fuse_custom_io io{};
  io.writev = send;
  io.read = receive;
  const int result = fuse_session_custom_io(&session_, &io, fuse_session_fd(&session_));
  if (result == 0) return ok();
  return Error(ErrorKind::kLimit, 5052, "no memory for the session").with_errno(-result);
}

// With fewer threads than were asked for it serves all the same.
Status RequestLoop::start(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    Thread& own = threads_.emplace_back();
    ++serving_threads_;
    try {
      // Pages of it that no request reaches take no memory.
      own.buffer = std::make_unique_for_overwrite<std::uint8_t[]>(kRequestBytesMax);
      own.thread = std::thread([this, &own] { serve(own); });
    } catch (const std::exception& failure) {
      --serving_threads_;
      threads_.pop_back();
      if (!threads_.empty()) break;
      return Error(ErrorKind::kLimit, 5054, std::string("no thread to be had: ") + failure.what());
    }
  }
  return ok();
}

void RequestLoop::serve(Thread& own) {
  take_wake_signals();
  serve_requests(own);
  serving = nullptr;
  // A thread that fails leaves the requests to the others.
  if (--serving_threads_ == 0 || is_unmounted_) is_over_ = true;
  own.has_ended = true;
  pthread_kill(caller_, kWakeSignal);
}

void RequestLoop::serve_requests(Thread& own) {
  const auto channel = storage::FuseChannel::further(fuse_session_fd(&session_));
  const Serving place{channel, filter_};
  serving = &place;
  const MutableBytes buffer(own.buffer.get(), kRequestBytesMax);
  while (!is_ending_) {
    own.is_waiting = true;
    const auto length = channel.receive(buffer);
    own.is_waiting = false;
    if (!length && length.error().kind() == ErrorKind::kInterrupted) continue;
    if (!length) return note(length.error());
    if (length.value() == 0) {
      is_unmounted_ = true;
      return;
    }
    if (length.value() < sizeof(fuse_in_header)) continue;
    RawRequest request(buffer.first(length.value()));
    if (filter_ != nullptr) filter_->see_request(request);
    const CurrentRequest current(request);
    fuse_buf taken{};
    taken.mem = request.bytes().data();
    taken.size = request.bytes().size();
    fuse_session_process_buf(&session_, &taken);
  }
}

void RequestLoop::note(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
}

// Each ends the request that it has. One that waits for another is woken until it has seen that
// there will be none.
void RequestLoop::end() {
  for (Thread& each : threads_) {
    while (!each.has_ended) {
      if (each.is_waiting) pthread_kill(each.thread.native_handle(), kWakeSignal);
      std::this_thread::sleep_for(kWakeAgain);
    }
    each.thread.join();
  }
  threads_.clear();
}

}  // namespace dgfs::fuse
