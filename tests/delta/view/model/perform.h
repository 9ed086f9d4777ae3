// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Does an operation on a View or a ModelTree, which have the same methods.
#pragma once

#include <utility>

#include "tests/delta/view/model/operation.h"

namespace dgfs::test {

/// One operation in progress: turns results of methods into an OperationResult.
/// @tparam Tree  View or ModelTree; numbers of the operation are those of the tree
template <class Tree>
class Performance {
 public:
  Performance(Tree& tree, const Operation& operation) : tree_(tree), operation_(operation) {}

  [[nodiscard]] OperationResult run() {
    if (operation_.verb < Verb::kAttributes) {
      run_names();
    } else if (operation_.verb < Verb::kRead) {
      run_objects();
    } else {
      run_contents();
    }
    return std::move(result_);
  }

 private:
  static ErrorKind kind_of(ErrorKind kind) { return kind; }
  static ErrorKind kind_of(const Error& error) { return error.kind(); }

  // Returns whether it is a value; otherwise its error becomes the result of the operation.
  template <class Outcome>
  bool is_done(const Outcome& outcome) {
    if (outcome.has_value()) return true;
    result_.error = kind_of(outcome.assume_error());
    return false;
  }
  template <class Outcome>
  void take_entry(const Outcome& outcome) {
    if (!is_done(outcome)) return;
    result_.object = outcome.assume_value().object;
    result_.attributes = outcome.assume_value().attributes;
  }
  template <class Outcome>
  void take_attributes(const Outcome& outcome) {
    if (is_done(outcome)) result_.attributes = outcome.assume_value();
  }
  template <class Outcome>
  void take_texts(const Outcome& outcome) {
    if (is_done(outcome)) result_.texts = outcome.assume_value();
  }
  template <class Outcome>
  void take_renamed(const Outcome& outcome) {
    if (!is_done(outcome)) return;
    result_.object = outcome.assume_value().object;
    result_.replaced = outcome.assume_value().replaced.object;
    result_.replaced_attributes = outcome.assume_value().replaced.attributes;
  }

  void run_names() {
    const Operation& o = operation_;
    switch (o.verb) {
      case Verb::kLookup:
        return take_entry(tree_.lookup(o.directory, o.name));
      case Verb::kCreate:
        return take_entry(tree_.create(o.directory, o.name, o.made, o.who));
      case Verb::kCreateUnnamed:
        return take_entry(tree_.create_unnamed(o.directory, o.permissions, o.who));
      case Verb::kMakeDirectory:
        return take_entry(tree_.make_directory(o.directory, o.name, o.permissions, o.who));
      case Verb::kMakeSymlink:
        return take_entry(tree_.make_symlink(o.directory, o.name, o.target, o.who));
      case Verb::kLink:
        return take_entry(tree_.link(o.object, o.directory, o.name));
      case Verb::kUnlink:
        return take_entry(tree_.unlink(o.directory, o.name));
      case Verb::kRemoveDirectory:
        return take_entry(tree_.remove_directory(o.directory, o.name));
      default:
        return take_renamed(tree_.rename(o.directory, o.name, o.to, o.new_name, o.rename_mode,
                                         o.leaves_whiteout ? std::optional(o.who) : std::nullopt));
    }
  }

  void run_objects() {
    const Operation& o = operation_;
    switch (o.verb) {
      case Verb::kAttributes:
        return take_attributes(tree_.attributes(o.object));
      case Verb::kSetAttributes:
        return take_attributes(tree_.set_attributes(o.object, o.change));
      case Verb::kReadLink: {
        const auto target = tree_.read_link(o.object);
        if (is_done(target)) result_.texts = {target.assume_value()};
        return;
      }
      case Verb::kPaths:
        return take_texts(tree_.paths(o.object));
      case Verb::kRelease:
        return static_cast<void>(is_done(tree_.release(o.object)));
      case Verb::kList:
        return run_list();
      default:
        return run_xattrs();
    }
  }

  void run_xattrs() {
    const Operation& o = operation_;
    if (o.verb == Verb::kXattr) {
      const auto value = tree_.xattr(o.object, o.xattr);
      if (is_done(value)) result_.texts = {std::string(as_text(value.assume_value()))};
    } else if (o.verb == Verb::kXattrNames) {
      take_texts(tree_.xattr_names(o.object));
    } else if (o.verb == Verb::kSetXattr) {
      static_cast<void>(is_done(tree_.set_xattr(o.object, o.xattr, o.value, o.xattr_mode)));
    } else {
      static_cast<void>(is_done(tree_.remove_xattr(o.object, o.xattr)));
    }
  }

  void run_contents() {
    const Operation& o = operation_;
    switch (o.verb) {
      case Verb::kRead: {
        Buffer bytes(static_cast<std::size_t>(o.length_bytes));
        const auto count = tree_.read(o.object, o.offset_bytes, MutableBytes(bytes));
        if (is_done(count)) {
          result_.texts = {std::string(as_text(Bytes(bytes).first(count.assume_value())))};
        }
        return;
      }
      case Verb::kWrite:
        return take_length(tree_.write(o.object, o.offset_bytes, o.value));
      case Verb::kAppend: {
        const auto appended = tree_.append(o.object, o.value);
        if (!is_done(appended)) return;
        result_.offset_bytes = appended.assume_value().offset_bytes;
        result_.length_bytes = appended.assume_value().length_bytes;
        return;
      }
      case Verb::kZero:
        return static_cast<void>(
            is_done(tree_.zero(o.object, o.offset_bytes, o.length_bytes, o.zero_mode)));
      default:
        return take_length(tree_.copy(o.object, o.offset_bytes, o.to, o.to_bytes, o.length_bytes));
    }
  }
  template <class Outcome>
  void take_length(const Outcome& outcome) {
    if (is_done(outcome)) result_.length_bytes = outcome.assume_value();
  }

  void run_list() {
    static_cast<void>(is_done(tree_.list(
        operation_.object, operation_.name, [this](const view::View::ListedName& listed) {
          result_.listed.push_back({std::string(listed.name), listed.object, listed.type});
          return true;
        })));
  }

  Tree& tree_;
  const Operation& operation_;
  OperationResult result_;
};

/// Does an operation whose numbers are those of the tree.
template <class Tree>
[[nodiscard]] OperationResult perform(const Operation& operation, Tree& tree) {
  return Performance<Tree>(tree, operation).run();
}

}  // namespace dgfs::test
