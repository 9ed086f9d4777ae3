// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/path_mounts.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "storage/posix/mount_identity.h"
#include "storage/posix/os_error.h"
#include "storage/posix/unique_fd.h"

namespace dgfs::storage {
namespace {

// As the kernel's own bound.
constexpr unsigned kLinksMax = 40;

// The pieces of a path, in front of those that are there already. Empty ones and "." lead nowhere.
void push_pieces(std::deque<std::string>& pieces, std::string_view path) {
  while (!path.empty()) {
    const auto slash = path.rfind('/');
    const auto piece = slash == path.npos ? path : path.substr(slash + 1);
    path = slash == path.npos ? std::string_view() : path.substr(0, slash);
    if (!piece.empty() && piece != ".") pieces.emplace_front(piece);
  }
}

UniqueFd open_piece(int directory, const char* name) {
  constexpr int kFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  return UniqueFd(retry_interrupted([&] { return ::openat(directory, name, kFlags); }));
}

// The target of a symbolic link; nullopt: it is none.
std::optional<std::string> link_target(int fd) {
  std::array<char, PATH_MAX> target{};
  const auto length = ::readlinkat(fd, "", target.data(), target.size());
  if (length < 0) return std::nullopt;
  return std::string(target.data(), static_cast<std::size_t>(length));
}

}  // namespace

bool leads_into(const std::string& path, std::uint64_t device) {
  const auto is_there = [device](const UniqueFd& fd) {
    const auto mount = mount_of(fd.get(), {});
    return mount && mount.assume_value().device == device;
  };
  std::deque<std::string> pieces;
  push_pieces(pieces, path);
  auto at = open_piece(AT_FDCWD, path.starts_with('/') ? "/" : ".");
  unsigned links = 0;
  while (at && !is_there(at)) {
    if (pieces.empty()) return false;
    const auto name = std::move(pieces.front());
    pieces.pop_front();
    auto next = open_piece(at.get(), name.c_str());
    // Reads a link only after it is known not to lie in the file system.
    const auto target = next && !is_there(next) ? link_target(next.get()) : std::nullopt;
    if (!target) {
      at = std::move(next);
      continue;
    }
    if (++links > kLinksMax) return false;
    push_pieces(pieces, *target);
    if (target->starts_with('/')) at = open_piece(AT_FDCWD, "/");
  }
  return static_cast<bool>(at);
}

}  // namespace dgfs::storage
