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

// The last message of libfuse, which reports failures as text only, through a hook without user
// data; it is called by the thread that mounts.
thread_local std::string last_message;

void keep_message(fuse_log_level, const char* format, std::va_list values) {
  char text[512];
  std::vsnprintf(text, sizeof text, format, values);
  last_message = text;
  while (!last_message.empty() && last_message.back() == '\n') last_message.pop_back();
}

// libfuse's words without its name in front, or the system's where it said nothing.
std::string reason(int os_errno) {
  if (last_message.empty()) return os_errno == 0 ? "no reason was given" : std::strerror(os_errno);
  constexpr std::string_view kPrefix = "fuse: ";
  return last_message.starts_with(kPrefix) ? last_message.substr(kPrefix.size()) : last_message;
}

// libfuse tells what it does itself. Where it leaves the mount to fusermount3, that writes its
// reason to the error output, and what errno says then is of something else.
std::string mount_reason(int os_errno) {
  if (last_message.empty()) return "fusermount3 has refused it, and its own message says why";
  return reason(os_errno);
}

// argc and argv as libfuse takes them; it copies what it keeps.
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
  // Before there is a mount, so that no signal can end the process and leave a dead one.
  if (fuse_set_signal_handlers(session_.get()) != 0) {
    return Error(ErrorKind::kIo, 5023, "cannot handle signals: " + reason(errno));
  }
  errno = 0;  // fusermount3 is another program: its failure leaves no number here
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
  // libfuse goes on without it, but with its caller's output: mount(8), or who else waits for that
  // to close, would wait as long as the mount lasts.
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
