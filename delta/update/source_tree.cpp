// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/source_tree.h"

#include <algorithm>
#include <utility>

namespace dgfs::update {
namespace {

constexpr std::size_t kOpenDirectoriesMax = 64;
constexpr std::size_t kNameBytes = std::size_t{1} << 20;
constexpr std::size_t kSortShare = 8;
constexpr std::size_t kAheadBytesMax = std::size_t{8} << 20;

builder::BuildOptions options_of(const UpdateRequest& request) {
  builder::BuildOptions options;
  options.source = request.source;
  options.rules = request.rules;
  options.paths = request.paths;
  options.keep_going = request.keep_going;
  options.scans_all_xattrs = true;
  options.stop = request.stop;
  if (request.progress) {
    options.progress = [&request](const builder::Progress& now) {
      request.progress({true, now.entries, 0});
    };
  }
  return options;
}

}  // namespace

SourceTree::SourceTree(storage::Env& env, const UpdateRequest& request,
                       std::unique_ptr<storage::Directory> root, const std::string& spools)
    : env_(env),
      request_(request),
      root_(std::move(root)),
      options_(options_of(request)),
      place_{&env, spools},
      choice_(options_),
      stop_(options_.stop),
      losses_(options_.keep_going,
              [this](const std::string& path, builder::LostPart part) { lost_[path] = part; }),
      tree_(place_),
      cursor_(*root_, kOpenDirectoriesMax) {}

Status SourceTree::scan() {
  const std::size_t memory_bytes = request_.memory_bytes;
  sorter_ = std::make_unique<builder::LinkSorter>(place_, memory_bytes / kSortShare);
  builder::ProgressMeter progress(env_, options_.progress);
  progress.begin(builder::Phase::kScanning);
  const unsigned threads = request_.jobs > 1 ? request_.jobs : 0;
  const builder::AheadOptions ahead{threads, std::min(memory_bytes / 16, kAheadBytesMax),
                                    std::nullopt};
  builder::Scanner scanner(*root_, options_, builder::EntryRules(), {},
                           {tree_, *sorter_, losses_, progress}, {place_, kNameBytes}, ahead);
  DGFS_TRY(totals, scanner.run());
  totals_ = std::move(totals);
  DGFS_TRY(names, std::move(*sorter_).finish());
  names_.emplace(std::move(names));
  sorter_ = nullptr;
  return ok();
}

}  // namespace dgfs::update
