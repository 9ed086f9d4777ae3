// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Reads an image with the library, or its file as a raw device would be read: the measured half of
// bench/read_many. Each run is one measurement, so that caches can be dropped before it.
//
//   dgfs_batch_reader raw IMAGE DEPTH COUNT SEED   8 KiB at random places, past the page cache
//   dgfs_batch_reader single IMAGE LIST THREADS [direct]   lookup() and read() of each path in LIST
//   dgfs_batch_reader many IMAGE LIST DEPTH [cached|threads]...    one read_many() for all paths
//   dgfs_batch_reader nodes IMAGE LIST DEPTH [cached|threads]...   the same, without timing lookups
//
// Prints one JSON object. Images are opened before the clock starts.
#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/timed_reads.h"
#include "reader/image.h"
#include "storage/posix/env.h"

namespace {

using dgfs::reader::Image;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kRawBytes = 8192;
constexpr std::uint64_t kPlaceBytes = 4096;

struct Sample {
  std::vector<std::int64_t> latencies_ns;  // empty if single reads are not timed
  std::uint64_t reads = 0;
  std::uint64_t bytes = 0;
  std::uint64_t failures = 0;
};

std::int64_t ns_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

double processor_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) {
    return 1e6 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

// Times `work` and prints its results.
int report(const std::function<Sample()>& work) {
  const auto processor_before = processor_us();
  const auto begin = Clock::now();
  Sample sample = work();
  const auto wall_us = static_cast<double>(ns_since(begin)) / 1e3;
  const auto processor = processor_us() - processor_before;
  const auto reads = static_cast<double>(sample.reads);
  fmt::print(
      R"({{"reads": {}, "failures": {}, "bytes": {}, "per_second": {:.0f}, "us_each": {:.2f}, )"
      R"("processor_us_each": {:.2f}, {}}})"
      "\n",
      sample.reads, sample.failures, sample.bytes, reads / wall_us * 1e6, wall_us / reads,
      processor / reads, dgfs::bench::quantiles_json(sample.latencies_ns));
  return sample.failures == 0 ? 0 : 1;
}

// A plain loop, so that the baseline contains none of our code.
Sample read_raw(int fd, unsigned depth, const std::vector<std::uint64_t>& places) {
  io_uring ring{};
  Sample sample;
  sample.failures = io_uring_queue_init(depth, &ring, 0) == 0 ? 0 : 1;
  if (sample.failures != 0) return sample;
  std::vector<void*> buffers(depth);
  std::vector<Clock::time_point> begun(depth);
  std::vector<std::size_t> free;
  for (std::size_t slot = 0; slot < depth; ++slot) {
    buffers[slot] = std::aligned_alloc(kPlaceBytes, kRawBytes);
    free.push_back(slot);
  }
  for (std::size_t next = 0; sample.reads < places.size();) {
    for (; next < places.size() && !free.empty(); ++next, free.pop_back()) {
      io_uring_sqe* entry = io_uring_get_sqe(&ring);
      io_uring_prep_read(entry, fd, buffers[free.back()], kRawBytes, places[next]);
      io_uring_sqe_set_data64(entry, free.back());
      begun[free.back()] = Clock::now();
    }
    io_uring_submit_and_wait(&ring, 1);
    for (io_uring_cqe* entry = nullptr; io_uring_peek_cqe(&ring, &entry) == 0; ++sample.reads) {
      const auto slot = io_uring_cqe_get_data64(entry);
      if (entry->res != static_cast<int>(kRawBytes)) ++sample.failures;
      sample.bytes += kRawBytes;
      sample.latencies_ns.push_back(ns_since(begun[slot]));
      free.push_back(slot);
      io_uring_cqe_seen(&ring, entry);
    }
  }
  io_uring_queue_exit(&ring);
  for (void* buffer : buffers) std::free(buffer);
  return sample;
}

int raw(const char* path, unsigned depth, std::size_t count, std::uint64_t seed) {
  const int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
  const auto size = static_cast<std::uint64_t>(lseek(fd, 0, SEEK_END));
  if (fd < 0 || size < 2 * kRawBytes) return 1;
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> places(count);
  for (auto& place : places) place = random() % ((size - kRawBytes) / kPlaceBytes) * kPlaceBytes;
  return report([&] { return read_raw(fd, depth, places); });
}

void read_singly(const Image& image, const std::vector<std::string>& paths,
                 std::atomic<std::size_t>& next, Sample& sample) {
  dgfs::Buffer buffer;
  for (std::size_t i = next++; i < paths.size(); i = next++) {
    const auto begin = Clock::now();
    const auto node = image.lookup(paths[i]);
    if (node) buffer.resize(node.assume_value().size_bytes);
    const bool good = node && image.read(node.assume_value(), 0, buffer);
    sample.latencies_ns.push_back(ns_since(begin));
    sample.bytes += buffer.size();
    sample.failures += good ? 0 : 1;
  }
}

int single(const Image& image, const std::vector<std::string>& paths, std::size_t thread_count) {
  return report([&] {
    std::atomic<std::size_t> next{0};
    std::vector<Sample> samples(thread_count);
    {
      std::vector<std::jthread> threads;
      for (auto& sample : samples) {
        threads.emplace_back([&] { read_singly(image, paths, next, sample); });
      }
    }
    Sample all;
    for (const auto& sample : samples) {
      all.latencies_ns.insert(all.latencies_ns.end(), sample.latencies_ns.begin(),
                              sample.latencies_ns.end());
      all.bytes += sample.bytes;
      all.failures += sample.failures;
    }
    all.reads = paths.size();
    return all;
  });
}

dgfs::reader::VisitPiece count_into(Sample& sample) {
  return [&sample](std::size_t, const dgfs::Result<dgfs::reader::FilePiece>& piece) {
    if (piece) sample.bytes += piece.assume_value().bytes.size();
    if (!piece || piece.assume_value().is_last) ++sample.reads;
    sample.failures += piece ? 0U : 1U;
    return true;
  };
}

int many(const Image& image, const std::vector<std::string>& paths, bool look_up_first,
         const dgfs::reader::ReadManyOptions& options) {
  std::vector<dgfs::reader::Node> nodes;
  for (std::size_t i = 0; look_up_first && i < paths.size(); ++i) {
    if (auto node = image.lookup(paths[i])) nodes.push_back(std::move(node).assume_value());
  }
  return report([&] {
    Sample sample;
    if (look_up_first) {
      image.read_many(nodes, count_into(sample), options);
    } else {
      image.read_many(paths, count_into(sample), options);
    }
    return sample;
  });
}

int usage(const char* program) {
  fmt::print(stderr, "usage: {} raw|single|many|nodes IMAGE ... (see the source)\n", program);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return usage(argv[0]);
  const std::string task = argv[1];
  const auto number = [&](int i) { return static_cast<unsigned>(std::stoul(argv[i])); };
  if (task == "raw")
    return argc < 6 ? usage(argv[0]) : raw(argv[2], number(3), number(4), number(5));
  const auto env = dgfs::storage::make_posix_env();
  dgfs::reader::OpenOptions open_options;
  open_options.contents_past_page_cache = std::string(argv[argc - 1]) == "direct";
  const auto image = Image::open(*env, argv[2], open_options);
  const auto paths = dgfs::bench::read_lines(argv[3]);
  if (!image || paths.empty()) {
    fmt::print(stderr, "{}: cannot open {} or {}\n", argv[0], argv[2], argv[3]);
    return 1;
  }
  if (task == "single") return single(*image.assume_value(), paths, number(4));
  dgfs::reader::ReadManyOptions options;
  options.depth = number(4);
  for (int i = 5; i < argc; ++i) {
    options.through_page_cache = options.through_page_cache || std::string(argv[i]) == "cached";
    options.io_uring = options.io_uring && std::string(argv[i]) != "threads";
  }
  return many(*image.assume_value(), paths, task == "nodes", options);
}
