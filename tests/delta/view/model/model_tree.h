// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ModelTree: a POSIX tree in memory, as simple as it can be. It has the operations of a View, and
// answers as Linux and ext4 do; model_kernel_test.cpp holds it against the kernel.
#pragma once

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
#include "delta/view/view.h"

namespace dgfs::test {

/// Of the model alone; those of a view may differ. 1: the root; 0: none. Never given twice.
using ModelId = std::uint64_t;

/// A value, or the kind of error that came instead.
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
  std::uint64_t blocks = 0;                           ///< counted; fewer are shown
  bool is_linkable = false;                           ///< of create_unnamed(), and never had a name
};

/// A value: a copy is a tree of its own, which goes on from there. For one thread.
///
/// The operations are those of View with the same arguments and errors, and take their time from
/// set_now(). Of two errors that could be told it tells the one that Linux tells. Two things are
/// the caller's to avoid: access lists, of which it knows nothing, and bits of mode that the kernel
/// takes away before a file system is asked.
class ModelTree {
 public:
  /// A root without names. @param root  of its mode and owner, and all of its times
  explicit ModelTree(const view::Attributes& root);
  /// As the image is; ids are its inode numbers. Ends the test program where it cannot be read.
  [[nodiscard]] static ModelTree of_image(const reader::Image& image);

  /// The moment of the operations that follow.
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
  /// In the order of their bytes.
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

  // Of the model alone.
  /// Ends all that has no name, as closing a view does, and opening one after a crash.
  void end_unnamed();
  [[nodiscard]] const std::map<ModelId, ModelObject>& objects() const { return objects_; }
  /// Above all ids that were given.
  [[nodiscard]] ModelId next_id() const { return next_id_; }
  /// Whether a directory is another one, or lies somewhere below it.
  [[nodiscard]] bool is_within(ModelId directory, ModelId ancestor) const;
  /// Of a directory with a name, or the root; 0 of one without.
  [[nodiscard]] ModelId parent_of(ModelId directory) const;

 private:
  ModelTree() = default;
  void add_image_name(ModelId directory, std::string_view name, const reader::Image& image,
                      const reader::Node& node);

  [[nodiscard]] Answer<const ModelObject*> find(ModelId id) const;
  [[nodiscard]] Answer<ModelObject*> find(ModelId id);
  [[nodiscard]] Answer<void> check_directory(ModelId id) const;
  [[nodiscard]] Answer<void> check_file(ModelId id) const;
  /// Its content, or what is told of it, has changed.
  void touch_content(ModelObject& object) const;
  void resize(ModelObject& object, std::uint64_t size_bytes) const;
  /// Whether `name` can be looked for in a directory that check_directory() has passed.
  [[nodiscard]] Answer<void> check_place(ModelId directory, std::string_view name) const;
  [[nodiscard]] Answer<void> check_free(ModelId directory, std::string_view name) const;
  /// kNotFound where nothing has the name.
  [[nodiscard]] Answer<ModelId> named(ModelId directory, std::string_view name) const;
  [[nodiscard]] Answer<void> check_replaced(ModelId moved, ModelId target) const;

  ModelId make(ModelId directory, std::uint32_t mode, const view::Credentials& who);
  void attach(ModelId directory, std::string_view name, ModelId id);
  void detach(ModelId directory, std::string_view name);
  /// One name less, which detach() took: counts and ctime.
  void drop_name(ModelId id);
  void touch_names(ModelId directory);
  [[nodiscard]] view::Entry entry(ModelId id) const;

  static constexpr std::uint64_t kChunkBytes = 512;  ///< of the views that it is held against

  std::map<ModelId, ModelObject> objects_;
  ModelId next_id_ = view::kRoot + 1;
  Time now_;
};

}  // namespace dgfs::test
