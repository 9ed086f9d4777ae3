// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/path_pattern.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "format/mode.h"
#include "tools/image_path.h"

namespace dgfs::tools {
namespace {

bool has_wildcard(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

/// The names in `directory` that fit `pattern`, each behind the directory's path.
void add_fitting(const reader::Image& image, const std::string& directory,
                 const std::string& pattern, std::vector<std::string>& out) {
  const Result<FoundNode> found = find_node(image, directory, Follow::kYes);
  if (!found || !format::is_directory(found.value().node.mode)) return;
  // A directory that cannot be read holds nothing that fits; the command says what is missing.
  static_cast<void>(image.list(found.value().node.inode, 0, [&](const reader::ListedName& listed) {
    const std::string name(listed.name);
    if (::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0) {
      out.push_back(joined_path(directory, name));
    }
    return true;
  }));
}

/// Path without the last component, slashes between included, and that component.
std::pair<std::string, std::string> split_last(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

std::vector<std::string> expand(const reader::Image& image, std::string pattern) {
  std::string slashes;
  while (pattern.size() > 1 && pattern.ends_with('/')) {
    pattern.pop_back();
    slashes += '/';
  }
  const auto [parents, last] = split_last(pattern);
  std::vector<std::string> out;
  const std::vector<std::string> directories =
      has_wildcard(parents) ? expand(image, parents) : std::vector<std::string>{parents};
  for (const std::string& directory : directories) {
    if (has_wildcard(last)) {
      add_fitting(image, directory, last, out);
    } else if (std::string path = joined_path(directory, last);
               find_node(image, path, Follow::kNo)) {
      out.push_back(std::move(path));
    }
  }
  if (!slashes.empty()) {
    std::erase_if(out, [&](const std::string& path) {
      const Result<FoundNode> found = find_node(image, path, Follow::kYes);
      return !found || !format::is_directory(found.value().node.mode);
    });
    for (std::string& path : out) path += slashes;
  }
  return out;
}

}  // namespace

std::vector<std::string> expand_patterns(const reader::Image& image,
                                         const std::vector<std::string>& operands) {
  std::vector<std::string> out;
  for (const std::string& operand : operands) {
    std::vector<std::string> paths;
    if (has_wildcard(operand) && !find_node(image, operand, Follow::kNo)) {
      paths = expand(image, operand);
    }
    if (paths.empty()) paths.push_back(operand);
    std::move(paths.begin(), paths.end(), std::back_inserter(out));
  }
  return out;
}

}  // namespace dgfs::tools
