// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/keeper/mount_keeper.h"

#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "base/printable.h"
#include "fuse/dead_mount.h"
#include "fuse/logger.h"
#include "fuse/mount_table.h"
#include "fuse/unmount.h"

namespace dgfs::fuse {
namespace {

// pkill(1) with the name of the server must not find it.
constexpr const char* kTitle = "mount-keeper";

constexpr std::string_view kMounted = "mounted ";
constexpr std::string_view kEnd = "end";
constexpr std::string_view kNote = "note";
constexpr std::string_view kUnmount = "unmount";

std::string_view word_of(Use use) {
  switch (use) {
    case Use::kNone:
      return "none";
    case Use::kEarlier:
      return "earlier";
    case Use::kNow:
      break;
  }
  return "now";
}

std::string text_of(const storage::MountIdentity& mount) {
  return fmt::format("{} {} {}", mount.number, mount.device, mount.is_unique ? 1 : 0);
}

std::optional<storage::MountIdentity> parse_identity(std::string_view text) {
  std::uint64_t numbers[3] = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (auto& number : numbers) {
    while (at != end && *at == ' ') ++at;
    const auto [behind, failure] = std::from_chars(at, end, number);
    if (failure != std::errc{}) return std::nullopt;
    at = behind;
  }
  return storage::MountIdentity{numbers[0], numbers[1], numbers[2] != 0};
}

/// The process.
class Keeper {
 public:
  Keeper(storage::Env& env, const std::string& mount_point, bool unmounts_after_death)
      : env_(env), mount_point_(mount_point), unmounts_after_death_(unmounts_after_death) {}

  void run(const storage::LocalConnection& server) {
    while (true) {
      const auto line = server.receive_line(storage::kCompanionLineBytesMax);
      if (!line || line.value().empty()) break;
      if (line.value() == kEnd) return;
      if (line.value().starts_with(kMounted)) {
        mount_ = parse_identity(std::string_view(line.value()).substr(kMounted.size()));
      } else if (!answer(server, line.value())) {
        break;
      }
    }
    if (unmounts_after_death_ && mount_) remove();
  }

 private:
  [[nodiscard]] bool answer(const storage::LocalConnection& server, std::string_view question) {
    const auto use = question == kNote ? note() : unmount();
    return static_cast<bool>(server.send(fmt::format("{}\n", word_of(use))));
  }

  Use note() { return is_ours_on_top() ? expire().value_or(Use::kEarlier) : Use::kNow; }

  Use unmount() {
    if (!is_ours_on_top()) return Use::kNow;
    if (const auto use = expire()) return *use;
    return unmount_as_user(mount_point_, false) ? Use::kNone : Use::kNow;
  }

  // The first call marks the mount. Any use takes the mark away; so the second call unmounts only
  // if there was none. nullopt: only root may do that.
  [[nodiscard]] std::optional<Use> expire() const {
    if (::umount2(mount_point_.c_str(), MNT_EXPIRE | UMOUNT_NOFOLLOW) == 0) return Use::kNone;
    if (errno == EPERM) return std::nullopt;
    return errno == EAGAIN ? Use::kEarlier : Use::kNow;
  }

  // Reads the table, because any look at the mount itself would count as a use. While our mount
  // exists, no other one has the number of its file system.
  [[nodiscard]] bool is_ours_on_top() const {
    const auto table = read_mount_table(env_);
    if (!table || !mount_) return false;
    const auto found = find_mount(table.value(), mount_point_);
    return found && found->device == fmt::format("{}:{}", gnu_dev_major(mount_->device),
                                                 gnu_dev_minor(mount_->device));
  }

  // Whether the mount point still has the mount of the dead server, and not a newer one.
  [[nodiscard]] bool has_dead_mount() const {
    const auto present = storage::mount_of(mount_point_);
    if (!present || present.value() != *mount_) return false;
    return mount_->is_unique || !is_served(mount_point_);
  }

  // A mount that somebody has made below it would be lost with it.
  [[nodiscard]] bool has_mount_below() const {
    const auto table = read_mount_table(env_);
    const auto found = table ? find_mount(table.value(), mount_point_) : std::nullopt;
    return found && find_mount_below(table.value(), found->number).has_value();
  }

  void remove() {
    if (!has_dead_mount()) return;
    const auto log = make_system_logger();
    const auto shown = printable(mount_point_);
    if (has_mount_below()) {
      return log->error("{}: its process was killed; it stays, since another mount lies below it",
                        shown);
    }
    if (::umount2(mount_point_.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0 ||
        unmount_as_user(mount_point_, true)) {
      return log->warn("{}: its process was killed; unmounted it", shown);
    }
    log->error("{}: its process was killed, and it could not be unmounted", shown);
  }

  storage::Env& env_;
  const std::string mount_point_;
  const bool unmounts_after_death_;
  std::optional<storage::MountIdentity> mount_;  ///< nullopt: not mounted yet
};

}  // namespace

Result<MountKeeper> MountKeeper::start(storage::Env& env, const std::string& mount_point,
                                       bool unmounts_after_death) {
  const auto keep = [&](const storage::LocalConnection& server) {
    Keeper(env, mount_point, unmounts_after_death).run(server);
  };
  DGFS_TRY(connection, storage::start_companion(kTitle, std::chrono::seconds(0), keep));
  return MountKeeper(std::move(connection));
}

Status MountKeeper::mounted(const std::string& mount_point) {
  DGFS_TRY(mount, storage::mount_of(mount_point));
  return connection_.send(fmt::format("{}{}\n", kMounted, text_of(mount)));
}

// A keeper that was killed needs no end.
void MountKeeper::end() noexcept { static_cast<void>(connection_.send("end\n")); }

Status MountKeeper::ask_note() const { return connection_.send("note\n"); }
Status MountKeeper::ask_unmount() const { return connection_.send("unmount\n"); }
bool MountKeeper::has_answer() const { return connection_.has_input(); }

Result<Use> MountKeeper::take_answer() const {
  DGFS_TRY(line, connection_.receive_line(storage::kCompanionLineBytesMax));
  for (const auto use : {Use::kNone, Use::kEarlier, Use::kNow}) {
    if (line == word_of(use)) return use;
  }
  return Error(ErrorKind::kIo, 5061, "the process that unmounts is gone");
}

}  // namespace dgfs::fuse
