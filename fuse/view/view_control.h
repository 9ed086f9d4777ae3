// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ViewControl: answers questions on the control socket of a delta while it is mounted.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "delta/control/control_server.h"
#include "delta/merge/live/live_join.h"
#include "delta/merge/live/live_merge.h"
#include "delta/view/view.h"
#include "fuse/service.h"

namespace dgfs::fuse {

/// Thread-safe.
class ViewControl {
 public:
  /// @param view        of the delta; must outlive the object
  /// @param image_path  for the manifest; empty: unknown
  ViewControl(std::string delta_path, std::string mount_point, std::string image_path,
              view::View& view)
      : delta_path_(std::move(delta_path)),
        mount_point_(std::move(mount_point)),
        image_path_(std::move(image_path)),
        view_(view) {}

  /// Errors: those of ControlServer::start().
  /// @param service     may be destroyed after say_closing()
  /// @param is_mounted  once it returns false, every answer is that the delta is being closed: the
  ///                    requests under way may take a while. Is not called after say_closing()
  [[nodiscard]] Status start(Service& service, std::function<bool()> is_mounted);
  /// Call it before start().
  /// @param merge  must outlive the last answer; null: the mount does not merge
  void merge_by(merge::LiveMerge* merge) { merge_ = merge; }
  /// Likewise.
  void join_by(merge::LiveJoin* join) { join_ = join; }
  /// From now on every answer is that the delta is being closed.
  void say_closing() noexcept;

 private:
  [[nodiscard]] Result<std::string> answer(std::string_view question);
  [[nodiscard]] std::string state(bool is_closing) const;
  [[nodiscard]] Result<std::string> take_time(const std::function<Result<std::string>()>& answer);
  [[nodiscard]] Result<std::string> seal(std::string_view name);
  [[nodiscard]] Result<std::string> drop(std::string_view states);
  [[nodiscard]] Result<std::string> merge(std::string_view question);
  [[nodiscard]] Result<std::string> join(std::string_view question);

  const std::string delta_path_;
  const std::string mount_point_;
  const std::string image_path_;
  view::View& view_;
  merge::LiveMerge* merge_ = nullptr;
  merge::LiveJoin* join_ = nullptr;
  std::atomic<int> long_answers_ = 0;  ///< under way
  std::shared_mutex mutex_;            ///< guards the members below; answers take it shared
  Service* service_ = nullptr;         ///< null: the delta is being closed
  std::function<bool()> is_mounted_;
  std::uint64_t process_id_ = 0;
  std::unique_ptr<delta::ControlServer> server_;  ///< last member, so that it is destroyed first
};

}  // namespace dgfs::fuse
