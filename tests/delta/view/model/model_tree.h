// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ModelTree: a POSIX tree in memory, as simple as possible. It has the operations of a View, and
// answers as Linux and ext4 do; model_kernel_test.cpp compares it with the kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>

#include "base/bytes.h"
#include "base/error.h"
#include "delta/view/object.h"
#include "delta/view/record/attributes_record.h"
#include "delta/view/view.h"

namespace dgfs::test {

/// An object's id in the model; a view may use other numbers. 1: the root; 0: none. Never used
/// twice.
using ModelId = std::uint64_t;

/// A value, or the kind of the error.
template <class T>
using Answer = boost::outcome_v2::basic_result<T, ErrorKind, boost::outcome_v2::policy::terminate>;

/// An object of a ModelTree. A value.
struct ModelObject {
  view::Attributes attributes;
  std::string target;                                 ///< symlinks
  std::map<std::string, Buffer, std::less<>> xattrs;  ///< by name
  std::map<std::string, ModelId, std::less<>> names;  ///< of directories
  std::set<std::pair<ModelId, std::string>> places;   ///< directory and name, of all its names
  std::string content;                                ///< of files
  std::uint64_t blocks = 0;                           ///< the real number; stat() may show fewer
  bool is_linkable = false;  ///< made by create_unnamed(), and never had a name
};

/// A value: a copy is an independent tree. For one thread.
///
/// The operations are those of View with the same arguments and errors, and take their time from
/// set_now(). If two errors are possible, it gives the one that Linux gives. The caller must avoid
/// two things: access lists, which the tree does not know, and mode bits that the kernel clears
/// before it asks a file system.
class ModelTree {
 public:
  /// A root without names.
  /// @param root  mode, owner and all times of the root
  explicit ModelTree(const view::Attributes& root);
  /// The tree of an image; ids are its inode numbers. Ends the test program if the image cannot be
  /// read.
  [[nodiscard]] static ModelTree of_image(const reader::Image& image);

  /// Sets the time of the following operations.
  void set_now(Time now) { now_ = now; }

  // Names.
  [[nodiscard]] Answer<view::Entry> lookup(ModelId directory, std::string_view name) const;
  Answer<view::Entry> create(ModelId directory, std::string_view name,
                             const view::NewObject& object, const view::Credentials& who);
  Answer<view::Entry> create_unnamed(ModelId directory, std::uint32_t permissions,
                                     const view::Credentials& who);
  Answer<view::Entry> make_directory(ModelId directory, std::string_view name,
                                     std::uint32_t permissions, const view::Credentials& who);
  Answer<view::Entry> make_symlink(ModelId directory, std::string_view name,
                                   std::string_view target, const view::Credentials& who);
  Answer<view::Entry> link(ModelId object, ModelId directory, std::string_view name);
  Answer<view::Entry> unlink(ModelId directory, std::string_view name);
  Answer<view::Entry> remove_directory(ModelId directory, std::string_view name);
  Answer<view::View::Renamed> rename(ModelId from, std::string_view old_name, ModelId to,
                                     std::string_view new_name,
                                     view::RenameMode mode = view::RenameMode::kReplace,
                                     const std::optional<view::Credentials>& whiteout = {});

  // Objects.
  [[nodiscard]] Answer<view::Attributes> attributes(ModelId id) const;
  Answer<view::Attributes> set_attributes(ModelId id, const view::AttributeChange& change);
  [[nodiscard]] Answer<std::string> read_link(ModelId id) const;
  /// In bytewise order.
  [[nodiscard]] Answer<std::vector<std::string>> paths(ModelId id) const;
  Answer<void> release(ModelId id);

  // Extended attributes.
  [[nodiscard]] Answer<Buffer> xattr(ModelId id, std::string_view name) const;
  [[nodiscard]] Answer<std::vector<std::string>> xattr_names(ModelId id) const;
  Answer<void> set_xattr(ModelId id, std::string_view name, Bytes value,
                         view::XattrMode mode = view::XattrMode::kSet);
  Answer<void> remove_xattr(ModelId id, std::string_view name);

  // Contents.
  [[nodiscard]] Answer<std::size_t> read(ModelId id, std::uint64_t offset_bytes,
                                         MutableBytes out) const;
  Answer<std::size_t> write(ModelId id, std::uint64_t offset_bytes, Bytes bytes);
  Answer<view::Appended> append(ModelId id, Bytes bytes);
  Answer<void> zero(ModelId id, std::uint64_t offset_bytes, std::uint64_t length_bytes,
                    view::ZeroMode mode);
  Answer<std::size_t> copy(ModelId from, std::uint64_t from_bytes, ModelId to,
                           std::uint64_t to_bytes, std::uint64_t length_bytes);

  // Listings.
  [[nodiscard]] Answer<void> list(
      ModelId directory, std::string_view after,
      const std::function<bool(const view::View::ListedName&)>& visit) const;

  // Operations of the model alone.
  /// Ends all objects without a name, as closing a view does, and as opening one does after a
  /// crash.
  void end_unnamed();
  /// Sets the blocks of a file, as a merge counts them.
  void set_blocks(ModelId id, std::uint64_t blocks) {
    ModelObject& object = objects_.at(id);
    object.blocks = blocks;
    object.attributes.blocks = std::min(blocks, view::blocks_max(object.attributes.size_bytes));
  }
  [[nodiscard]] const std::map<ModelId, ModelObject>& objects() const { return objects_; }
  /// A number above all ids so far.
  [[nodiscard]] ModelId next_id() const { return next_id_; }
  /// Whether `directory` is `ancestor` or lies below it.
  [[nodiscard]] bool is_within(ModelId directory, ModelId ancestor) const;
  /// The parent of a directory with a name, or of the root; 0 for a directory without a name.
  [[nodiscard]] ModelId parent_of(ModelId directory) const;

 private:
  ModelTree() = default;
  void add_image_name(ModelId directory, std::string_view name, const reader::Image& image,
                      const reader::Node& node);

  [[nodiscard]] Answer<const ModelObject*> find(ModelId id) const;
  [[nodiscard]] Answer<ModelObject*> find(ModelId id);
  [[nodiscard]] Answer<void> check_directory(ModelId id) const;
  [[nodiscard]] Answer<void> check_file(ModelId id) const;
  /// Notes that the content of an object, or its description, has changed.
  void touch_content(ModelObject& object) const;
  void resize(ModelObject& object, std::uint64_t size_bytes) const;
  /// Whether a caller may look for `name` in a directory that check_directory() has accepted.
  [[nodiscard]] Answer<void> check_place(ModelId directory, std::string_view name) const;
  [[nodiscard]] Answer<void> check_free(ModelId directory, std::string_view name) const;
  /// kNotFound if no object has the name.
  [[nodiscard]] Answer<ModelId> named(ModelId directory, std::string_view name) const;
  [[nodiscard]] Answer<void> check_replaced(ModelId moved, ModelId target) const;

  ModelId make(ModelId directory, std::uint32_t mode, const view::Credentials& who);
  void attach(ModelId directory, std::string_view name, ModelId id);
  void detach(ModelId directory, std::string_view name);
  /// After detach() has removed a name: updates counts and ctime.
  void drop_name(ModelId id);
  void touch_names(ModelId directory);
  [[nodiscard]] view::Entry entry(ModelId id) const;

  static constexpr std::uint64_t kChunkBytes = 512;  ///< as in the views that are compared with it

  std::map<ModelId, ModelObject> objects_;
  ModelId next_id_ = view::kRoot + 1;
  Time now_;
};

}  // namespace dgfs::test
