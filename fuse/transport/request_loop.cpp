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
#include <span>
#include <string>

#include "fuse/transport/init_reply.h"
#include "fuse/transport/serving_thread.h"
#include "storage/fuse/fuse_channel.h"
#include "storage/posix/blocked_signals.h"
#include "storage/posix/processors.h"

namespace dgfs::fuse {
namespace {

// The largest request is a write with its header.
constexpr std::size_t kRequestBytesMax = kWriteBytesMax + 4096;
// Wakes a thread that waits for a request, or the caller that waits for the end. Has no other use
// here.
constexpr int kWakeSignal = SIGUSR2;
// A thread that was just about to wait misses the signal, so it gets another one.
constexpr auto kWakeAgain = std::chrono::milliseconds(5);

// With a ring, the number of threads for requests that still come through the device.
constexpr unsigned kDeviceThreadsOfRing = 2;

void do_nothing(int) {}

// Threads that serve no requests send through the descriptor of the session itself.
ssize_t send(int device, iovec* parts, int count, void*) {
  const std::span<const iovec> all(parts, static_cast<std::size_t>(count));
  const auto* const own = serving_thread();
  if (own == nullptr) return storage::send_to_fuse(device, all);
  const auto* const request = current_request();
  if (request == nullptr) return own->source.send(all);
  auto init = InitReply::of(*request, all);
  if (init) allow_parallel_lookups(*request, *init);
  if (init && own->negotiation != nullptr) own->negotiation->see_reply(*init);
  if (own->filter != nullptr) own->filter->see_reply(*request, all);
  const auto result = own->source.send(all);
  if (init && own->negotiation != nullptr) own->negotiation->note_sent(result > 0);
  return result;
}

// libfuse requires this function, but each thread receives through its own channel.
ssize_t receive(int, void*, std::size_t, void*) {
  errno = ENOTSUP;
  return -1;
}

// Unblocks the signals and waits for one. A signal that came before counts.
void wait_for_signal(const storage::BlockedSignals& blocked) {
  sigset_t waited = blocked.before();
  sigdelset(&waited, kWakeSignal);
  static_cast<void>(::ppoll(nullptr, 0, nullptr, &waited));
}

// Sets the action of the wake signal while requests are served.
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
  allowed_processors_ = storage::allowed_processors();
  // So only the caller gets the signals that end a mount, and only while it waits.
  const storage::BlockedSignals blocked;
  const auto started = start(threads);
  while (started && !is_over_ && fuse_session_exited(&session_) == 0) wait_for_signal(blocked);
  if (started && !is_unmounted_ && !is_over_ && before_end) before_end();
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  fuse_session_exit(&session_);
  if (gate_ == Gate::kShut) open_gate(Gate::kGone);
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

// One thread takes INIT; its answer decides how all others get their requests.
Status RequestLoop::start(unsigned threads) {
  asked_threads_ = threads;
  if (transport_ == Transport::kClassic) return start_device_threads(threads);
  negotiation_.emplace(transport_, threads, fuse_session_fd(&session_));
  return start_device_threads(1);
}

// Serves with fewer threads if the system gives no more.
Status RequestLoop::start_device_threads(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    const auto started = start_thread(nullptr, std::nullopt);
    if (!started && serving_threads_ == 0) return started;
    if (!started) break;
  }
  return ok();
}

// Without a source, the thread serves the device.
Status RequestLoop::start_thread(std::unique_ptr<RequestSource> source,
                                 std::optional<QueueShare> share) {
  const std::lock_guard lock(mutex_);
  if (is_ending_) return ok();
  Thread& own = threads_.emplace_back();
  ++serving_threads_;
  try {
    own.source = source
                     ? std::move(source)
                     : std::make_unique<DeviceSource>(fuse_session_fd(&session_), kRequestBytesMax);
    own.share = std::move(share);
    own.thread = std::thread([this, &own] { serve(own); });
  } catch (const std::exception& failure) {
    --serving_threads_;
    threads_.pop_back();
    return Error(ErrorKind::kLimit, 5054, std::string("cannot start a thread: ") + failure.what());
  }
  return ok();
}

// The kernel waits until each of its queues is served, so all threads start before the answer yes.
void RequestLoop::start_ring_threads() {
  auto rings = negotiation_->take_rings();
  if (rings.empty()) return;
  for (auto& [ring, share] : rings) {
    const auto started = start_thread(std::make_unique<RingSource>(std::move(ring)), share);
    if (!started) return negotiation_->set_reason(started.error().message());
  }
  // start_thread() starts none once the mount ends.
  if (is_ending_) return negotiation_->set_reason("the mount ends");
  negotiation_->agree();
}

void RequestLoop::serve(Thread& own) {
  take_wake_signals();
  if (own.share && own.share->processor) {
    storage::bind_to_processors(std::span(&*own.share->processor, 1));
  } else if (!allowed_processors_.empty()) {
    // The thread that has started it may be bound to one processor.
    storage::bind_to_processors(allowed_processors_);
  }
  if (own.share) gate_.wait(Gate::kShut);
  if (!own.share || gate_ == Gate::kOpen) serve_requests(own);
  own.source.reset();
  // If a thread fails, the others take the requests.
  if (--serving_threads_ == 0 || is_unmounted_) is_over_ = true;
  own.has_ended = true;
  pthread_kill(caller_, kWakeSignal);
}

void RequestLoop::serve_requests(Thread& own) {
  const ServingThread here{*own.source, filter_, negotiation_ ? &*negotiation_ : nullptr,
                           !own.share || own.share->queues.size() == 1};
  const ServingHere serving(here);
  while (!is_ending_) {
    own.is_waiting = true;
    const auto taken = own.source->receive();
    own.is_waiting = false;
    if (!taken && taken.error().kind() == ErrorKind::kInterrupted) continue;
    if (!taken && taken.error().kind() == ErrorKind::kUnsupported)
      return give_up_rings(taken.error());
    if (!taken) {
      // The requests of its queue would wait for ever.
      if (own.share) is_over_ = true;
      return note(taken.error());
    }
    if (taken.value().empty()) {
      is_unmounted_ = true;
      return;
    }
    if (own.share && !has_ring_request_.exchange(true) && tell_) tell_(true, "");
    if (taken.value().size() >= sizeof(fuse_in_header)) answer(taken.value());
  }
  own.source->finish();
}

void RequestLoop::answer(MutableBytes bytes) {
  RawRequest request(bytes);
  const bool is_init = negotiation_ && request.opcode() == FUSE_INIT;
  if (is_init) {
    negotiation_->see_request(request);
    start_ring_threads();
  }
  if (filter_ != nullptr) filter_->see_request(request);
  {
    const CurrentRequest current(request);
    fuse_buf taken{};
    taken.mem = request.bytes().data();
    taken.size = request.bytes().size();
    fuse_session_process_buf(&session_, &taken);
  }
  if (is_init) begin_transport();
}

// After the answer to INIT, the kernel sends requests the way that the answer says.
void RequestLoop::begin_transport() {
  const bool is_ring = negotiation_->has_agreed();
  open_gate(is_ring ? Gate::kOpen : Gate::kGone);
  if (!is_ring && tell_) tell_(false, negotiation_->reason());
  const auto further = (is_ring ? kDeviceThreadsOfRing : asked_threads_) - 1;
  const auto started = start_device_threads(further);
  if (!started) note(started.error());
}

// If the kernel refuses a ring entry, requests come through the device.
void RequestLoop::give_up_rings(const Error& why) {
  if (has_given_up_rings_.exchange(true)) return;
  storage::refuse_rings(fuse_session_fd(&session_));
  if (tell_) tell_(false, why.message());
  const auto started = start_device_threads(asked_threads_);
  if (!started) note(started.error());
}

void RequestLoop::open_gate(Gate gate) {
  gate_ = gate;
  gate_.notify_all();
}

void RequestLoop::note(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
}

// Each thread completes its current request. A thread that waits for a request gets wake signals
// until it sees that the loop ends.
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
