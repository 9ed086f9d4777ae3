// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// View: an image and the stores of a delta over it as one POSIX tree, which can be changed. It
// knows nothing of FUSE, and checks no permission: that is the caller's, as it is the kernel's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/view/listing.h"
#include "delta/view/object.h"
#include "delta/view/view_options.h"
#include "reader/image.h"
#include "storage/env.h"

namespace dgfs::view {

/// The space of a delta, as statfs(2) tells of it. Each byte of the disk that the delta has, or may
/// take below its cap, is in one of the first three. A value.
struct ViewSpace {
  std::uint64_t used_bytes = 0;  ///< of sealed stores all that they have of the disk
  /// Ordinary changes may still take it. Space that the next checkpoint frees is a part of it: the
  /// store makes that one by itself before it refuses anything.
  std::uint64_t free_bytes = 0;
  /// For removals, and for changes that wait for a checkpoint; and space that readers keep until
  /// they end.
  std::uint64_t reserved_bytes = 0;
  std::uint64_t max_bytes = 0;  ///< of the delta's live store (StoreOptions::max_bytes); 0: no cap

  [[nodiscard]] std::uint64_t total_bytes() const {
    return used_bytes + free_bytes + reserved_bytes;
  }
};

/// Thread-safe. An operation happens as a whole or not at all, at one moment; operations that do
/// not overlap in time have happened in their order, and a crash leaves a beginning of this order.
/// An operation reads what it needs, and changes the store's table in memory; sync() makes durable.
/// One that makes something waits for a sync once in ViewOptions::numbers_reserved new objects; any
/// change may wait for a checkpoint where the store has no room (Store::wait_for_room).
///
/// Errors of all: kIo, kCorrupt (of a lower layer); of those that change something: kIo for ever
/// once the store could not write, kNoSpace (what removes goes on longer). kLimit of all: no
/// memory. Where the store had taken a part of an operation by then (Store), every call that needs
/// the store gives kLimit until the view is opened again. Where there is no memory for the error
/// either a call throws std::bad_alloc, and has changed nothing. kNotFound of an object number:
/// there is none, or it has ended.
///
/// A kernel refuses some calls before it asks a file system, and the view does them: attributes
/// "user." of symlinks and of special files, a change of a symlink's permissions, bits of mkdir(2)
/// and O_TMPFILE beyond those that they take.
class View {
 public:
  /// @param env    its clock; must outlive the view, as must `image` and `delta`
  /// @param image  of the delta
  /// @param delta  opened for this view alone: it has had no other view since it was opened
  /// Ends what a crash has left without a name, but for objects that are damaged: those wait for a
  /// repair. Errors: kInvalidArgument (another image); those of the store. Cost: a batch for each
  /// such object.
  [[nodiscard]] static Result<std::unique_ptr<View>> open(storage::Env& env,
                                                          const reader::Image& image,
                                                          delta::DeltaDirectory& delta,
                                                          const ViewOptions& options = {});
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  using Renamed = view::Renamed;

  // Names. `directory` is one that has not ended, and in which something can be made or removed as
  // long as it has a name itself: kNotFound; and is one: kNotDirectory. A name is one component:
  // kInvalidArgument (empty, with '/' or NUL), kNameTooLong (above 255 bytes).

  /// "." and "..", too; the root's parent is the root. Errors: kNotFound.
  [[nodiscard]] Result<Entry> lookup(ObjectNumber directory, std::string_view name) const;
  /// A file, a FIFO, a socket or a device node. Errors: kExists, kInvalidArgument (a type that is
  /// made otherwise).
  [[nodiscard]] Result<Entry> create(ObjectNumber directory, std::string_view name,
                                     const NewObject& object, const Credentials& who);
  /// A regular file that has no name: of link count 0, and no directory's child. It ends with
  /// release(), unless link() has given it a name.
  [[nodiscard]] Result<Entry> create_unnamed(ObjectNumber directory, std::uint32_t permissions,
                                             const Credentials& who);
  /// Errors: kExists.
  [[nodiscard]] Result<Entry> make_directory(ObjectNumber directory, std::string_view name,
                                             std::uint32_t permissions, const Credentials& who);
  /// Errors: kExists, kNotFound (an empty target), kNameTooLong (above 4,095 bytes).
  [[nodiscard]] Result<Entry> make_symlink(ObjectNumber directory, std::string_view name,
                                           std::string_view target, const Credentials& who);
  /// A further name of an object. Errors: kExists, kNotPermitted (a directory), kTooManyLinks,
  /// kNotFound (unlinked, but for one of create_unnamed()).
  [[nodiscard]] Result<Entry> link(ObjectNumber object, ObjectNumber directory,
                                   std::string_view name);
  /// Errors: kNotFound, kIsDirectory. Returns what lost the name; with link count 0 it goes on
  /// until release().
  [[nodiscard]] Result<Entry> unlink(ObjectNumber directory, std::string_view name);
  /// Errors: kNotFound, kNotDirectory, kNotEmpty (".." also), kInvalidArgument (".").
  [[nodiscard]] Result<Entry> remove_directory(ObjectNumber directory, std::string_view name);
  /// As renameat2(2). Errors: kNotFound, kExists, kNotEmpty, kIsDirectory, kNotDirectory,
  /// kInvalidArgument (a directory into itself, "." or "..").
  /// @param whiteout  owner of the character device 0/0 that is left at the old name; none: nothing
  [[nodiscard]] Result<Renamed> rename(ObjectNumber from, std::string_view old_name,
                                       ObjectNumber to, std::string_view new_name,
                                       RenameMode mode = RenameMode::kReplace,
                                       const std::optional<Credentials>& whiteout = std::nullopt);

  // Objects.

