// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/session.h"

#include <fuse_lowlevel.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "fuse/transport/request_loop.h"
#include "storage/posix/null_device.h"

namespace dgfs::fuse {
namespace {

// The last message of libfuse, which reports failures only as text, through a hook without user
// data; libfuse calls the hook in the thread that mounts.
thread_local std::string last_message;

void keep_message(fuse_log_level, const char* format, std::va_list values) {
  char text[512];
  std::vsnprintf(text, sizeof text, format, values);
  last_message = text;
  while (!last_message.empty() && last_message.back() == '\n') last_message.pop_back();
}

// libfuse's message without its program name, or the system's message if libfuse gave none.
std::string reason(int os_errno) {
  if (last_message.empty()) return os_errno == 0 ? "no reason was given" : std::strerror(os_errno);
  constexpr std::string_view kPrefix = "fuse: ";
  return last_message.starts_with(kPrefix) ? last_message.substr(kPrefix.size()) : last_message;
}

// libfuse reports its own failures. If it leaves the mount to fusermount3, that writes its reason
// to the error output, and errno then belongs to something else.
std::string mount_reason(int os_errno) {
  if (last_message.empty()) return "fusermount3 refused, and its own message says why";
  return reason(os_errno);
}

// argc and argv for libfuse, which copies the parts that it keeps.
struct Arguments {
  explicit Arguments(const std::vector<std::string>& texts) {
    fuse_opt_add_arg(&args, "dgfs");
    for (const auto& text : texts) fuse_opt_add_arg(&args, text.c_str());
  }
  ~Arguments() { fuse_opt_free_args(&args); }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  fuse_args args = FUSE_ARGS_INIT(0, nullptr);
};

void start_connection(void* user_data, fuse_conn_info* connection) noexcept {
  connection->max_write = std::min<unsigned>(connection->max_write, kWriteBytesMax);
  static_cast<Service*>(user_data)->file_system.start_connection(*connection);
}

}  // namespace

void Session::Deleter::operator()(fuse_session* session) const noexcept {
  fuse_session_destroy(session);
}

Result<Session> Session::create(Service& service, const std::vector<std::string>& arguments) {
  last_message.clear();
  fuse_set_log_func(keep_message);
  Arguments list(arguments);
  auto operations = service.file_system.operations();
  operations.init = start_connection;
  auto* session = fuse_session_new(&list.args, &operations, sizeof operations, &service);
  if (session == nullptr) {
    return Error(ErrorKind::kInvalidArgument, 5020, "mount options refused: " + reason(EINVAL));
  }
  return Session(session);
}

Session::~Session() {
  if (!session_ || !mounted_) return;
  fuse_session_unmount(session_.get());
  fuse_remove_signal_handlers(session_.get());
}

Status Session::mount(const std::string& mount_point) {
  last_message.clear();
  // Set before the mount exists, so that no signal can end the process and leave a dead mount.
  if (fuse_set_signal_handlers(session_.get()) != 0) {
    return Error(ErrorKind::kIo, 5023, "cannot handle signals: " + reason(errno));
  }
  errno = 0;  // fusermount3 is a separate program: its failure sets no errno here
  if (fuse_session_mount(session_.get(), mount_point.c_str()) != 0) {
    const int os_errno = errno;
    fuse_remove_signal_handlers(session_.get());
    const bool refused = os_errno == EPERM || os_errno == EACCES;
    return Error(refused ? ErrorKind::kPermission : ErrorKind::kIo, 5021,
                 "cannot mount: " + mount_reason(os_errno))
        .in_file(mount_point)
        .with_errno(os_errno);
  }
  mounted_ = true;
  return ok();
}

Status Session::daemonize() {
  // Without the null device libfuse would continue with its caller's output; then mount(8), or any
  // program that waits for that output to close, would wait as long as the mount lasts.
  DGFS_CHECK(storage::check_null_device());
  last_message.clear();
  if (fuse_daemonize(0) != 0) {
    const int os_errno = errno;
    return Error(ErrorKind::kIo, 5022, "cannot go to the background: " + reason(os_errno))
        .with_errno(os_errno);
  }
  return ok();
}

Status Session::run(const Serving& serving, const std::function<void()>& before_end) {
  return RequestLoop(*session_, serving.filter, serving.transport, serving.tell)
      .run(serving.threads, before_end);
}

}  // namespace dgfs::fuse
