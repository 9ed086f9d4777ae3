// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/model/differing_names.h"

#include "format/entry/mode.h"

namespace dgfs::test {
namespace {

class Comparison {
 public:
  Comparison(const ModelTree& first, const ModelTree& second)
      : first_(first.objects()), second_(second.objects()) {}

  // Returns whether anything differs in or below a directory of both.
  bool compare_names(ModelId directory) {
    const auto& left = first_.at(directory).names;
    const auto& right = second_.at(directory).names;
    std::set<std::string> differing;
    for (const auto* names : {&left, &right}) {
      for (const auto& [name, id] : *names) {
        const bool is_in_both = left.contains(name) && right.contains(name);
        if (!is_in_both || left.at(name) != right.at(name) || differs(id)) differing.insert(name);
      }
    }
    if (differing.empty()) return false;
    found_[directory] = std::move(differing);
    return true;
  }
  [[nodiscard]] std::map<ModelId, std::set<std::string>> take() { return std::move(found_); }

 private:
  // Whether an object of both differs, or anything below it.
  bool differs(ModelId id) {
    const ModelObject& left = first_.at(id);
    const ModelObject& right = second_.at(id);
    const bool is_directory = format::is_directory(left.attributes.mode);
    const bool differs_below = is_directory && compare_names(id);
    return differs_below || left.attributes != right.attributes || left.target != right.target ||
           left.xattrs != right.xattrs || left.content != right.content;
  }

  const std::map<ModelId, ModelObject>& first_;
  const std::map<ModelId, ModelObject>& second_;
  std::map<ModelId, std::set<std::string>> found_;
};

}  // namespace

std::map<ModelId, std::set<std::string>> differing_names(const ModelTree& first,
                                                         const ModelTree& second) {
  Comparison comparison(first, second);
  static_cast<void>(comparison.compare_names(view::kRoot));
  return comparison.take();
}

}  // namespace dgfs::test
