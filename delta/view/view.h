// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// View: an image and the stores of a delta over it as one writable POSIX tree. It knows nothing of
// FUSE, and checks no permissions: the caller (or the kernel) does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/view/listing.h"
#include "delta/view/object.h"
#include "delta/view/offline_seal.h"
#include "delta/view/view_options.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::view {

/// The space of a delta, for statfs(2). Each byte that the delta has on disk, or may take below its
/// cap, is counted in one of the first three. A value.
struct ViewSpace {
  std::uint64_t used_bytes = 0;  ///< of sealed stores, all their space on disk
  /// Space for ordinary changes. Includes space that the next checkpoint frees, since the store
  /// makes that checkpoint by itself before it refuses a change.
  std::uint64_t free_bytes = 0;
  /// Space for removals and for changes that wait for a checkpoint, and space that readers keep
  /// until they end.
  std::uint64_t reserved_bytes = 0;
  std::uint64_t max_bytes = 0;  ///< of all stores of the delta; 0: no cap

  [[nodiscard]] std::uint64_t total_bytes() const {
    return used_bytes + free_bytes + reserved_bytes;
  }
};

/// Thread-safe. Operations are atomic and linearizable: each takes effect at one moment, in the
/// order of calls that do not overlap in time. After a crash the tree has a prefix of that order.
/// An operation reads what it needs, and changes the store's table in memory; sync() makes it
/// durable. An operation that makes an object waits for a sync once in
/// ViewOptions::numbers_reserved new objects. Any change may wait for a checkpoint if the store has
/// no room (Store::wait_for_room).
///
/// Errors of all calls: kIo, kCorrupt (of a lower layer), kLimit (out of memory). Errors of
/// changes: kIo for ever once the store could not write, kNoSpace (later for removals than for
/// others). If memory ran out after the store had taken a part of an operation (Store), every call
/// that needs the store gives kLimit until the view is opened again. If there is no memory for the
/// error either, a call throws std::bad_alloc and has changed nothing. kNotFound for an object
/// number: the object does not exist or has ended.
///
/// A kernel refuses some calls before it asks a file system; the view allows them: attributes
/// "user." of symlinks and special files, a change of a symlink's permissions, and mode bits that
/// mkdir(2) and O_TMPFILE do not accept.
class View {
 public:
  /// @param env    whose clock it uses; must outlive the view, like `image` and `delta`
  /// @param image  below the stores (bottom_of_delta())
  /// @param delta  opened for this view: no other view has used it since it was opened
  /// Ends objects that a crash has left without a name, except damaged ones, which wait for a
  /// repair. Errors: kInvalidArgument (`image` is another one); those of the store. Cost:
  /// a batch for each such object.
  [[nodiscard]] static Result<std::unique_ptr<View>> open(storage::Env& env,
                                                          const reader::Image& image,
                                                          delta::DeltaDirectory& delta,
                                                          const ViewOptions& options = {});
  /// The same with a shared image, which the view lets go once it has another base.
  [[nodiscard]] static Result<std::unique_ptr<View>> open(
      storage::Env& env, std::shared_ptr<const reader::Image> image, delta::DeltaDirectory& delta,
      const ViewOptions& options = {});
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  using Renamed = view::Renamed;

  // Names. `directory` must not have ended, and must have a name if something is made or removed in
  // it: else kNotFound. It must be a directory: else kNotDirectory. A name is one component: else
  // kInvalidArgument (empty, with '/' or NUL) or kNameTooLong (above 255 bytes).

