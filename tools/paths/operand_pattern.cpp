// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/paths/operand_pattern.h"

#include <algorithm>
#include <utility>

#include "format/entry/mode.h"
#include "tools/paths/image_path.h"
#include "tools/text/wildcards.h"

namespace dgfs::tools {
namespace {

bool has_wildcard(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

class ImagePatternTree final : public PatternTree {
 public:
  ImagePatternTree(const Session& session, const reader::Image& image, bool& sound)
      : session_(session), image_(image), sound_(sound) {}

  bool has(const std::string& path) override {
    return find_listed(image_, path, Follow::kNo).has_value();
  }
  bool is_directory(const std::string& path) override {
    const auto found = find_listed(image_, path, Follow::kYes);
    return found && format::is_directory(found.value().node.mode);
  }
  void list(const std::string& path,
            const std::function<void(std::string_view name)>& name) override {
    const auto found = find_listed(image_, path.empty() ? "." : path, Follow::kYes);
    if (!found || !format::is_directory(found.value().node.mode)) return;
    const auto tell = [&](const reader::ListedName& listed) {
      name(listed.name);
      return true;
    };
    const auto complain = [&](const reader::LostNames& lost) {
      session_.complain_damage(path.empty() ? "." : path, lost.error);
      sound_ = false;
      return true;
    };
    // `complain` has reported every error by now.
    static_cast<void>(image_.list(found.value().node.inode, 0, tell, complain));
  }

 private:
  const Session& session_;
  const reader::Image& image_;
  bool& sound_;
};

/// Adds the names in `directory` that match `pattern`, each with the directory's path before it.
void add_fitting(PatternTree& tree, const std::string& directory, const std::string& pattern,
                 std::vector<std::string>& out) {
  tree.list(directory, [&](std::string_view listed) {
    const std::string name(listed);
    if (fits_as_in_shell(pattern, name)) out.push_back(joined_path(directory, name));
  });
}

/// The path without its last component but with the slashes before that, and the last component.
std::pair<std::string, std::string> split_last(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

std::vector<std::string> expand(PatternTree& tree, std::string pattern) {
  std::string slashes;
  while (pattern.size() > 1 && pattern.ends_with('/')) {
    pattern.pop_back();
    slashes += '/';
  }
  const auto [parents, last] = split_last(pattern);
  std::vector<std::string> out;
  const std::vector<std::string> directories =
      has_wildcard(parents) ? expand(tree, parents) : std::vector<std::string>{parents};
  for (const std::string& directory : directories) {
    if (has_wildcard(last)) {
      add_fitting(tree, directory, last, out);
    } else if (std::string path = joined_path(directory, last); tree.has(path)) {
      out.push_back(std::move(path));
    }
  }
  if (!slashes.empty()) {
    std::erase_if(out, [&](const std::string& path) { return !tree.is_directory(path); });
    for (std::string& path : out) path += slashes;
  }
  return out;
}

}  // namespace

std::vector<std::string> expand_patterns(PatternTree& tree,
                                         const std::vector<std::string>& operands) {
  std::vector<std::string> out;
  for (const std::string& operand : operands) {
    std::vector<std::string> paths;
    if (has_wildcard(operand) && !tree.has(operand)) paths = expand(tree, operand);
    if (paths.empty()) paths.push_back(operand);
    std::move(paths.begin(), paths.end(), std::back_inserter(out));
  }
  return out;
}

std::vector<std::string> expand_patterns(const Session& session, const reader::Image& image,
                                         const std::vector<std::string>& operands, bool& sound) {
  ImagePatternTree tree(session, image, sound);
  return expand_patterns(tree, operands);
}

}  // namespace dgfs::tools