  [[nodiscard]] Result<Attributes> attributes(ObjectNumber object) const;
  /// Errors: kInvalidArgument (permissions beyond 12 bits, a time that is none, a size of what is
  /// no file), kIsDirectory (a size), kFileTooLarge.
  [[nodiscard]] Result<Attributes> set_attributes(ObjectNumber object,
                                                  const AttributeChange& change);
  /// Errors: kInvalidArgument (no symlink).
  [[nodiscard]] Result<std::string> read_link(ObjectNumber object) const;
  /// The paths that lead to it, from the root, in order; none: it has no name that is known. "" is
  /// the root. Of several names that the image gives an object, the first alone is known where the
  /// index does not list them all.
  [[nodiscard]] Result<std::vector<std::string>> paths(ObjectNumber object) const;
  /// The caller has no use for the object any more: it ends if no name leads to it.
  [[nodiscard]] Status release(ObjectNumber object);

  // Contents. `file` is a regular file that has not ended. Calls that read tell of what is no file
  // (kIsDirectory, kInvalidArgument); those that write do not find out, as they would have to read.
  // Errors: kFileTooLarge (beyond format::kFileBytesMax).

  /// Up to out.size() bytes, fewer only at the end of the file. Bytes that nobody has written are
  /// those of the image, or zeros.
  [[nodiscard]] Result<std::size_t> read(ObjectNumber file, std::uint64_t offset_bytes,
                                         MutableBytes out) const;
  /// The file reaches to the end of what is written at least. Bytes that take more than one batch
  /// of the store (Store::batch_bytes_max()) are written in parts, each as a whole, which end where
  /// chunks do if a batch has room for one. Returns how much is written: less than all where a
  /// later part was refused.
  [[nodiscard]] Result<std::size_t> write(ObjectNumber file, std::uint64_t offset_bytes,
                                          Bytes bytes);
  /// The same from the end of the file on: no two calls of one view write to the same bytes. It
  /// ends early, too, where another append has come between two parts.
  [[nodiscard]] Result<Appended> append(ObjectNumber file, Bytes bytes);
  /// Zeros take the place of a range, and whole chunks of it are holes. Errors: kInvalidArgument
  /// (no bytes).
  [[nodiscard]] Status zero(ObjectNumber file, std::uint64_t offset_bytes,
                            std::uint64_t length_bytes, ZeroMode mode);
  /// Writes to one file what another has, or the same one, a part at a time. Returns how much: less
  /// than all at any time, 0 at the end of `from`.
  [[nodiscard]] Result<std::size_t> copy(ObjectNumber from, std::uint64_t from_bytes,
                                         ObjectNumber to, std::uint64_t to_bytes,
                                         std::uint64_t length_bytes);
  /// SEEK_DATA and SEEK_HOLE of lseek(2). A chunk that was written to, or zeroed in part, is data;
  /// one that was zeroed as a whole is a hole; of others the image says it. Errors: kNoData (at or
  /// behind the end; only a hole follows).
  [[nodiscard]] Result<std::uint64_t> next_data(ObjectNumber file,
                                                std::uint64_t offset_bytes) const;
  [[nodiscard]] Result<std::uint64_t> next_hole(ObjectNumber file,
                                                std::uint64_t offset_bytes) const;

  // Extended attributes. Names have their prefix: "user.", "trusted.", "security.", and the two
  // lists of system.posix_acl. Errors: kUnsupported (another prefix; a list of a symlink),
  // kOutOfRange (a name that is empty or longer than 255 bytes), kInvalidArgument (a prefix alone,
  // a NUL).

  /// Errors: kNoAttribute.
  [[nodiscard]] Result<Buffer> xattr(ObjectNumber object, std::string_view name) const;
  /// In order.
  [[nodiscard]] Result<std::vector<std::string>> xattr_names(ObjectNumber object) const;
  /// Errors: kExists, kNoAttribute, kTooLarge (a value above 65,536 bytes), kNoSpace (names of more
  /// than 65,536 bytes together), kInvalidArgument (no access list), kUnsupported (a list of
  /// another version), kPermission (a default list of what is no directory).
  /// @param mode                 of a list it does not count, as in Linux
  /// @param cleared_permissions  bits that go in the same step, with an access list alone
  [[nodiscard]] Status set_xattr(ObjectNumber object, std::string_view name, Bytes value,
                                 XattrMode mode = XattrMode::kSet,
                                 std::uint32_t cleared_permissions = 0);
  /// Errors: kNoAttribute.
  [[nodiscard]] Status remove_xattr(ObjectNumber object, std::string_view name);

  // Listings.

  using ListedName = view::ListedName;
  /// Visits the names of a directory behind `after` in order of their bytes, without "." and "..",
  /// until `visit` returns false. It shows the directory as it was at one moment.
  /// @param after  empty: from the first name on
  [[nodiscard]] Status list(ObjectNumber directory, std::string_view after,
                            const std::function<bool(const ListedName&)>& visit) const;
  /// A stream of the names, to be read piece by piece while the directory changes. The view must
  /// outlive it.
  [[nodiscard]] Result<std::unique_ptr<Listing>> open_listing(ObjectNumber directory);

  // The whole.

  /// All that was done is durable.
  [[nodiscard]] Status sync();
  /// All that was done to an object.
  [[nodiscard]] Status sync(ObjectNumber object);
  [[nodiscard]] ViewSpace space();
  /// No object has this number or a higher one until more are reserved. After close() a further
  /// store of the stack may begin here.
  [[nodiscard]] ObjectNumber end_of_objects() const;
  /// Ends all that has no name, and leaves a checkpointed store. No other call may follow.
  [[nodiscard]] Status close();

 private:
  struct State;
  explicit View(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dgfs::view
