// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Tests of find that look at names, or at more of the image than the entry.
#include "format/entry/mode.h"
#include "tools/find/expression.h"

namespace dgfs::tools {

FindTest name_test(const std::string& pattern, WildcardCase letters) {
  return [pattern, letters](const FindItem& item) {
    const std::string name(last_component(item.path));
    return fits_wildcards(pattern, name, letters);
  };
}

FindTest path_test(const std::string& pattern, WildcardCase letters) {
  return [pattern, letters](const FindItem& item) {
    return fits_wildcards(pattern, std::string(item.path), letters);
  };
}

FindTest link_test(FindRun& run, const std::string& pattern, WildcardCase letters) {
  return [&run, pattern, letters](const FindItem& item) {
    if (!format::is_symlink(item.node.mode)) return false;
    const Result<std::string> target = run.image.read_link(item.node);
    if (!target) run.complain(item.path, target.error());
    return target && fits_wildcards(pattern, target.value(), letters);
  };
}

FindTest empty_test(FindRun& run) {
  return [&run](const FindItem& item) {
    if (format::is_regular(item.node.mode)) return item.node.size_bytes == 0;
    if (!format::is_directory(item.node.mode)) return false;
    bool any = false;
    const auto stop_at_one = [&](const reader::ListedName&) {
      any = true;
      return false;
    };
    // What is lost is there all the same.
    const auto lose = [&](const reader::LostNames&) { return any = true; };
    const Status listed = run.image.list(item.node.inode, 0, stop_at_one, lose);
    if (!listed) run.complain(item.path, listed.error());
    return listed && !any;
  };
}

FindTest access_test(FindRun& run, Access wanted) {
  return [&run, wanted, caller = run.session.env().caller()](const FindItem& item) {
    if (!format::is_symlink(item.node.mode)) {
      return may_access(run.image, item.node, caller, wanted);
    }
    const Result<FoundNode> target = find_node(run.image, item.path, Follow::kYes);
    return target && may_access(run.image, target.value().node, caller, wanted);
  };
}

}  // namespace dgfs::tools
