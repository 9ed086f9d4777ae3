// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A libfuse session as an object: created, mounted, run, and always unmounted and freed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "fuse/service.h"
#include "fuse/transport/request_loop.h"

struct fuse_session;

namespace dgfs::fuse {

class Session {
 public:
  /// Takes the result of mount_arguments(). Errors: kInvalidArgument.
  /// @param service  must outlive the session
  [[nodiscard]] static Result<Session> create(Service& service,
                                              const std::vector<std::string>& arguments);
  ~Session();
  Session(Session&&) noexcept = default;

  /// @param mount_point  absolute, because the working directory may change
  /// Errors: kPermission, kIo.
  [[nodiscard]] Status mount(const std::string& mount_point);

  /// See mount() in fuse/mount.h: the calling process ends, the daemon returns. Errors: kIo.
  [[nodiscard]] Status daemonize();

  /// The libfuse session, for notifications. Valid after mount().
  [[nodiscard]] fuse_session& get() const { return *session_; }

  /// How requests are served. A value.
  struct Serving {
    unsigned threads = 1;             ///< each serves one request at a time
    RequestFilter* filter = nullptr;  ///< see FileSystem::filter()
    Transport transport = Transport::kAuto;
    RequestLoop::Tell tell;
  };
  /// Serves until it is unmounted or a signal ends it. Errors: those of RequestLoop::run().
  /// @param before_end  see RequestLoop::run()
  [[nodiscard]] Status run(const Serving& serving, const std::function<void()>& before_end);

 private:
  struct Deleter {
    void operator()(fuse_session* session) const noexcept;
  };
  explicit Session(fuse_session* session) : session_(session) {}

  std::unique_ptr<fuse_session, Deleter> session_;
  bool mounted_ = false;
};

}  // namespace dgfs::fuse
