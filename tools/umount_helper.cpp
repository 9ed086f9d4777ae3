// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/umount_helper.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "tools/cli/session.h"

#ifdef DGFS_HAS_FUSE
#include "fuse/daemon_path.h"
#include "fuse/remount.h"
#include "fuse/unmount.h"
#include "tools/delta/wait.h"
#include "tools/info/live_statistics.h"
#endif

namespace dgfs::tools {
namespace {

// See umount(8), "EXIT STATUS".
constexpr int kUmountExitUsage = 1;
constexpr int kUmountExitFailed = 32;

Error usage(std::string_view text) {
  return Error(ErrorKind::kInvalidArgument, 6920,
               fmt::format("{}\nusage: umount.dgfs DIR [-flnrv]", text));
}

// Takes one cluster of flags; returns the one that takes a value, 0 if none does.
Result<char> take_flags(UmountCall& call, std::string_view flags) {
  for (const char flag : flags) {
    if (flag == 'l') call.is_lazy = true;
    if (flag == 'f') call.is_forced = true;
    if (flag == 'r') call.remounts = true;
    if (flag == 't' || flag == 'N') return flag;
    if (std::string_view("flnrv").find(flag) == std::string_view::npos) {
      return usage(fmt::format("unknown option -{}", flag));
    }
  }
  return '\0';
}

#ifdef DGFS_HAS_FUSE
// Programs take each line of umount(8) for a failure, and most deltas are closed by then.
constexpr std::uint64_t kSilentSeconds = 3;

// A server that hangs would not answer, and -f and -l are for such a one.
std::optional<std::string> delta_of(const UmountCall& call) {
  if (call.is_lazy || call.is_forced) return std::nullopt;
  const auto mount = live_mount(call.mount_point);
  if (!mount || mount.value().is_read_only) return std::nullopt;
  return mount.value().delta_path;
}

int run(const Session& session, UmountCall call) {
  call.mount_point = fuse::absolute_mount_point(call.mount_point);
  const auto delta = delta_of(call);
  const auto done = fuse::unmount(call.mount_point, {call.is_lazy, call.is_forced});
  if (!done && done.error().kind() == ErrorKind::kBusy && call.remounts) {
    const std::array<std::string, 2> options{"remount", "ro"};
    const auto remounted = fuse::remount(session.env(), call.mount_point, options);
    return remounted ? kExitDone : session.fail(remounted.error());
  }
  if (!done) return session.fail(done.error());
  return delta ? wait_until_closed(session, *delta, {.silent_seconds = kSilentSeconds}) : kExitDone;
}
#else
int run(const Session& session, const UmountCall&) {
  session.complain("this dgfs was built without FUSE");
  return kExitFailed;
}
#endif

}  // namespace

bool is_umount_helper(std::string_view program) {
  const auto name = program.substr(program.rfind('/') + 1);  // npos + 1 is 0
  return name == "umount.dgfs" || name == "umount.fuse.dgfs";
}

Result<UmountCall> umount_call(const Arguments& arguments) {
  UmountCall call;
  std::size_t operands = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() < 2 || argument.front() != '-') {
      call.mount_point = argument;
      ++operands;
      continue;
    }
    DGFS_TRY(flag, take_flags(call, std::string_view(argument).substr(1)));
    if (flag == '\0') continue;
    if (flag == 'N') return usage("-N is not supported; nsenter(1) enters other mount name spaces");
    // The value follows in the same argument or in the next.
    const bool is_joined = argument.find(flag, 1) + 1 < argument.size();
    if (!is_joined && ++i == arguments.size()) {
      return usage(fmt::format("option -{} needs a value", flag));
    }
  }
  if (operands != 1) return usage("a directory is needed");
  return call;
}

int umount_helper_main(const Arguments& arguments, const ToolIo& io) {
  const auto call = umount_call(arguments);
  if (!call) {
    io.err.write(fmt::format("umount.dgfs: {}\n", call.error().text()));
    io.err.flush();
    return kUmountExitUsage;
  }
  const int code = run(Session(io, "umount"), call.value());
  io.err.flush();
  return code == kExitDone ? 0 : kUmountExitFailed;
}

}  // namespace dgfs::tools
