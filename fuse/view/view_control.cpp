// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/view_control.h"

#include <utility>

#include "base/json.h"
#include "delta/control/control.h"
#include "fuse/statistics/statistics.h"

namespace dgfs::fuse {

Status ViewControl::start(Service& service, std::function<bool()> is_mounted) {
  {
    const std::lock_guard lock(mutex_);
    service_ = &service;
    is_mounted_ = std::move(is_mounted);
    process_id_ = service.env.process_id();
  }
  DGFS_TRY(server,
           delta::ControlServer::start(service.env, delta_path_, [this](std::string_view question) {
             return answer(question);
           }));
  server_ = std::move(server);
  return ok();
}

void ViewControl::say_closing() noexcept {
  const std::lock_guard lock(mutex_);
  service_ = nullptr;
}

// A checkpoint takes a while; the end of the mount waits for it.
Result<std::string> ViewControl::answer(std::string_view question) {
  const std::lock_guard lock(mutex_);
  const bool is_closing = service_ == nullptr || !is_mounted_();
  if (question == delta::kAskState || is_closing) return state(is_closing);
  if (question == delta::kAskInfo) return statistics_json(*service_);
  if (question == delta::kAskCheckpoint) {
    DGFS_CHECK(store_.checkpoint());
    return JsonObject().add("done", true).text();
  }
  return Error(ErrorKind::kUnsupported, 5048, "this mount does not know the question");
}

std::string ViewControl::state(bool is_closing) const {
  return JsonObject()
      .add("state", is_closing ? "closing" : "open")
      .add("pid", process_id_)
      .add("mount", mount_point_)
      .text();
}

}  // namespace dgfs::fuse
