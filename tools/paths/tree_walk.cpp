// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/paths/tree_walk.h"

#include <algorithm>
#include <vector>

#include "format/entry/mode.h"
#include "tools/paths/image_path.h"

namespace dgfs::tools {
namespace {

struct Directory {
  std::string path;
  reader::Node node;
  std::size_t depth = 0;
  bool entered = false;  ///< its entries were visited; only `leave` is left to do
  bool lost = false;     ///< its own entry cannot be read
};

reader::Node lost_directory(reader::InodeNumber inode) {
  reader::Node node;
  node.inode = inode;
  node.mode = format::kTypeDirectory;
  return node;
}

class Walk {
 public:
  Walk(const reader::Image& image, const TreeVisitor& visitor) : image_(image), visitor_(visitor) {}

  Status run(const std::string& path, const reader::Node& start, bool start_is_lost) {
    if (start_is_lost && !visitor_.takes_lost_directories) {
      pending_.push_back({path, start, 0, false, true});
    } else {
      visit(path, start, 0, pending_);
    }
    while (!pending_.empty() && !ended_) {
      if (pending_.back().entered) {
        const Directory done = std::move(pending_.back());
        pending_.pop_back();
        if (!visitor_.leave || (done.lost && !visitor_.takes_lost_directories)) continue;
        if (!visitor_.leave(done.path, done.node, done.depth)) return ok();
      } else {
        pending_.back().entered = true;
        DGFS_CHECK(list_last());
      }
    }
    return ok();
  }

 private:
  /// Visits an entry below the start, or the target of a link.
  void visit_entry(const std::string& path, const reader::Node& node, std::size_t depth,
                   std::vector<Directory>& found) {
    if (!visitor_.follows_links) return visit(path, node, depth, found);
    const Result<reader::Node> target = followed(image_, path, node);
    if (!target) {
      if (target.error().kind() == ErrorKind::kLoop) return visitor_.looped(path, std::nullopt);
      return visitor_.damaged(path, target.error());
    }
    const auto above = std::find_if(pending_.begin(), pending_.end(), [&](const Directory& d) {
      return d.entered && d.node.inode == target.value().inode;
    });
    if (above != pending_.end()) return visitor_.looped(path, above->path);
    visit(path, target.value(), depth, found);
  }

  void visit(std::string_view path, const reader::Node& node, std::size_t depth,
             std::vector<Directory>& found) {
    const Step step = visitor_.enter(path, node, depth);
    if (step == Step::kEnd) ended_ = true;
    if (step == Step::kInto && format::is_directory(node.mode)) {
      found.push_back({std::string(path), node, depth, false});
    }
  }

  /// Adds a directory below `parent` whose own entry is lost; entries below it give its name.
  void visit_lost(const std::string& parent, reader::InodeNumber inode, std::size_t depth,
                  std::vector<Directory>& found) {
    const auto at = image_.path_of(inode);
    if (!at || ended_) return;
    const std::string path = joined_path(parent, storage::base_name(at.value()));
    const auto node = lost_directory(inode);
    if (visitor_.takes_lost_directories) {
      visit(path, node, depth, found);
    } else if (depth < visitor_.depth_max) {
      found.push_back({path, node, depth, false, true});
    }
  }

  /// Visits the entries of the last pending directory; then its subdirectories are pending, in
  /// reverse order.
  Status list_last() {
    const std::string path = pending_.back().path;
    const std::size_t depth = pending_.back().depth + 1;
    std::vector<Directory> found;
    const auto visit_name = [&](const reader::ListedName& name, const reader::Node& node) {
      visit_entry(joined_path(path, name.name), node, depth, found);
      return !ended_;
    };
    const auto lose = [&](const reader::LostNames& lost) {
      if (!visitor_.damaged) return false;
      const std::string at = lost.name == nullptr ? path : joined_path(path, lost.name->name);
      visitor_.damaged(at.empty() ? "." : at, lost.error);
      for (const auto inode : lost.directories) visit_lost(path, inode, depth, found);
      return true;
    };
    const Status listed = image_.list_nodes(pending_.back().node.inode, 0, visit_name, lose);
    if (!listed) {
      if (!visitor_.damaged) return listed.error();
      visitor_.damaged(path, listed.error());
    }
    std::move(found.rbegin(), found.rend(), std::back_inserter(pending_));
    return ok();
  }

  const reader::Image& image_;
  const TreeVisitor& visitor_;
  std::vector<Directory> pending_;
  bool ended_ = false;
};

}  // namespace

Status walk_tree(const reader::Image& image, const std::string& path, const reader::Node& start,
                 const TreeVisitor& visitor, bool start_is_lost) {
  return Walk(image, visitor).run(path, start, start_is_lost);
}

}  // namespace dgfs::tools
