// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/store_command.h"

#include <fmt/format.h>

#include "delta/store/directory/stacked_stores.h"
#include "tools/cli/progress_bar.h"
#include "tools/delta/store_report.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {
namespace {

JsonObject summary(const delta::StoreReport& report) {
  JsonObject line;
  return line.add("sound", report.damaged_places == 0)
      .add("damaged_places", report.damaged_places)
      .add("unread_nodes", report.unread_nodes)
      .add("whole_superblocks", report.whole_superblocks)
      .add("nodes", report.nodes)
      .add("basements", report.basements)
      .add("waiting_runs", report.waiting_runs)
      .add("points", report.basement_points + report.waiting_points)
      .add("range_tombstones", report.waiting_tombstones)
      .add("log_groups", report.log_groups)
      .add("block_bytes", report.block_bytes());
}

}  // namespace

std::string StackPlace::text() const {
  return fmt::format("{} of {}, from object {} and batch {} on", index + 1, manifest.stores.size(),
                     store().born_object, store().first_sequence);
}

int StoreCommand::info() {
  std::string damaged_list;
  const auto walked = walk(options_.scan, [&](const Error& error) {
    if (options_.json) {
      damaged_list += (damaged_list.empty() ? "" : ",") + json_string(error.message());
    } else if (cap_.take()) {
      session_.complain("damaged: " + error.message());
    }
  });
  if (!walked) return session_.fail(walked.error());
  delta::StoreReport report = walked.value();
  if (const auto stacked = check_place(report); !stacked) {
    ++report.damaged_places;
    if (options_.json) {
      damaged_list += (damaged_list.empty() ? "" : ",") + json_string(stacked.error().message());
    } else if (cap_.take()) {
      session_.complain("damaged: " + stacked.error().message());
    }
  }
  if (options_.json) {
    JsonObject object;
    object.add("store", directory_);
    add_place(object);
    add_store(object, report, options_.scan);
    session_.print(object.add_raw("damaged", "[" + damaged_list + "]").line());
  } else {
    if (const auto rest = cap_.rest("in the store")) session_.complain("damaged: " + *rest);
    session_.print(fmt::format("{:<11} {}\n", "store", shell_quoted(directory_)));
    if (place_) session_.print(fmt::format("{:<11} {}\n", "place", place_->text()));
    session_.print(store_text(report, options_.scan));
  }
  return report.damaged_places == 0 ? kExitDone : kExitFailed;
}

int StoreCommand::check() {
  const auto walked = walk(true, [this](const Error& error) { tell(error); });
  if (!walked) return session_.fail(walked.error());
  delta::StoreReport report = walked.value();
  if (const auto stacked = check_place(report); !stacked) {
    ++report.damaged_places;
    tell(stacked.error());
  }
  const bool is_sound = report.damaged_places == 0;
  if (options_.json) {
    JsonObject line = summary(report);
    add_place(line);
    session_.print(line.line());
  } else if (!options_.quiet || !is_sound) {
    if (const auto rest = cap_.rest("in the store")) session_.print(*rest + "\n");
    if (const auto remark = check_remark(report); !remark.empty()) {
      session_.print(label() + "superblocks: " + remark + "\n");
    }
    session_.print(label() + check_summary(report) + "\n");
  }
  return is_sound ? kExitDone : kExitFailed;
}

Status StoreCommand::check_place(const delta::StoreReport& report) const {
  if (!place_) return ok();
  DGFS_CHECK(
      delta::check_stacked(report.superblock, place_->manifest, place_->index, place_->directory));
  return delta::check_layer_end(report.log_sequence, place_->manifest, place_->index,
                                place_->directory);
}

void StoreCommand::add_place(JsonObject& object) const {
  if (!place_) return;
  const auto& store = place_->store();
  object.add("number", store.number)
      .add("delta", format::uuid_text(place_->manifest.delta))
      .add("image", format::uuid_text(place_->manifest.image))
      .add("born_object", store.born_object)
      .add("first_sequence", store.first_sequence);
}

Result<delta::StoreReport> StoreCommand::walk(bool reads_runs,
                                              const delta::Damage::Sink& damaged) const {
  ProgressBar bar(session_.io(), options_.quiet);
  delta::StoreCheckOptions how;
  how.reads_runs = reads_runs;
  how.locks = true;
  how.damaged = [&](const Error& error) {
    bar.clear();
    damaged(error);
  };
  how.progress = [&](const delta::CheckProgress& now) {
    if (now.total_bytes == 0) return bar.update("counting", now.nodes, 0);
    bar.update("checking", now.read_bytes, now.total_bytes);
  };
  how.stop = &session_.io().stop;
  return delta::check_store(session_.env(), directory_, how);
}

void StoreCommand::tell(const Error& error) {
  if (options_.json) {
    JsonObject line;
    line.add("damaged", error.file());
    if (!error.section().empty()) line.add("section", error.section());
    if (error.offset()) line.add("offset", *error.offset());
    session_.print(line.add("reason", error.text()).line());
  } else if (cap_.take()) {
    session_.print(fmt::format("damaged: {}\n", printable(error.message())));
  }
}

}  // namespace dgfs::tools
