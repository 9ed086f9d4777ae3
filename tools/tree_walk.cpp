// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/tree_walk.h"

#include <algorithm>
#include <vector>

#include "format/mode.h"
#include "tools/image_path.h"

namespace dgfs::tools {
namespace {

struct Directory {
  std::string path;
  reader::Node node;
  std::size_t depth = 0;
  bool entered = false;  ///< its entries were visited; what is left is to leave it
};

class Walk {
 public:
  Walk(const reader::Image& image, const TreeVisitor& visitor) : image_(image), visitor_(visitor) {}

  Status run(const std::string& path, const reader::Node& start) {
    visit(path, start, 0, pending_);
    while (!pending_.empty() && !ended_) {
      if (pending_.back().entered) {
        const Directory done = std::move(pending_.back());
        pending_.pop_back();
        if (visitor_.leave && !visitor_.leave(done.path, done.node, done.depth)) return ok();
      } else {
        pending_.back().entered = true;
        DGFS_CHECK(list_last());
      }
    }
    return ok();
  }

 private:
  /// Visits an entry below the start, or what it leads to.
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

  /// Visits the entries of the last pending directory; its subdirectories are pending then, the
  /// first one last.
  Status list_last() {
    const std::string path = pending_.back().path;
    const std::size_t depth = pending_.back().depth + 1;
    std::vector<Directory> found;
    const Status listed =
        image_.list_nodes(pending_.back().node.inode, 0,
                          [&](const reader::ListedName& listed_name, const reader::Node& node) {
                            visit_entry(joined_path(path, listed_name.name), node, depth, found);
                            return !ended_;
                          });
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
                 const TreeVisitor& visitor) {
  return Walk(image, visitor).run(path, start);
}

}  // namespace dgfs::tools
