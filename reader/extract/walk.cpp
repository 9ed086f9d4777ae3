// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/walk.h"

#include <utility>

#include "format/entry/mode.h"
#include "reader/extract/paths.h"
#include "reader/image.h"

namespace dgfs::reader {

void ExtractWalk::run(const MakeParent& make_parent, const Visit& visit) {
  for (const auto& path : disjoint_paths(options_.paths)) {
    if (log_.ended()) return;
    log_.settle(path, walk_chosen(path, make_parent, visit));
  }
}

Status ExtractWalk::walk_chosen(const std::string& path, const MakeParent& make_parent,
                                const Visit& visit) {
  const auto node = image_.lookup(path);
  // The entry of a directory may be damaged while entries below it are intact.
  if (!node && !goes_on_behind(node.assume_error())) return node.assume_error();
  if (node && !is_wanted(path, node.assume_value())) return ok();
  make_parents(path, make_parent);
  return log_.ended() ? Status(ok()) : walk(path, visit);
}

// Skips the parents that were made for the path before. If one parent fails, make_parent reports
// it, and the entries below fail too.
void ExtractWalk::make_parents(const std::string& path, const MakeParent& make_parent) {
  const auto before = std::exchange(last_made_, std::string(parent_of(path)) + '/');
  for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (before.starts_with(std::string_view(path).substr(0, slash + 1))) continue;
    const auto parent = path.substr(0, slash);
    const auto node = image_.lookup(parent);
    if (!node) {
      log_.settle(parent, node.assume_error());
      if (!goes_on_behind(node.assume_error())) return;
    } else if (!make_parent(parent, node.assume_value())) {
      return;
    }
  }
}

bool ExtractWalk::goes_on_behind(const Error& error) const {
  return options_.keep_going && error.kind() != ErrorKind::kNotFound &&
         error.kind() != ErrorKind::kInvalidArgument && error.kind() != ErrorKind::kNotDirectory;
}

Status ExtractWalk::walk(const std::string& start_path, const Visit& visit) {
  return image_.walk(
      start_path,
      [&](std::string_view path, const Node& node) {
        if (is_wanted(path, node)) visit(std::string(path), node);
        return !log_.ended();
      },
      [&](const Error& error) {
        log_.settle(start_path, error);
        return options_.keep_going;
      });
}

bool ExtractWalk::is_wanted(std::string_view path, const Node& node) {
  if (!options_.devices && format::is_device(node.mode)) return false;
  if (!options_.wanted || path.empty()) return true;
  return is_parent_wanted(parent_of(path)) &&
         options_.wanted(path, format::is_directory(node.mode));
}

bool ExtractWalk::is_parent_wanted(std::string_view parent) {
  if (parent == last_parent_) return last_parent_wanted_;
  last_parent_wanted_ = true;
  for (std::size_t end = parent.find('/'); last_parent_wanted_; end = parent.find('/', end + 1)) {
    last_parent_wanted_ = options_.wanted(parent.substr(0, end), true);
    if (end == std::string_view::npos) break;
  }
  last_parent_ = parent;
  return last_parent_wanted_;
}

}  // namespace dgfs::reader
