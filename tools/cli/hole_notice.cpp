// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/cli/hole_notice.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/section/digest_hasher.h"
#include "tools/text/size_text.h"

namespace dgfs::tools {
namespace {

constexpr std::uint64_t kMeasuredBytes = std::uint64_t{8} << 20;

/// Nanoseconds that one thread needs to hash so many zeros; 0 if that cannot be measured.
double hashing_ns(const Session& session, std::uint64_t bytes) {
  auto hasher = format::DigestHasher::make(format::DigestAlgorithm::kSha256);
  if (!hasher) return 0;
  const auto begin_ns = session.env().monotonic_ns();
  hasher.value().update_zeros(kMeasuredBytes);
  const auto elapsed_ns = session.env().monotonic_ns() - begin_ns;
  return static_cast<double>(elapsed_ns) * static_cast<double>(bytes) /
         static_cast<double>(kMeasuredBytes);
}

/// The most bytes that one thread hashes: files are spread over threads, the holes of one file are
/// not.
std::uint64_t bytes_in_turn(const Session& session, const format::LongHoles& holes, unsigned jobs) {
  const std::uint64_t cores = std::max(session.env().processor_count(), 1U);
  const auto threads = jobs == 0 ? cores : std::min<std::uint64_t>(jobs, cores);
  return std::max(holes.largest_bytes, holes.bytes / threads);
}

}  // namespace

void tell_of_holes(const Session& session, const format::LongHoles& holes, unsigned jobs,
                   std::string_view advice) {
  if (holes.bytes < kHoleNoticeBytes) return;
  const auto time_ns = hashing_ns(session, bytes_in_turn(session, holes, jobs));
  // Rounded to whole seconds, because it is an estimate.
  constexpr double kSecondNs = 1e9;
  const auto seconds = static_cast<std::uint64_t>(time_ns / kSecondNs + 1);
  const auto time = time_ns == 0 ? std::string()
                                 : ", which takes about " + duration_text(seconds * 1'000'000'000);
  session.complain(fmt::format("the digests need {}{} of holes in {} hashed as zeros{}; {}",
                               holes.is_estimate ? "up to " : "", size_text(holes.bytes),
                               counted(holes.files, "file"), time, advice));
}

}  // namespace dgfs::tools
