// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/model/tree_dump.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <string_view>

#include "base/printable.h"

namespace dgfs::test {
namespace {

constexpr std::size_t kShownBytesMax = 40;
constexpr ModelId kEndedIdsMax = 64;  // ended ids that the dump still asks for

// Shows a long value as its hash, to keep lines readable.
std::string shown(Bytes value) {
  if (value.size() <= kShownBytesMax) return printable(as_text(value));
  return "hash " + std::to_string(std::hash<std::string_view>()(as_text(value)));
}

class Dump {
 public:
  Dump(const TreeFacts& tree, const DumpOptions& options) : tree_(tree), options_(options) {}

  void add(const std::string& path, ModelId id) {
    std::string line = "'" + printable(path) + "' #" + std::to_string(id) + " ";
    const auto facts = tree_.facts(id);
    if (!facts) {
      lines_.push_back(line + to_string(facts.assume_error()));
      return;
    }
    lines_.push_back(line + text_of(facts.assume_value()));
    const auto& attributes = facts.assume_value().attributes;
    if (!format::is_directory(attributes.mode) || attributes.link_count == 0) return;
    add_names(path, id);
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  void add_names(const std::string& path, ModelId id) {
    const auto parent = tree_.parent(id);
    lines_.push_back("  in #" + (parent ? std::to_string(parent.assume_value())
                                        : to_string(parent.assume_error())));
    const auto names = tree_.names(id);
    if (!names) {
      lines_.push_back("  no names: " + to_string(names.assume_error()));
      return;
    }
    for (const auto& listed : names.assume_value()) {
      const std::string below = path.empty() ? listed.name : path + "/" + listed.name;
      std::ostringstream line;
      line << "'" << printable(below) << "' of type 0" << std::oct << listed.type;
      lines_.push_back(line.str());
      add(below, listed.object);
    }
  }

  [[nodiscard]] std::string text_of(const ObjectFacts& facts) const {
    OperationResult result;
    result.attributes = kept(facts.attributes, options_);
    std::ostringstream out;
    out << to_string(result);
    if (!facts.target.empty()) out << " -> '" << printable(facts.target) << "'";
    if (!facts.content.empty()) {
      out << " content (" << facts.content.size() << ")" << shown(as_bytes(facts.content));
    }
    for (const auto& [name, value] : facts.xattrs) {
      out << " " << printable(name) << "=(" << value.size() << ")" << shown(value);
    }
    if (!options_.has_paths) return out.str();
    for (const auto& path : facts.paths) out << " at '" << printable(path) << "'";
    return out.str();
  }

  const TreeFacts& tree_;
  DumpOptions options_;
  std::vector<std::string> lines_;
};

}  // namespace

Answer<ObjectFacts> ModelFacts::facts(ModelId id) const {
  const auto found = tree_.objects().find(id);
  if (found == tree_.objects().end()) return ErrorKind::kNotFound;
  const auto& object = found->second;
  ObjectFacts facts;
  facts.attributes = object.attributes;
  facts.target = object.target;
  facts.content = object.content;
  facts.xattrs.insert(object.xattrs.begin(), object.xattrs.end());
  facts.paths = tree_.paths(id).assume_value();
  return facts;
}

Answer<std::vector<ListedObject>> ModelFacts::names(ModelId directory) const {
  std::vector<ListedObject> names;
  DGFS_CHECK(tree_.list(directory, "", [&](const view::View::ListedName& listed) {
    names.push_back({std::string(listed.name), listed.object, listed.type});
    return true;
  }));
  return names;
}

Answer<ModelId> ModelFacts::parent(ModelId directory) const {
  DGFS_TRY(parent, tree_.lookup(directory, ".."));
  return parent.object;
}

view::Attributes kept(view::Attributes attributes, const DumpOptions& options) {
  const bool is_directory = format::is_directory(attributes.mode);
  if (!options.has_times) attributes.mtime = attributes.ctime = attributes.atime = {};
  if (!options.has_sizes) attributes.blocks = attributes.children = 0;
  if (!options.has_blocks) attributes.blocks = 0;
  if (!options.has_sizes && is_directory) attributes.size_bytes = 0;
  if (!options.has_directory_links && is_directory) attributes.link_count = 0;
  return attributes;
}

std::vector<std::string> dump(const TreeFacts& tree, const std::vector<ModelId>& others,
                              const DumpOptions& options) {
  Dump dump(tree, options);
  dump.add("", view::kRoot);
  for (const ModelId id : others) dump.add("(without a name)", id);
  return dump.take();
}

std::vector<ModelId> ids_without_name(const ModelTree& tree) {
  std::vector<ModelId> ids;
  for (const auto& [id, object] : tree.objects()) {
    if (object.attributes.link_count == 0) ids.push_back(id);
  }
  const ModelId end = tree.next_id();
  for (ModelId id = end > kEndedIdsMax ? end - kEndedIdsMax : 1; id < end; ++id) {
    if (!tree.objects().contains(id)) ids.push_back(id);
  }
  return ids;
}

std::string first_difference(const std::vector<std::string>& expected,
                             const std::vector<std::string>& seen) {
  const auto [left, right] =
      std::mismatch(expected.begin(), expected.end(), seen.begin(), seen.end());
  if (left == expected.end() && right == seen.end()) return {};
  return "expected: " + (left == expected.end() ? "the end" : *left) +
         "\n    seen: " + (right == seen.end() ? "the end" : *right);
}

}  // namespace dgfs::test
