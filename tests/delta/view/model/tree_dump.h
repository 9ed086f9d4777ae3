// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A whole tree of any kind as lines of text, so that a test can compare two of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/delta/view/model/operation.h"

namespace dgfs::test {

/// The facts about an object. A value.
struct ObjectFacts {
  view::Attributes attributes;
  std::string target;                    ///< symlinks
  std::string content;                   ///< of files
  std::map<std::string, Buffer> xattrs;  ///< by name
  std::vector<std::string> paths;        ///< in order
};

/// A tree that names its objects by ids of a model. For one thread.
class TreeFacts {
 public:
  TreeFacts() = default;
  virtual ~TreeFacts() = default;
  TreeFacts(const TreeFacts&) = delete;
  TreeFacts& operator=(const TreeFacts&) = delete;

  [[nodiscard]] virtual Answer<ObjectFacts> facts(ModelId id) const = 0;
  /// In bytewise order.
  [[nodiscard]] virtual Answer<std::vector<ListedObject>> names(ModelId directory) const = 0;
  /// The object of "..".
  [[nodiscard]] virtual Answer<ModelId> parent(ModelId directory) const = 0;
};

/// The facts of a model.
class ModelFacts final : public TreeFacts {
 public:
  /// @param tree  must outlive this
  explicit ModelFacts(const ModelTree& tree) : tree_(tree) {}
  [[nodiscard]] Answer<ObjectFacts> facts(ModelId id) const override;
  [[nodiscard]] Answer<std::vector<ListedObject>> names(ModelId directory) const override;
  [[nodiscard]] Answer<ModelId> parent(ModelId directory) const override;

 private:
  const ModelTree& tree_;
};

/// Which facts are compared. A value.
struct DumpOptions {
  bool has_times = true;
  bool has_sizes = true;  ///< and of directories their children, and blocks of all objects
  bool has_blocks = true;
  bool has_directory_links = true;  ///< link counts of directories
  bool has_paths = true;
};

/// Returns the attributes with all that is not compared at its default.
[[nodiscard]] view::Attributes kept(view::Attributes attributes, const DumpOptions& options);
/// One or more lines for each name, and one for each id in `others`, which may have no name.
[[nodiscard]] std::vector<std::string> dump(const TreeFacts& tree,
                                            const std::vector<ModelId>& others,
                                            const DumpOptions& options = {});
/// Ids without a name in the model: of living objects, and of those that ended last.
[[nodiscard]] std::vector<ModelId> ids_without_name(const ModelTree& tree);
/// The first lines in which two dumps differ, for messages; empty: no difference.
[[nodiscard]] std::string first_difference(const std::vector<std::string>& expected,
                                           const std::vector<std::string>& seen);

}  // namespace dgfs::test
