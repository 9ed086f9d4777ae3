// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A libfuse session as an object: made, mounted, run, and in any case unmounted and freed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "fuse/service.h"

struct fuse_session;

namespace dgfs::fuse {

class Session {
 public:
  /// Takes the arguments of mount_arguments(). Errors: kInvalidArgument.
  /// @param service  must outlive the session
  [[nodiscard]] static Result<Session> create(Service& service,
                                              const std::vector<std::string>& arguments);
  ~Session();
  Session(Session&&) noexcept = default;

  /// @param mount_point  absolute, for the working directory may change
  /// Errors: kPermission, kIo.
  [[nodiscard]] Status mount(const std::string& mount_point);

  /// See mount() in fuse/mount.h: the calling process ends, the daemon returns. Error: kIo.
  [[nodiscard]] Status daemonize();

  /// For who sends the kernel more than answers. After mount().
  [[nodiscard]] fuse_session* get() const { return session_.get(); }

  /// Serves until unmounted or told to end by a signal. Error: kIo.
  [[nodiscard]] Status run(unsigned threads_max);

 private:
  struct Deleter {
    void operator()(fuse_session* session) const noexcept;
  };
  explicit Session(fuse_session* session) : session_(session) {}

  std::unique_ptr<fuse_session, Deleter> session_;
  bool mounted_ = false;
};

}  // namespace dgfs::fuse
