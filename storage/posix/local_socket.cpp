// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/local_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "storage/posix/os_error.h"

namespace dgfs::storage {
namespace {

constexpr int kWaitingMax = 16;

// An address has room for 107 bytes of path. An open directory has a short path under /proc.
class Address {
 public:
  [[nodiscard]] static Result<Address> of(const std::string& directory, const std::string& name) {
    const int fd = retry_interrupted(
        [&] { return ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); });
    if (fd < 0) return os_error(1092, errno, "open", directory);
    Address address;
    address.directory_ = UniqueFd(fd);
    address.name_ = name;
    const auto path = "/proc/self/fd/" + std::to_string(fd) + "/" + name;
    if (path.size() >= sizeof address.place_.sun_path) {
      return os_error(1093, ENAMETOOLONG, "use", directory + "/" + name);
    }
    address.place_.sun_family = AF_UNIX;
    std::memcpy(address.place_.sun_path, path.c_str(), path.size() + 1);
    return address;
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&place_); }
  [[nodiscard]] static constexpr socklen_t size() { return sizeof(sockaddr_un); }

  /// Removes the name, but only of a socket.
  void remove() const {
    struct stat found {};
    if (::fstatat(directory_.get(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISSOCK(found.st_mode)) {
      ::unlinkat(directory_.get(), name_.c_str(), 0);
    }
  }

 private:
  Address() = default;

  UniqueFd directory_;
  std::string name_;
  sockaddr_un place_{};
};

// Receives until `end` comes (null: no such byte) or the other side ends.
Result<std::string> receive(int socket, std::size_t bytes_max, const char* end) {
  std::string text;
  char part[4096];
  while (true) {
    const auto count = retry_interrupted([&] { return ::recv(socket, part, sizeof part, 0); });
    if (count < 0) return os_error(1094, errno, "read", "a local socket");
    text.append(part, static_cast<std::size_t>(count));
    const auto ends = end == nullptr ? text.npos : text.find(*end);
    if (ends != text.npos) text.resize(ends);
    if (text.size() > bytes_max) {
      return Error(ErrorKind::kLimit, 1095, "more than was asked for came by a local socket");
    }
    if (ends != text.npos || count == 0) return text;
  }
}

}  // namespace

LocalConnection::LocalConnection(UniqueFd socket, std::chrono::seconds patience)
    : socket_(std::move(socket)) {
  const timeval wait{.tv_sec = patience.count(), .tv_usec = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

Result<LocalConnection> LocalConnection::open(const std::string& directory, const std::string& name,
                                              std::chrono::seconds patience) {
  DGFS_TRY(address, Address::of(directory, name));
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return os_error(1096, errno, "make", "a local socket");
  const int connected =
      retry_interrupted([&] { return ::connect(socket.get(), address.get(), Address::size()); });
  if (connected == 0) return LocalConnection(std::move(socket), patience);
  const auto path = directory + "/" + name;
  if (errno == ECONNREFUSED)
    return Error(ErrorKind::kNotFound, 1097, "nobody listens").in_file(path);
  return os_error(1098, errno, "connect to", path);
}

Result<std::string> LocalConnection::receive_line(std::size_t bytes_max) const {
  constexpr char kEnd = '\n';
  return receive(socket_.get(), bytes_max, &kEnd);
}

Result<std::string> LocalConnection::receive_all(std::size_t bytes_max) const {
  return receive(socket_.get(), bytes_max, nullptr);
}

bool LocalConnection::has_input(std::chrono::milliseconds wait) const {
  pollfd state{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&state, 1, static_cast<int>(wait.count())) > 0;
}

Status LocalConnection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto count = retry_interrupted(
        [&] { return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    if (count < 0) return os_error(1099, errno, "write", "a local socket");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ok();
}

Result<LocalListener> LocalListener::open(const std::string& directory, const std::string& name) {
  DGFS_TRY(address, Address::of(directory, name));
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return os_error(1200, errno, "make", "a local socket");
  // The name gets this mode when it is made: no other user can connect even for a moment.
  if (::fchmod(socket.get(), S_IRUSR | S_IWUSR) != 0) {
    return os_error(1201, errno, "set the mode of", "a local socket");
  }
  address.remove();
  if (::bind(socket.get(), address.get(), Address::size()) != 0) {
    return os_error(1202, errno == EADDRINUSE ? EEXIST : errno, "make", directory + "/" + name);
  }
  if (::listen(socket.get(), kWaitingMax) != 0) {
    return os_error(1203, errno, "listen at", directory + "/" + name);
  }
  return LocalListener(std::move(socket));
}

Result<LocalConnection> LocalListener::accept(std::chrono::seconds patience) const {
  UniqueFd socket(
      retry_interrupted([&] { return ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC); }));
  if (socket) return LocalConnection(std::move(socket), patience);
  if (errno == EINVAL) return Error(ErrorKind::kInterrupted, 1204, "no more connections are taken");
  return os_error(1205, errno, "accept a connection by", "a local socket");
}

void LocalListener::stop() const noexcept { ::shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace dgfs::storage