  /// Also of "." and ".."; the parent of the root is the root. Errors: kNotFound.
  [[nodiscard]] Result<Entry> lookup(ObjectNumber directory, std::string_view name) const;
  /// Makes a file, a FIFO, a socket or a device node. Errors: kExists, kInvalidArgument (another
  /// type).
  [[nodiscard]] Result<Entry> create(ObjectNumber directory, std::string_view name,
                                     const NewObject& object, const Credentials& who);
  /// Makes a regular file without a name: link count 0, in no directory. It ends at release(),
  /// unless link() has given it a name.
  [[nodiscard]] Result<Entry> create_unnamed(ObjectNumber directory, std::uint32_t permissions,
                                             const Credentials& who);
  /// Errors: kExists.
  [[nodiscard]] Result<Entry> make_directory(ObjectNumber directory, std::string_view name,
                                             std::uint32_t permissions, const Credentials& who);
  /// Errors: kExists, kNotFound (an empty target), kNameTooLong (above 4,095 bytes).
  [[nodiscard]] Result<Entry> make_symlink(ObjectNumber directory, std::string_view name,
                                           std::string_view target, const Credentials& who);
  /// Gives an object one more name. Errors: kExists, kNotPermitted (a directory), kTooManyLinks,
  /// kNotFound (unlinked, unless made by create_unnamed()).
  [[nodiscard]] Result<Entry> link(ObjectNumber object, ObjectNumber directory,
                                   std::string_view name);
  /// Errors: kNotFound, kIsDirectory. Returns the object that lost the name; with link count 0 it
  /// goes on until release().
  [[nodiscard]] Result<Entry> unlink(ObjectNumber directory, std::string_view name);
  /// Errors: kNotFound, kNotDirectory, kNotEmpty (also for ".."), kInvalidArgument (".").
  [[nodiscard]] Result<Entry> remove_directory(ObjectNumber directory, std::string_view name);
  /// As renameat2(2). Errors: kNotFound, kExists, kNotEmpty, kIsDirectory, kNotDirectory,
  /// kInvalidArgument (a directory into itself, "." or "..").
  /// @param whiteout  owner of the character device 0/0 that is left at the old name; none: no
  ///                  device
  [[nodiscard]] Result<Renamed> rename(ObjectNumber from, std::string_view old_name,
                                       ObjectNumber to, std::string_view new_name,
                                       RenameMode mode = RenameMode::kReplace,
                                       const std::optional<Credentials>& whiteout = std::nullopt);

  // Objects.

  [[nodiscard]] Result<Attributes> attributes(ObjectNumber object) const;
  /// Errors: kInvalidArgument (permissions beyond 12 bits, an invalid time, a size for anything but
  /// a file), kIsDirectory (a size), kFileTooLarge.
  [[nodiscard]] Result<Attributes> set_attributes(ObjectNumber object,
                                                  const AttributeChange& change);
  /// Errors: kInvalidArgument (not a symlink).
  [[nodiscard]] Result<std::string> read_link(ObjectNumber object) const;
  /// The paths of an object from the root, in order; empty: it has no known name. The path of the
  /// root is "". If the index of the image has no list of an object's names, only its first name
  /// there is known.
  [[nodiscard]] Result<std::vector<std::string>> paths(ObjectNumber object) const;
  /// The caller does not use the object any more: the object ends if it has no name.
  [[nodiscard]] Status release(ObjectNumber object);

  // Contents. `file` is a regular file that has not ended. Calls that read check this
  // (kIsDirectory, kInvalidArgument); calls that write do not, because that would cost a read.
  // Errors: kFileTooLarge (beyond format::kFileBytesMax).

