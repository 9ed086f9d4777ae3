// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/view/view_control.h"

#include <utility>

#include "base/json.h"
#include "delta/control/control.h"
#include "delta/store/directory/states.h"
#include "fuse/statistics/statistics.h"
#include "fuse/view/merge_answer.h"

namespace dgfs::fuse {

Status ViewControl::start(Service& service, std::function<bool()> is_mounted) {
  {
    const std::lock_guard lock(mutex_);
    service_ = &service;
    is_mounted_ = std::move(is_mounted);
    process_id_ = service.env.process_id();
  }
  DGFS_TRY(server, delta::ControlServer::start(delta_path_, [this](std::string_view question) {
             return answer(question);
           }));
  server_ = std::move(server);
  return ok();
}

void ViewControl::say_closing() noexcept {
  const std::lock_guard lock(mutex_);
  service_ = nullptr;
}

// A checkpoint, a seal or a drop, which waits for a seal, takes a while. Other questions do not
// wait for it; the end of the mount does.
Result<std::string> ViewControl::answer(std::string_view question) {
  const std::shared_lock lock(mutex_);
  const bool is_closing = service_ == nullptr || !is_mounted_();
  if (question == delta::kAskState || is_closing) return state(is_closing);
  if (question == delta::kAskInfo) return statistics_json(*service_);
  if (question == delta::kAskCheckpoint) {
    return take_time([&]() -> Result<std::string> {
      DGFS_CHECK(view_.checkpoint());
      return JsonObject().add("done", true).text();
    });
  }
  if (question == delta::kAskSeal) return take_time([&] { return seal({}); });
  if (question.starts_with(delta::kAskSeal) && question[delta::kAskSeal.size()] == ' ') {
    return take_time([&] { return seal(question.substr(delta::kAskSeal.size() + 1)); });
  }
  if (question.starts_with(delta::kAskDrop)) {
    return take_time([&] { return drop(question.substr(delta::kAskDrop.size())); });
  }
  if (question.starts_with(delta::kAskMerge)) return merge(question);
  if (question.starts_with(delta::kAskJoin)) return join(question);
  return Error(ErrorKind::kUnsupported, 5048, "this mount does not know the question");
}

Result<std::string> ViewControl::merge(std::string_view question) {
  if (merge_ == nullptr) {
    return Error(ErrorKind::kUnsupported, 5093, "this mount does not merge");
  }
  if (question == delta::kAskMergeState) return merge_state_text(merge_->status());
  if (question == delta::kAskCancelMerge) {
    return JsonObject().add("cancelled", merge_->cancel()).text();
  }
  DGFS_TRY(request, merge_request(question.substr(delta::kAskMerge.size())));
  DGFS_TRY(number, merge_->start(request));
  return JsonObject().add("number", number).text();
}

Result<std::string> ViewControl::join(std::string_view question) {
  if (join_ == nullptr) {
    return Error(ErrorKind::kUnsupported, 5100, "this mount does not join layers");
  }
  if (question == delta::kAskJoinState) return join_state_text(join_->status());
  if (question == delta::kAskCancelJoin) {
    return JsonObject().add("cancelled", join_->cancel()).text();
  }
  if (question != delta::kAskJoin) {
    return Error(ErrorKind::kUnsupported, 5101, "this mount does not know how to join like that");
  }
  DGFS_TRY(number, join_->join_all());
  return JsonObject().add("number", number).text();
}

// One thread stays free for short answers.
Result<std::string> ViewControl::take_time(const std::function<Result<std::string>()>& answer) {
  constexpr int kLongAnswersMax = delta::ControlServer::kAnswersAtOnce - 1;
  struct Count {
    std::atomic<int>& count;
    ~Count() { --count; }
  };
  const int before = long_answers_++;
  const Count counted{long_answers_};
  if (before < kLongAnswersMax) return answer();
  return Error(ErrorKind::kBusy, 5092, "seals or checkpoints are under way; ask again later");
}

Result<std::string> ViewControl::seal(std::string_view name) {
  DGFS_TRY(sealed, view_.seal({std::string(name), image_path_}));
  const delta::Manifest& manifest = sealed.manifest;
  const auto layers = delta::layers_of(manifest);
  JsonObject answer;
  answer.add("sealed", sealed.outcome.has_value());
  answer.add("title", delta::state_title(manifest, layers));
  if (layers == 0 && manifest.base) {
    answer.add("id", delta::state_text(manifest.base->state)).add("name", manifest.base->name);
    return answer.text();
  }
  if (layers == 0) return answer.add("id", delta::kBaseState).text();
  const delta::LayerFacts& layer = manifest.stores[layers - 1].layer;
  answer.add("id", delta::state_text(layer.state)).add("name", layer.name);
  if (sealed.outcome) {
    answer.add("changes", sealed.outcome->changes).add("bytes", sealed.outcome->bytes);
    answer.add("switch_us", sealed.outcome->switch_ns / 1000);
    if (sealed.outcome->unclosed) answer.add("unclosed", sealed.outcome->unclosed->message());
  }
  return answer.text();
}

// Their space comes back with a join or a merge.
Result<std::string> ViewControl::drop(std::string_view states) {
  DGFS_TRY(dropped, delta::parse_states(states));
  DGFS_CHECK(view_.drop_states(dropped));
  return JsonObject().add("dropped", dropped.size()).text();
}

std::string ViewControl::state(bool is_closing) const {
  return JsonObject()
      .add("state", is_closing ? "closing" : "open")
      .add("pid", process_id_)
      .add("mount", mount_point_)
      .text();
}

}  // namespace dgfs::fuse
