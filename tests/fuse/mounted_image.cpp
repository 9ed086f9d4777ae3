// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/fuse/mounted_image.h"

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>

#include "builder/build.h"
#include "storage/posix/env.h"

namespace dgfs::test {
namespace {

fuse::RequestCounters* make_shared_counters() {
  void* memory = ::mmap(nullptr, sizeof(fuse::RequestCounters), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return new (memory) fuse::RequestCounters;
}

std::shared_ptr<spdlog::logger> make_file_logger(const std::string& path) {
  auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  auto logger = std::make_shared<spdlog::logger>("dgfs", std::move(sink));
  logger->flush_on(spdlog::level::trace);
  return logger;
}

int exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

}  // namespace

std::string why_no_mount() {
  if (::access("/dev/fuse", R_OK | W_OK) != 0) {
    return std::string("/dev/fuse cannot be opened: ") + std::strerror(errno);
  }
  return ::geteuid() == 0 ? "" : "mounting needs root here";
}

void build_image(const ScratchTree& source, const std::string& image) {
  const auto env = storage::make_posix_env();
  builder::BuildOptions options;
  options.source = source.path();
  options.image_path = image;
  const auto report = builder::build(*env, options);
  ASSERT_TRUE(report) << report.error().message();
}

MountedImage::MountedImage(const ScratchTree& source, const Options& options)
    : counters_(make_shared_counters()) {
  build_image(source, image_path());
  place_.directory("mount");
  place_.open_to_all();
  // When the daemon's parent ends, the daemon becomes a child of this process, which can wait for
  // it.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  server_ = ::fork();
  if (server_ == 0) serve(options);
  if (options.daemon) {
    const int status = wait_for_server();
    EXPECT_EQ(status, 0) << "the parent exits with 0 once the mount is usable";
    EXPECT_TRUE(is_mounted());
    server_ = 0;  // wait for any child: the daemon
  } else {
    wait_until_mounted();
  }
}

MountedImage::~MountedImage() {
  if (is_mounted()) ::umount2(path().c_str(), MNT_DETACH);
  if (server_ > 0) ::kill(server_, SIGKILL);
  if (server_ >= 0) wait_for_server();
  ::munmap(counters_, sizeof *counters_);
}

void MountedImage::serve(const Options& options) {
  const auto posix_env = storage::make_posix_env();
  const auto switched_env =
      options.device != nullptr ? make_switched_env(*posix_env, *options.device) : nullptr;
  storage::Env& env = switched_env ? *switched_env : *posix_env;
  fuse::MountOptions mount_options;
  mount_options.image_path = image_path();
  mount_options.mount_point = path();
  mount_options.options = options.mount_options;
  if (options.with_delta) mount_options.options.push_back("delta=" + place_.path("delta"));
  mount_options.foreground = !options.daemon;
  mount_options.counters = counters_;
  const auto status = fuse::mount(env, mount_options, make_file_logger(place_.path("log")));
  if (!status) std::fprintf(stderr, "mount: %s\n", status.error().message().c_str());
  ::_exit(status ? 0 : 1);
}

std::string MountedImage::path(std::string_view name) const {
  return place_.path(name.empty() ? "mount" : "mount/" + std::string(name));
}

// Reads the mount table, not the mount, so that it also sees the mount of a dead server.
bool MountedImage::is_mounted() const {
  return slurp("/proc/self/mounts").find(" " + path() + " fuse.dgfs ") != std::string::npos;
}

bool MountedImage::server_lives() const {
  return server_ >= 0 && ::waitpid(server_, nullptr, WNOHANG) == 0;
}

void MountedImage::wait_until_mounted() {
  while (!is_mounted()) {
    if (!server_lives()) {
      server_ = -1;
      FAIL() << "the server ended before it had mounted the image";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  // Returns once the server answers.
  (void)lstat_of(path());
}

int MountedImage::wait_for_server() {
  int status = 0;
  const pid_t waited = ::waitpid(server_ > 0 ? server_ : -1, &status, 0);
  server_ = -1;
  return waited < 0 ? -1 : exit_status(status);
}

int MountedImage::unmount() {
  if (::umount2(path().c_str(), 0) != 0) {
    ADD_FAILURE() << "umount: " << std::strerror(errno);
    return -1;
  }
  return wait_for_server();
}

int MountedImage::end_by(int signal) {
  ::kill(server_, signal);
  return wait_for_server();
}

}  // namespace dgfs::test
