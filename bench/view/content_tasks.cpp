// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents of files: overwrites of a large file of the base, sequential writes, reads of patched
// contents, and removal.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "bench/view/tasks.h"

namespace dgfs::bench {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{64} << 10;  // the default of a view
constexpr const char* kContents = "contents";
// For each part of the big file, how many of a thousand chunks are patched.
constexpr std::array<std::uint64_t, 4> kPatchedShares{0, 10, 100, 1000};

Buffer noise(std::uint64_t bytes, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Buffer buffer(static_cast<std::size_t>(bytes));
  std::generate(buffer.begin(), buffer.end(),
                [&] { return static_cast<std::uint8_t>(engine() >> 56); });
  return buffer;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes >= kMib) return fmt::format("{} MiB", bytes / kMib);
  return bytes >= 1024 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} B", bytes);
}

Status write_all(Target& target, Handle file, std::uint64_t length_bytes, const Buffer& call) {
  for (std::uint64_t at = 0; at < length_bytes; at += call.size()) {
    const auto bytes = std::min<std::uint64_t>(call.size(), length_bytes - at);
    DGFS_CHECK(target.write(file, at, Bytes(call).first(static_cast<std::size_t>(bytes))));
  }
  return ok();
}

// Opens the directory for contents, and makes it if it is missing.
Result<Handle> contents_directory(Target& target) {
  DGFS_TRY(root, target.directory(""));
  DGFS_TRY(is_there, target.has(root, kContents));
  if (!is_there) {
    DGFS_CHECK(target.make_directory(root, kContents));
  }
  return target.directory(kContents);
}

}  // namespace

Result<Handle> big_file(Target& target) {
  DGFS_TRY(root, target.directory(""));
  return target.file(root, kBig);
}

Status overwrite(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(big, big_file(target));
  const auto big_bytes = options.tree.big_mib * kMib;
  std::mt19937_64 engine(options.seed);
  for (const std::uint64_t bytes : {std::uint64_t{4}, kPageBytes, 2 * kPageBytes}) {
    const auto call = noise(bytes, bytes);
    const auto step = std::max<std::uint64_t>(bytes, 512);
    DGFS_CHECK(meter.measure(fmt::format("overwrites of {} at random", size_text(bytes)),
                             [&]() -> Result<std::uint64_t> {
                               for (std::uint64_t i = 0; i < options.overwrites; ++i) {
                                 DGFS_CHECK(
                                     target.write(big, engine() % (big_bytes / step) * step, call));
                               }
                               return options.overwrites;
                             }));
  }
  return ok();
}

Status stream(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(directory, contents_directory(target));
  for (const std::uint64_t bytes : {kPageBytes, 10 * kPageBytes, kMib}) {
    const auto name = "stream-" + std::to_string(bytes);
    DGFS_CHECK(target.create(directory, name));
    DGFS_TRY(file, target.file(directory, name));
    const auto call = noise(bytes, bytes);
    DGFS_CHECK(meter.measure(fmt::format("sequential writes of {}: a MiB", size_text(bytes)),
                             [&]() -> Result<std::uint64_t> {
                               DGFS_CHECK(write_all(target, file, options.stream_mib * kMib, call));
                               return options.stream_mib;
                             }));
    target.close_file(file);
    DGFS_CHECK(target.unlink(directory, name));
    DGFS_CHECK(target.settle());
  }
  return ok();
}

Status patch(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(big, big_file(target));
  const auto chunks = options.tree.big_mib * kMib / kPatchedShares.size() / kChunkBytes;
  const auto bytes = noise(16, 1);
  return meter.measure("patches", [&]() -> Result<std::uint64_t> {
    std::uint64_t count = 0;
    for (std::size_t part = 0; part < kPatchedShares.size(); ++part) {
      for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
        if (chunk * 7919 % 1000 >= kPatchedShares[part]) continue;
        DGFS_CHECK(target.write(big, (part * chunks + chunk) * kChunkBytes + 1000, bytes));
        ++count;
      }
    }
    return count;
  });
}

Status read_patched(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(big, big_file(target));
  const auto part_bytes = options.tree.big_mib * kMib / kPatchedShares.size();
  std::mt19937_64 engine(options.seed);
  Buffer page(kPageBytes);
  Buffer long_read(2 * kChunkBytes);
  for (std::size_t part = 0; part < kPatchedShares.size(); ++part) {
    const auto share =
        fmt::format("{:.1f} % of chunks patched", static_cast<double>(kPatchedShares[part]) / 10);
    const auto begin = part * part_bytes;
    DGFS_CHECK(meter.measure("reads of 4 KiB at random, " + share, [&]() -> Result<std::uint64_t> {
      for (std::uint64_t i = 0; i < options.content_reads; ++i) {
        const auto at = begin + engine() % (part_bytes / kPageBytes) * kPageBytes;
        DGFS_CHECK(target.read(big, at, page));
      }
      return options.content_reads;
    }));
    DGFS_CHECK(
        meter.measure("sequential reads, " + share + ": a MiB", [&]() -> Result<std::uint64_t> {
          const auto end = std::min(part_bytes, options.stream_mib * kMib);
          for (std::uint64_t at = 0; at < end; at += long_read.size()) {
            DGFS_CHECK(target.read(big, begin + at, long_read));
          }
          return end / kMib;
        }));
  }
  return ok();
}

Status remove_long(Target& target, Meter& meter, const TaskOptions& options) {
  DGFS_TRY(directory, contents_directory(target));
  const auto call = noise(kMib, 3);
  for (std::uint64_t mib = 1;; mib = std::min(16 * mib, options.removed_mib)) {
    const std::uint64_t count = mib <= 16 ? 20 : 1;
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) {
      names.push_back(fmt::format("removed-{}-{}", mib, i));
      DGFS_CHECK(target.create(directory, names.back()));
      DGFS_TRY(file, target.file(directory, names.back()));
      DGFS_CHECK(write_all(target, file, mib * kMib, call));
      target.close_file(file);
    }
    DGFS_CHECK(target.settle());
    DGFS_CHECK(meter.measure(fmt::format("unlink of a file of {} MiB", mib),
                             [&]() -> Result<std::uint64_t> {
                               for (const auto& name : names) {
                                 DGFS_CHECK(target.unlink(directory, name));
                               }
                               return count;
                             }));
    if (mib >= options.removed_mib) return ok();
  }
}

}  // namespace dgfs::bench
