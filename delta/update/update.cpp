// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/update/update.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "delta/store/directory/delta_directory.h"
#include "delta/store/directory/new_delta.h"
#include "delta/update/changes.h"
#include "delta/update/former_tree.h"
#include "delta/update/source_place.h"
#include "delta/update/source_tree.h"
#include "delta/update/tree_update.h"
#include "delta/view/bottom_image.h"
#include "delta/view/offline_seal.h"
#include "delta/view/view_memory.h"

namespace dgfs::update {
namespace {

using Image = std::shared_ptr<const reader::Image>;

// "a//./b/" -> "a/b".
Result<std::string> plain_path(const std::string& path) {
  std::string plain;
  for (std::size_t begin = 0; begin < path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      return Error(ErrorKind::kInvalidArgument, 7681, "a path in the delta has no '..'")
          .in_file(path);
    }
    plain += (plain.empty() ? "" : "/") + name;
  }
  return plain;
}

class Update {
 public:
  Update(storage::Env& env, const UpdateRequest& request)
      : env_(env),
        request_(request),
        memory_(std::max(request.memory_bytes / 4, kCacheBytesMin)),
        seal_{request.name, request.noted_image_path} {}

  [[nodiscard]] Result<UpdateReport> run() {
    const auto begin_ns = env_.monotonic_ns();
    DGFS_TRY(at, plain_path(request_.at));
    request_.at = std::move(at);
    DGFS_TRY(root, env_.open_directory(request_.source));
    DGFS_TRY(given, open_image());
    DGFS_CHECK(check_places(*root, *given));
    DGFS_TRY(made, make_delta(*given));  // outlives the open delta
    DGFS_TRY(delta, open_delta());
    DGFS_TRY(bottom, bottom_of(given, *delta));
    DGFS_CHECK(delta->check_update(seal_));
    SourceTree source(env_, request_, std::move(root), request_.delta_path);
    DGFS_CHECK(source.scan());
    UpdateReport report;
    {
      Changes changes(env_, bottom, *delta, seal_, request_.dry_run);
      DGFS_CHECK(join(changes, source, std::move(bottom), *delta, report));
      if (!request_.dry_run) {
        DGFS_CHECK(finish(changes, *delta, report));
      }
    }
    report.loss_count = source.losses().count() + source.losses().part_count();
    report.losses = std::move(source.losses()).take();
    report.elapsed_ns = env_.monotonic_ns() - begin_ns;
    if (made && !request_.dry_run) made->keep();
    return report;
  }

 private:
  // The least for a view and some blocks in the hands of threads.
  static constexpr std::size_t kCacheBytesMin = std::size_t{16} << 20;

  [[nodiscard]] reader::OpenOptions image_options() const {
    reader::OpenOptions options;
    options.index_path = request_.index_path;
    options.volume_paths = request_.volume_paths;
    options.warn = request_.warn;
    memory_.share_with(options);
    return options;
  }
  [[nodiscard]] Result<Image> open_image() {
    DGFS_TRY(image, reader::Image::open(env_, request_.image_path, image_options()));
    return Image(std::move(image));
  }
  [[nodiscard]] Status check_places(const storage::Directory& root, const reader::Image& image) {
    DGFS_CHECK(check_lies_outside(env_, root, request_.delta_path, "the delta"));
    for (const auto& [role, path] : image.files()) {
      DGFS_CHECK(check_lies_outside(env_, root, path, "the image"));
    }
    return ok();
  }
  [[nodiscard]] delta::StoreOptions store_options() const {
    delta::StoreOptions options;
    memory_.share_with(options);
    options.in_background = request_.jobs > 1;
    if (request_.dry_run) options.access = delta::StoreAccess::kReadOnly;
    return options;
  }
  // As a mount does. A dry run takes the new delta away again.
  [[nodiscard]] Result<std::optional<delta::NewDelta>> make_delta(const reader::Image& image) {
    auto options = store_options();
    options.access = delta::StoreAccess::kReadWrite;
    const auto& superblock = image.superblock();
    return delta::NewDelta::make_if_vacant(env_, request_.delta_path, superblock.uuid,
                                           superblock.next_inode, options);
  }
  [[nodiscard]] Result<std::unique_ptr<delta::DeltaDirectory>> open_delta() {
    return delta::DeltaDirectory::open(env_, request_.delta_path, store_options());
  }
  [[nodiscard]] Result<Image> bottom_of(const Image& given, const delta::DeltaDirectory& delta) {
    // A base lies in the delta, and nobody looks for it where the image was.
    if (given->superblock().uuid != delta.manifest().image) seal_.image_path.clear();
    return view::bottom_of_delta(env_, given, request_.image_path, request_.delta_path,
                                 delta.manifest(), image_options());
  }
  // The former tree goes before the commit, since it keeps stores open.
  [[nodiscard]] Status join(Changes& changes, SourceTree& source, Image bottom,
                            const delta::DeltaDirectory& delta, UpdateReport& report) {
    FormerTree former(std::move(bottom), delta);
    TreeUpdate tree(former, changes, source, request_);
    DGFS_CHECK(tree.run());
    tree.report(report);
    return ok();
  }
  // If the source has nothing new, but the delta has changes without a state, these become one.
  [[nodiscard]] Status finish(Changes& changes, delta::DeltaDirectory& delta,
                              UpdateReport& report) {
    const bool has_any = report.changed + report.created + report.removed != 0;
    if (has_any && changes.has_begun()) {
      DGFS_TRY(outcome, changes.commit());
      report.sealed = {delta.manifest(), std::move(outcome)};
      return ok();
    }
    changes.give_up();
    DGFS_TRY(sealed, view::seal_open(delta, seal_));
    report.sealed = std::move(sealed);
    return ok();
  }

  storage::Env& env_;
  UpdateRequest request_;
  view::ViewMemory memory_;
  delta::SealRequest seal_;
};

}  // namespace

Result<UpdateReport> update(storage::Env& env, const UpdateRequest& request) {
  try {
    return Update(env, request).run();
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::kLimit, 7682, "no memory for an update");
  }
}

}  // namespace dgfs::update
