// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/kernel_read_ahead.h"

#include <fmt/format.h>

#include "fuse/mount_table.h"

namespace dgfs::fuse {
namespace {

constexpr std::string_view kReadAheadKib = "512";

}  // namespace

Status raise_read_ahead(storage::Env& env, const std::string& mount_point) {
  DGFS_TRY(table, read_mount_table(env));
  const auto mount = find_mount(table, mount_point);
  if (!mount) return ok();  // unmounted meanwhile
  const auto path = fmt::format("/sys/class/bdi/{}/read_ahead_kb", mount->device);
  DGFS_TRY(setting, env.open(path, {.mode = storage::OpenOptions::Mode::kReadWrite}));
  return setting->write_at(0, as_bytes(kReadAheadKib));
}

}  // namespace dgfs::fuse