  /// Reads up to out.size() bytes, fewer only at the end of the file. Bytes that no write has
  /// changed are those of the image, or zeros.
  [[nodiscard]] Result<std::size_t> read(ObjectNumber file, std::uint64_t offset_bytes,
                                         MutableBytes out) const;
  /// Writes bytes; the file grows if necessary. Bytes that need more than one batch of the store
  /// (Store::batch_bytes_max()) are written in atomic parts, which end at ends of chunks if a batch
  /// has room for a chunk. Returns how many bytes are written: fewer than all if a later part was
  /// refused.
  [[nodiscard]] Result<std::size_t> write(ObjectNumber file, std::uint64_t offset_bytes,
                                          Bytes bytes);
  /// The same at the end of the file: no two calls of one view write to the same bytes. Also ends
  /// early if another append came between two parts.
  [[nodiscard]] Result<Appended> append(ObjectNumber file, Bytes bytes);
  /// Replaces a range by zeros; whole chunks of it become holes. Errors: kInvalidArgument (an empty
  /// range).
  [[nodiscard]] Status zero(ObjectNumber file, std::uint64_t offset_bytes,
                            std::uint64_t length_bytes, ZeroMode mode);
  /// Copies bytes from a file to another or the same one, one part for each call. Returns how many
  /// bytes: maybe fewer than wanted; 0 at the end of `from`.
  [[nodiscard]] Result<std::size_t> copy(ObjectNumber from, std::uint64_t from_bytes,
                                         ObjectNumber to, std::uint64_t to_bytes,
                                         std::uint64_t length_bytes);
  /// SEEK_DATA and SEEK_HOLE of lseek(2). A chunk that was written to, or zeroed in part, is data;
  /// a chunk that was zeroed as a whole is a hole; for other chunks the image decides. Errors:
  /// kNoData (at or behind the end; for next_data() also if only a hole follows).
  [[nodiscard]] Result<std::uint64_t> next_data(ObjectNumber file,
                                                std::uint64_t offset_bytes) const;
  [[nodiscard]] Result<std::uint64_t> next_hole(ObjectNumber file,
                                                std::uint64_t offset_bytes) const;

  // Extended attributes. Names include their prefix: "user.", "trusted." or "security.", or are one
  // of the two lists of system.posix_acl. Errors: kUnsupported (another prefix; a list of a
  // symlink), kOutOfRange (a name that is empty or longer than 255 bytes), kInvalidArgument (only a
  // prefix, or a NUL).

  /// Errors: kNoAttribute.
  [[nodiscard]] Result<Buffer> xattr(ObjectNumber object, std::string_view name) const;
  /// In order.
  [[nodiscard]] Result<std::vector<std::string>> xattr_names(ObjectNumber object) const;
  /// Errors: kExists, kNoAttribute, kTooLarge (a value above 65,536 bytes), kNoSpace (names of more
  /// than 65,536 bytes together), kInvalidArgument (not an access list), kUnsupported (a list of
  /// another version), kPermission (a default list of anything but a directory).
  /// @param mode                 ignored for a list, as in Linux
  /// @param cleared_permissions  permission bits that the same step clears; only with an access
  ///                             list
  [[nodiscard]] Status set_xattr(ObjectNumber object, std::string_view name, Bytes value,
                                 XattrMode mode = XattrMode::kSet,
                                 std::uint32_t cleared_permissions = 0);
  /// Errors: kNoAttribute.
  [[nodiscard]] Status remove_xattr(ObjectNumber object, std::string_view name);

  // Listings.

  using ListedName = view::ListedName;
  /// Visits the names of a directory behind `after` in the order of their bytes, without "." and
  /// "..", until `visit` returns false. Shows the directory at one moment.
  /// @param after  empty: from the first name on
  [[nodiscard]] Status list(ObjectNumber directory, std::string_view after,
                            const std::function<bool(const ListedName&)>& visit) const;
  /// Opens a stream of the names, to be read piece by piece while the directory changes. The view
  /// must outlive it.
  [[nodiscard]] Result<std::unique_ptr<Listing>> open_listing(ObjectNumber directory);

  // The whole view.

