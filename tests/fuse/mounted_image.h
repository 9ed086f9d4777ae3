// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A tree packed into an image and mounted by a child process, for tests that use it as programs
// do.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "fuse/mount.h"
#include "tests/fuse/device_switch.h"
#include "tests/fuse/scratch_tree.h"
#include "tests/support/skip.h"

namespace dgfs::test {

/// Returns why mounting is impossible here; empty if it is possible.
[[nodiscard]] std::string why_no_mount();

/// Packs `source` into `image` (and its index beside it).
void build_image(const ScratchTree& source, const std::string& image);

class MountedImage {
 public:
  struct Options {
    std::vector<std::string> mount_options;
    bool daemon = false;
    bool with_delta = false;  ///< a new one, beside the image
    DeviceSwitch* device =
        nullptr;  ///< the device below image and index; from make_shared_switch()
  };
  /// Packs and mounts; returns when the mount can be used.
  explicit MountedImage(const ScratchTree& source) : MountedImage(source, Options()) {}
  MountedImage(const ScratchTree& source, const Options& options);
  ~MountedImage();
  MountedImage(const MountedImage&) = delete;
  MountedImage& operator=(const MountedImage&) = delete;

  [[nodiscard]] std::string path(std::string_view name = "") const;
  [[nodiscard]] std::string image_path() const { return place_.path("image.dgfs"); }
  [[nodiscard]] std::string index_path() const { return place_.path("image.dgfs.idx"); }
  [[nodiscard]] const fuse::RequestCounters& counters() const { return *counters_; }
  /// The log of a server in the foreground.
  [[nodiscard]] std::string log() const { return slurp(place_.path("log")); }

  [[nodiscard]] bool is_mounted() const;
  [[nodiscard]] bool server_lives() const;
  [[nodiscard]] pid_t server() const { return server_; }
  /// Unmounts; returns the server's exit status, -1 if it was killed.
  int unmount();
  /// Sends a signal; returns the server's exit status as unmount() does.
  int end_by(int signal);

 private:
  void serve(const Options& options);
  void wait_until_mounted();
  int wait_for_server();

  ScratchTree place_;
  fuse::RequestCounters* counters_;  // in memory shared with the server
  pid_t server_ = -1;                // -1: the server has ended
};

}  // namespace dgfs::test

/// Goes first in a test that mounts.
#define DGFS_NEEDS_FUSE() \
  if (const auto reason = dgfs::test::why_no_mount(); !reason.empty()) DGFS_SKIP(reason)
