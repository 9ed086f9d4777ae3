// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/image_path.h"

#include <deque>

#include "format/mode.h"

namespace dgfs::tools {
namespace {

/// As Linux: what takes more steps is a loop.
constexpr unsigned kLinksFollowedMax = 40;

std::deque<std::string> components(std::string_view path) {
  std::deque<std::string> out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    if (!name.empty() && name != ".") out.emplace_back(name);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

Error not_found(std::uint16_t code) {
  return Error(ErrorKind::kNotFound, code, "No such file or directory");
}

/// Goes from the root one name at a time.
class Resolver {
 public:
  Resolver(const reader::Image& image, std::string_view path, Follow last)
      : image_(image), rest_(components(path)), last_(last) {}

  Result<FoundNode> run() {
    DGFS_TRY(root, image_.lookup(""));
    trail_.push_back({"", std::move(root)});
    while (!rest_.empty()) {
      const std::string name = std::move(rest_.front());
      rest_.pop_front();
      if (name == "..") {
        if (trail_.size() > 1) trail_.pop_back();
      } else {
        DGFS_CHECK(enter(name));
      }
    }
    return std::move(trail_.back());
  }

 private:
  Status enter(const std::string& name) {
    const FoundNode& here = trail_.back();
    if (!format::is_directory(here.node.mode)) {
      return Error(ErrorKind::kNotDirectory, 6030, "Not a directory");
    }
    Result<reader::Node> node = image_.lookup(here.node.inode, name);
    if (!node && node.error().kind() == ErrorKind::kNotFound) return not_found(6031);
    if (!node) return std::move(node).error();
    const bool follow = !rest_.empty() || last_ == Follow::kYes;
    if (follow && format::is_symlink(node.value().mode)) return follow_link(node.value());
    trail_.push_back({joined_path(here.path, name), std::move(node).value()});
    return ok();
  }

  Status follow_link(const reader::Node& link) {
    if (++links_followed_ > kLinksFollowedMax) {
      return Error(ErrorKind::kLoop, 6032, "Too many levels of symbolic links");
    }
    DGFS_TRY(target, image_.read_link(link));
    if (target.starts_with('/')) trail_.resize(1);
    std::deque<std::string> names = components(target);
    rest_.insert(rest_.begin(), names.begin(), names.end());
    return ok();
  }

  const reader::Image& image_;
  std::deque<std::string> rest_;
  Follow last_;
  std::vector<FoundNode> trail_;  // the root and each directory entered
  unsigned links_followed_ = 0;
};

}  // namespace

std::string normal_path(std::string_view path) {
  std::deque<std::string> kept;
  for (std::string& name : components(path)) {
    if (name == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else {
      kept.push_back(std::move(name));
    }
  }
  std::string out;
  for (const std::string& name : kept) out = joined_path(out, name);
  return out;
}

Result<FoundNode> find_node(const reader::Image& image, std::string_view path, Follow last) {
  // ".." may lead elsewhere after a link than it reads, so only the walk can tell.
  const bool has_parents = path.find("..") != std::string_view::npos;
  if (!has_parents) {
    std::string normal = normal_path(path);
    Result<reader::Node> node = image.lookup(normal);
    if (node && !(last == Follow::kYes && format::is_symlink(node.value().mode))) {
      return FoundNode{std::move(normal), std::move(node).value()};
    }
    if (!node && node.error().kind() != ErrorKind::kNotFound &&
        node.error().kind() != ErrorKind::kNotDirectory) {
      return std::move(node).error();
    }
  }
  return Resolver(image, path, last).run();
}

Result<reader::Node> followed(const reader::Image& image, std::string_view path,
                              const reader::Node& node) {
  if (!format::is_symlink(node.mode)) return node;
  auto found = find_node(image, path, Follow::kYes);
  if (found) return std::move(found).value().node;
  const auto kind = found.error().kind();
  if (kind == ErrorKind::kNotFound || kind == ErrorKind::kNotDirectory) return node;
  return std::move(found).error();
}

std::string joined_path(std::string_view directory, std::string_view name) {
  std::string out(directory);
  if (!out.empty() && out.back() != '/') out += '/';
  return out += name;
}

}  // namespace dgfs::tools
