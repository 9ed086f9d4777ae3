// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/merge/same_tree.h"

#include <map>

#include "base/printable.h"
#include "format/entry/mode.h"

namespace dgfs::test {
namespace {

class Comparison {
 public:
  Comparison(const ModelTree& expected, const ModelTree& seen)
      : expected_(expected.objects()), seen_(seen.objects()) {}

  [[nodiscard]] std::string compare(const std::string& path, ModelId left, ModelId right) {
    const auto place = "'" + printable(path) + "': ";
    // Names of one object lead to one object in the other tree, too.
    const auto [pair, is_new] = pairs_.emplace(left, right);
    if (pair->second != right) return place + "the names of an object lead to several";
    if (!is_new) return {};
    const ModelObject& one = expected_.at(left);
    const ModelObject& other = seen_.at(right);
    if (auto text = difference_of(one, other); !text.empty()) return place + text;
    for (const auto& [name, id] : one.names) {
      const auto found = other.names.find(name);
      const auto below = path.empty() ? name : path + "/" + name;
      if (found == other.names.end()) return "'" + printable(below) + "' is missing";
      if (auto text = compare(below, id, found->second); !text.empty()) return text;
    }
    for (const auto& [name, id] : other.names) {
      if (!one.names.contains(name)) return place + "has a further name '" + printable(name) + "'";
    }
    return {};
  }

 private:
  [[nodiscard]] static std::string difference_of(const ModelObject& one, const ModelObject& other) {
    const view::Attributes& left = one.attributes;
    const view::Attributes& right = other.attributes;
    if (left.mode != right.mode) return "another mode";
    if (left.uid != right.uid || left.gid != right.gid) return "another owner";
    if (left.link_count != right.link_count) return "another count of links";
    if (left.size_bytes != right.size_bytes) return "another size";
    if (left.rdev != right.rdev) return "another device number";
    if (left.children != right.children) return "another number of names";
    if (left.mtime != right.mtime) return "another mtime";
    if (one.target != other.target) return "another target";
    if (one.xattrs != other.xattrs) return "other attributes";
    if (one.content != other.content) return "another content";
    return {};
  }

  const std::map<ModelId, ModelObject>& expected_;
  const std::map<ModelId, ModelObject>& seen_;
  std::map<ModelId, ModelId> pairs_;
};

}  // namespace

std::string difference_of_trees(const ModelTree& expected, const ModelTree& seen) {
  return Comparison(expected, seen).compare({}, view::kRoot, view::kRoot);
}

}  // namespace dgfs::test
