// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/fuse_server.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "fuse/transport/request_loop.h"

namespace dgfs::bench {
namespace {

constexpr unsigned kThreads = 8;
constexpr unsigned kBackgroundRequestsMax = 64;
constexpr unsigned kWantedCapabilities = FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO |
                                         FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS |
                                         FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_EXPLICIT_INVAL_DATA;

struct SessionDeleter {
  void operator()(fuse_session* session) const { fuse_session_destroy(session); }
};

int serve(fuse_session& session, fuse::Transport transport) {
  const auto served = fuse::RequestLoop(session, nullptr, transport, {}).run(kThreads, {});
  return served ? 0 : 1;
}

}  // namespace

void want_capabilities(fuse_conn_info& connection, unsigned more) {
  connection.want = connection.capable & (kWantedCapabilities | more);
  connection.max_background = kBackgroundRequestsMax;
  connection.congestion_threshold = kBackgroundRequestsMax / 4 * 3;
}

bool take_transport(std::string_view option, FuseServer& server) {
  constexpr std::string_view kName = "--transport=";
  if (!option.starts_with(kName)) return false;
  const auto transport = fuse::parse_transport(option.substr(kName.size()));
  server.transport = transport.value_or(fuse::Transport::kAuto);
  return transport.has_value();
}

int mount_and_serve(const FuseServer& server, const char* mount_point) {
  const auto name = "-ofsname=" + server.name;
  std::vector<const char*> texts = {"dgfs-bench", "-odefault_permissions,allow_other",
                                    name.c_str()};
  if (server.read_only) texts.push_back("-oro");
  fuse_args arguments = FUSE_ARGS_INIT(0, nullptr);
  for (const auto* text : texts) fuse_opt_add_arg(&arguments, text);
  const std::unique_ptr<fuse_session, SessionDeleter> session(
      fuse_session_new(&arguments, &server.operations, sizeof server.operations, server.user_data));
  fuse_opt_free_args(&arguments);
  if (!session || fuse_set_signal_handlers(session.get()) != 0 ||
      fuse_session_mount(session.get(), mount_point) != 0) {
    return 1;
  }
  const int result = fuse_daemonize(0) == 0 ? serve(*session, server.transport) : 1;
  fuse_session_unmount(session.get());
  fuse_remove_signal_handlers(session.get());
  return result;
}

}  // namespace dgfs::bench
