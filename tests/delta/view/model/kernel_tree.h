// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// KernelTree: a directory of a file system of the kernel, with operations by system calls. It gives
// the answers that a ModelTree should give.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tests/delta/view/model/operation_maker.h"
#include "tests/delta/view/model/tree_dump.h"

namespace dgfs::test {

/// It holds a descriptor of each object, so that objects without a name stay, and inode numbers do
/// not come twice. Objects have the ids of the model. For one thread; it sets the umask of the
/// process.
class KernelTree final : public TreeFacts {
 public:
  /// @param path  an empty directory, which becomes the root. The tree may remove it
  explicit KernelTree(const std::string& path);
  ~KernelTree() override;

  /// The operations that this process may do in this file system.
  [[nodiscard]] const OperationLimits& limits() const { return limits_; }
  /// The facts that are the same in all file systems, and in this one.
  [[nodiscard]] const DumpOptions& dump_options() const { return dump_options_; }
  /// Whether the file system is ext4, and each change gets a time of its own once the one before
  /// was looked at: from Linux 6.13 on.
  [[nodiscard]] bool has_fine_times() const { return has_fine_times_; }
  /// mtime and ctime; nullopt: the object was released.
  [[nodiscard]] std::optional<std::pair<Time, Time>> times(ModelId id) const;
  /// Attributes of the root, for the model.
  [[nodiscard]] view::Attributes root() const;

  /// Does an operation. For a released object it returns kNotFound without a call.
  /// @param made  the id of the object that the operation makes
  [[nodiscard]] OperationResult perform(const Operation& operation, ModelId made);

  [[nodiscard]] Answer<ObjectFacts> facts(ModelId id) const override;
  [[nodiscard]] Answer<std::vector<ListedObject>> names(ModelId directory) const override;
  [[nodiscard]] Answer<ModelId> parent(ModelId directory) const override;

 private:
  void probe(int directory);

  /// Device and inode.
  using Identity = std::pair<std::uint64_t, std::uint64_t>;

  [[nodiscard]] int fd(ModelId id) const { return fds_.at(id); }
  /// A path by which calls that take no O_PATH descriptor reach an object, or a symlink itself.
  [[nodiscard]] std::string link_to(ModelId id) const;
  /// The id of the object with this name; 0: there is none. A new object gets the id `made`.
  [[nodiscard]] ModelId named(ModelId directory, const std::string& name, ModelId made = 0);
  [[nodiscard]] ModelId known(int fd) const;
  [[nodiscard]] OperationResult found(ModelId id) const;
  [[nodiscard]] bool has_all_of(const Operation& operation) const;

  [[nodiscard]] OperationResult name_operation(const Operation& operation, ModelId made);
  [[nodiscard]] int make(const Operation& operation) const;
  [[nodiscard]] OperationResult create_unnamed(const Operation& operation, ModelId made);
  [[nodiscard]] OperationResult remove(const Operation& operation, int flags);
  [[nodiscard]] OperationResult rename(const Operation& operation, ModelId made);
  [[nodiscard]] OperationResult object_operation(const Operation& operation);
  [[nodiscard]] OperationResult set_attributes(const Operation& operation) const;
  /// Returns nothing if the object has contents.
  [[nodiscard]] std::optional<ErrorKind> refusal_of_no_file(ModelId id) const;
  [[nodiscard]] OperationResult content_operation(const Operation& operation) const;
  [[nodiscard]] OperationResult change_content(const Operation& operation, int file) const;
  [[nodiscard]] OperationResult set_size(const Operation& operation) const;
  [[nodiscard]] std::string content(ModelId id) const;
  [[nodiscard]] OperationResult xattr_operation(const Operation& operation) const;
  [[nodiscard]] OperationResult list(const Operation& operation) const;
  void add_paths(ModelId directory, const std::string& path, ModelId id,
                 std::vector<std::string>& paths) const;
  void release(ModelId id);

  std::map<ModelId, int> fds_;
  std::map<Identity, ModelId> ids_;
  OperationLimits limits_;
  DumpOptions dump_options_;
  bool has_fine_times_ = false;
  std::uint32_t umask_before_ = 0;
};

}  // namespace dgfs::test
