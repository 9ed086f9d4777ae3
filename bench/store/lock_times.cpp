// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// liblock_times.so: measures how long the threads of a program hold their mutexes, in processor
// time of the thread, so that the scheduler does not count. The place where a mutex was locked
// identifies a hold. Mutexes locked by pthread_mutex_trylock() are not timed, and a thread times at
// most sixteen at once.
//
//   LD_PRELOAD=.../liblock_times.so PROGRAM ...
//
// At the end, prints to standard error the places with the longest holds: the longest hold, the
// number of holds, and the place as module and offset, which addr2line -Cfie translates.
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace {

using Call = int (*)(pthread_mutex_t*);

// The counters of one place, found by hashing, because this code may neither allocate nor lock.
struct Site {
  std::atomic<void*> place = nullptr;
  std::atomic<std::uint64_t> count = 0;
  std::atomic<std::uint64_t> longest_ns = 0;
};

struct Hold {
  pthread_mutex_t* mutex = nullptr;
  void* place = nullptr;
  std::uint64_t since_ns = 0;
};

constexpr std::size_t kSites = 4096;
constexpr std::size_t kDepthMax = 16;
constexpr std::size_t kPrinted = 20;

std::array<Site, kSites> sites;
thread_local std::array<Hold, kDepthMax> held;
thread_local std::size_t depth = 0;

Call next(const char* name) { return reinterpret_cast<Call>(dlsym(RTLD_NEXT, name)); }

std::uint64_t thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void note(void* place, std::uint64_t ns) {
  auto at = reinterpret_cast<std::uintptr_t>(place) / 4 % kSites;
  for (std::size_t tries = 0; tries < kSites; ++tries, at = (at + 1) % kSites) {
    Site& site = sites[at];
    void* none = nullptr;
    if (site.place != place && !site.place.compare_exchange_strong(none, place) && none != place) {
      continue;
    }
    ++site.count;
    auto longest = site.longest_ns.load();
    while (ns > longest && !site.longest_ns.compare_exchange_weak(longest, ns)) {
    }
    return;
  }
}

struct Report {
  ~Report() {
    std::ranges::partial_sort(sites_, sites_.begin() + kPrinted, [](const auto* a, const auto* b) {
      return a->longest_ns > b->longest_ns;
    });
    for (const Site* site : sites_) {
      if (site->place == nullptr || printed_++ == kPrinted) break;
      Dl_info module{};
      dladdr(site->place, &module);
      const auto offset =
          static_cast<char*>(site->place.load()) - static_cast<char*>(module.dli_fbase);
      std::fprintf(stderr, "%10.1f us at most of %9lu holds: %s %#tx\n",
                   static_cast<double>(site->longest_ns) / 1000, site->count.load(),
                   module.dli_fname, offset);
    }
  }
  std::array<const Site*, kSites> sites_ = [] {
    std::array<const Site*, kSites> all{};
    std::ranges::transform(sites, all.begin(), [](const Site& site) { return &site; });
    return all;
  }();
  std::size_t printed_ = 0;
} report;

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const Call lock = next("pthread_mutex_lock");
  const int done = lock(mutex);
  if (depth < kDepthMax) held[depth++] = {mutex, __builtin_return_address(0), thread_ns()};
  return done;
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static const Call unlock = next("pthread_mutex_unlock");
  const auto now = thread_ns();
  const int done = unlock(mutex);
  for (auto at = depth; at-- > 0;) {
    if (held[at].mutex != mutex) continue;
    note(held[at].place, now - held[at].since_ns);
    const auto begin = held.begin() + static_cast<std::ptrdiff_t>(at);
    std::move(begin + 1, held.begin() + static_cast<std::ptrdiff_t>(depth), begin);
    --depth;
    break;
  }
  return done;
}