  /// Makes all earlier changes durable.
  [[nodiscard]] Status sync();
  /// Makes all earlier changes of an object durable.
  [[nodiscard]] Status sync(ObjectNumber object);
  /// Makes a checkpoint of the live store. Errors: those of Store::checkpoint().
  [[nodiscard]] Status checkpoint();
  /// Seals the live store: it becomes a layer with all operations that have returned and none that
  /// begins after this call, and an empty store takes the changes that follow. Returns once the
  /// layer is durable; a thread closes it afterwards. Other operations go on meanwhile. They wait a
  /// moment for the switch; syncs, and changes that need the log, wait for the disk.
  /// If nothing has changed since the newest state, makes no layer.
  /// Errors: those of DeltaDirectory::check_seal(); kNoSpace, kIo. If the seal fails after the
  /// switch, all changes fail with the same error until the delta is opened again: then the stack
  /// is the old one or the new one, with all changes that were durable. Otherwise nothing has
  /// changed.
  [[nodiscard]] Result<SealedDelta> seal(const delta::SealRequest& request);
  /// Takes the names and pins of states away while other calls are under way; none of them sees
  /// anything else. Waits until the layer of the last seal is closed. Errors: those of
  /// DeltaDirectory::drop_states().
  /// @param states  ids of layers, or of the base
  [[nodiscard]] Status drop_states(std::span<const delta::StateId> states);

  // A merge into a base, by one thread (delta/merge/base_merge.h).

  /// The image below the stores at this moment.
  [[nodiscard]] std::shared_ptr<const reader::Image> image() const;
  /// The objects that go on without a name, and those that have one now and had none when the
  /// oldest layers ended. Errors: those of the layers.
  [[nodiscard]] Result<std::vector<Orphan>> orphans(std::size_t layers) const;
  /// Puts a base below the stores in place of the image and the oldest layers, while other
  /// operations go on; they do not wait. Operations under way end over what was there before.
  /// @param plan  of files that show the same tree, with the objects of orphans() as they were when
  ///              the newest of these layers was sealed
  /// @param base  opened
  /// Errors: those of DeltaDirectory::prepare_base() and commit_base(), and of changes. If the
  /// manifest could not be written, all changes fail with the same error until the delta is opened
  /// again. Otherwise the tree is
  /// unchanged.
  [[nodiscard]] Status put_base(const delta::BasePlan& plan,
                                std::shared_ptr<const reader::Image> base);

  // A join of layers, by one thread (delta/layer/join.h). No merge is under way meanwhile.

  /// Begins a join: DeltaDirectory::begin_join(), whose errors it returns. Waits until the layer of
  /// the last seal is closed.
  [[nodiscard]] Result<delta::JoinPlan> begin_join(const delta::LayerRange& layers);
  /// Ends a join that is not in its place, and removes what it has made.
  void give_up_join(const delta::JoinPlan& plan) noexcept;
  /// Puts a joined layer in place of others, while other operations go on; they do not wait.
  /// @param plan  of the complete layer
  /// Errors: those of DeltaDirectory::prepare_join() and commit_join(). If the manifest could not
  /// be written, all changes fail with the same error until the delta is opened again. Otherwise
  /// the tree is unchanged.
  [[nodiscard]] Status put_join(const delta::JoinPlan& plan);

  /// Waits for the last operation over what put_base() or put_join() has replaced, and removes the
  /// files that nothing needs any more. Errors: those of DeltaDirectory::remove_unneeded(); kBusy
  /// (another process reads some of them, which the next merge or opening removes).
  [[nodiscard]] Status end_merge();
  /// Tries again what end_merge() could not remove, unless a seal is under way. Returns whether all
  /// is gone. No merge may be under way. Errors: those of DeltaDirectory::remove_unneeded().
  [[nodiscard]] Result<bool> remove_unneeded();
  /// Why the layer of the last seal could not be closed; none: a layer is being closed.
  [[nodiscard]] std::optional<Status> closing_state() const;
  [[nodiscard]] ViewSpace space();
  /// No object has this number or a higher one, until more numbers are reserved. After close() the
  /// next store of the stack may begin here.
  [[nodiscard]] ObjectNumber end_of_objects() const;
  /// Ends all objects without a name, and leaves a store with a checkpoint. No other call may
  /// follow.
  [[nodiscard]] Status close();

 private:
  struct State;
  explicit View(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dgfs::view
