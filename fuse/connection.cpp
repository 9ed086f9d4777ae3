// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/connection.h"

namespace dgfs::fuse {
namespace {

// Limit of background requests in flight: reads ahead, and pages that are written back. With the
// kernel's default of 12 a fast disk would be idle.
constexpr unsigned kBackgroundRequestsMax = 64;

}  // namespace

void set_up_connection(fuse_conn_info& connection, unsigned more,
                       std::uint64_t max_read_bytes) noexcept {
  connection.want = connection.capable & (kWantedCapabilities | more);
  connection.max_background = kBackgroundRequestsMax;
  connection.congestion_threshold = kBackgroundRequestsMax / 4 * 3;
  if (max_read_bytes != 0) connection.max_read = static_cast<unsigned>(max_read_bytes);
}

}  // namespace dgfs::fuse
