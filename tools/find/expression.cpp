// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/find/expression.h"

#include "format/entry/mode.h"
#include "tools/paths/image_path.h"
#include "tools/paths/node_facts.h"
#include "tools/text/mode_text.h"
#include "tools/text/quoting.h"

namespace dgfs::tools {

void FindRun::complain(std::string_view path, const Error& error) {
  session.complain_damage(path, error);
  failed = true;
}

void FindRun::complain_loop(std::string_view path, const std::optional<std::string>& above) {
  session.complain(path, !above ? "Too many levels of symbolic links"
                                : "leads back to " + shell_quoted(above->empty() ? "." : *above));
  failed = true;
}

char followed_type(FindRun& run, const FindItem& item) {
  if (!format::is_symlink(item.node.mode)) return find_type_letter(item.node.mode);
  const Result<FoundNode> found = find_node(run.image, item.path, Follow::kYes);
  if (found) return find_type_letter(found.value().node.mode);
  return found.error().kind() == ErrorKind::kLoop ? 'L' : 'N';
}

FindTest print_action(FindRun& run, char end) {
  return [&run, end](const FindItem& item) {
    if (run.json) {
      run.session.print(node_json(run.image, item.path, item.node).line());
    } else if (end == '\0') {
      run.session.print(std::string(item.path) + end);
    } else {
      run.session.print(run.session.shown(item.path) + end);
    }
    return true;
  };
}

std::string_view last_component(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == path.npos || path.size() == 1 ? path : path.substr(slash + 1);
}

}  // namespace dgfs::tools
