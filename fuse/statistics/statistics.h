// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The activity of a mount since it began, for `dgfs info --live` and for monitoring.
#pragma once

#include <string>
#include <string_view>

namespace dgfs::fuse {

struct Service;

/// The extended attribute of a mount's root that holds statistics_json(). Lists do not contain it.
inline constexpr std::string_view kStatisticsXattr = "user.dgfs.stats";

/// One JSON object:
/// - uuid: of the image; seconds: since it was mounted; transport: how requests reach the process,
///   io_uring or classic (/dev/fuse);
/// - requests: by kind, each {count, failed, p50_ns, p99_ns, total_ns}; times run from taking a
///   request to passing on the reply; content_bytes: of files, passed to the kernel;
/// - listings: {bare_names, dropped, to_drop}: names of files that came without attributes,
///   listings with such names that the kernel is told to forget, and how many of these it was not
///   told yet (images alone);
/// - page_cache, frame_cache: {hits, misses, evictions, bytes, bytes_max};
/// - device: index, records, data, each {reads, bytes};
/// - errors: failed reads and checks; healed_pages: corrected from the second copy of the index.
[[nodiscard]] std::string statistics_json(const Service& service);

}  // namespace dgfs::fuse
