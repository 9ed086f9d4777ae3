// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/paths/image_path.h"

#include <deque>

#include "format/entry/mode.h"

namespace dgfs::tools {
namespace {

/// The limit of Linux: more links count as a loop.
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

Error not_directory(std::uint16_t code) {
  return Error(ErrorKind::kNotDirectory, code, "Not a directory");
}

/// As for the kernel, such a path names a directory, and a link at its end is followed.
bool names_directory(std::string_view path) {
  return path == "." || path.ends_with('/') || path.ends_with("/.");
}

enum class Missing : bool { kFails, kCountsAsThere };

/// Resolves a path from the root, one name at a time.
class Resolver {
 public:
  Resolver(const reader::Image& image, std::string_view path, Follow last, Missing missing)
      : image_(image),
        rest_(components(path)),
        last_(last),
        missing_(missing),
        must_be_directory_(missing == Missing::kFails && names_directory(path)) {}

  Result<FoundNode> run() {
    // A root whose entry is lost still gives its number, which is enough to continue.
    const auto root = image_.lookup("");
    DGFS_TRY(start, root ? root : image_.lost_directory(""));
    trail_.push_back({"", std::move(start)});
    while (!rest_.empty()) {
      const std::string name = std::move(rest_.front());
      rest_.pop_front();
      DGFS_CHECK(name == ".." ? leave() : enter(name));
    }
    if (must_be_directory_ && !in_directory()) return not_directory(6033);
    if (!root && trail_.size() == 1) return root.error();
    return std::move(trail_.back());
  }

 private:
  [[nodiscard]] bool in_directory() const { return format::is_directory(trail_.back().node.mode); }

  Status leave() {
    if (!in_directory() && missing_ == Missing::kFails) return not_directory(6034);
    if (trail_.size() > 1) trail_.pop_back();
    return ok();
  }

  Status enter(const std::string& name) {
    Result<reader::Node> node = find(name);
    if (!node && missing_ == Missing::kCountsAsThere) node = reader::Node{};
    if (!node) return std::move(node).error();
    const bool follow = !rest_.empty() || last_ == Follow::kYes || must_be_directory_;
    const bool leads_on = missing_ == Missing::kFails || links_followed_ < kLinksFollowedMax;
    if (follow && leads_on && format::is_symlink(node.value().mode)) {
      return follow_link(node.value());
    }
    trail_.push_back({joined_path(trail_.back().path, name), std::move(node).value()});
    return ok();
  }

  [[nodiscard]] Result<reader::Node> find(const std::string& name) const {
    if (!in_directory()) return not_directory(6030);
    Result<reader::Node> node = image_.lookup(trail_.back().node.inode, name);
    if (!node && node.error().kind() == ErrorKind::kNotFound) return not_found(6031);
    return node;
  }

  Status follow_link(const reader::Node& link) {
    if (++links_followed_ > kLinksFollowedMax) {
      return Error(ErrorKind::kLoop, 6032, "Too many levels of symbolic links");
    }
    DGFS_TRY(target, image_.read_link(link));
    if (target.starts_with('/')) trail_.resize(1);
    if (missing_ == Missing::kFails && rest_.empty() && names_directory(target)) {
      must_be_directory_ = true;
    }
    std::deque<std::string> names = components(target);
    rest_.insert(rest_.begin(), names.begin(), names.end());
    return ok();
  }

  const reader::Image& image_;
  std::deque<std::string> rest_;
  Follow last_;
  Missing missing_;
  bool must_be_directory_;
  std::vector<FoundNode> trail_;  // the root and each directory that was entered
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
  if (path.empty()) return not_found(6035);
  // After a link, ".." may lead elsewhere than the text says, so only the walk can resolve it.
  const bool has_parents = path.find("..") != std::string_view::npos;
  if (!has_parents) {
    std::string normal = normal_path(path);
    Result<reader::Node> node = image.lookup(normal);
    const bool done = node && (names_directory(path)
                                   ? format::is_directory(node.value().mode)
                                   : last == Follow::kNo || !format::is_symlink(node.value().mode));
    if (done) {
      return FoundNode{std::move(normal), std::move(node).value()};
    }
    if (!node && node.error().kind() != ErrorKind::kNotFound &&
        node.error().kind() != ErrorKind::kNotDirectory) {
      return std::move(node).error();
    }
  }
  return Resolver(image, path, last, Missing::kFails).run();
}

std::string real_path(const reader::Image& image, std::string_view path) {
  auto found = Resolver(image, path, Follow::kYes, Missing::kCountsAsThere).run();
  return found ? std::move(found).value().path : normal_path(path);
}

Result<FoundNode> find_listed(const reader::Image& image, std::string_view path, Follow last) {
  auto found = find_node(image, path, last);
  if (found || path.empty() || found.error().kind() == ErrorKind::kNotFound ||
      found.error().kind() == ErrorKind::kNotDirectory) {
    return found;
  }
  auto directory = image.lost_directory(normal_path(path));
  if (!directory) return found;
  return FoundNode{normal_path(path), std::move(directory).value(), found.error()};
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
