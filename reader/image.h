// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Image: an opened image, ready to answer by path, by (directory, name) and by inode number, each
// with at most one index page read, and to read file contents with one data read for a small
// file. Everything it returns was verified against its checksum (contents unless told otherwise).
//
// What is in memory while an image is open: the page directory (about 64 bytes a page plus its
// strings), the directory table (about 16 bytes a directory), inode runs, attribute tables,
// models, and caches bounded in bytes: of pages, of frames, and of maps. Several images can share
// these: OpenOptions::caches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/entry/entry.h"
#include "format/header/superblock.h"
#include "format/header/volume_header.h"
#include "format/page/sizes.h"
#include "format/section/digest.h"
#include "format/section/sparse_map.h"
#include "reader/content/read_many.h"
#include "reader/counters.h"
#include "reader/directory_cursor.h"
#include "reader/node.h"
#include "reader/open_options.h"
#include "storage/env.h"

namespace dgfs::reader {

struct OpenedImage;

/// An opened image. Thread-safe: every method may be called from any number of threads at once.
/// What is returned by value outlives the image, a reference lives as long as it. The Env it was
/// opened in must outlive it. Errors common to all reading methods: kIo (device), kCorrupt
/// (damage: section and offset named), kNotFound (no such entry; or the needed volume is absent).
class Image {
 public:
  /// Opens an image (its own trailing index and IMAGE.idx are considered) or an index file alone
  /// (its image is looked for beside it by name and UUID; without it only metadata is served).
  /// A sidecar with another UUID is refused (kInvalidArgument); a damaged one is replaced by the
  /// copy in the image with a warning, and the other way round; an index opened alone likewise if
  /// the image lies beside it under its name without ".idx". A lost image is opened by its index.
  /// @param env      must outlive the image
  /// @param path     of the image or of an index
  /// @param options  what may differ from the usual
  [[nodiscard]] static Result<std::unique_ptr<const Image>> open(storage::Env& env,
                                                                 const std::string& path,
                                                                 OpenOptions options = {});
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  // Metadata: never touches a data volume.

  /// Finds `path` relative to the root ("" or "/" is the root). Symlinks are not followed.
  /// One index page read at most, one more for a hard link. kNotFound, kInvalidArgument.
  [[nodiscard]] Result<Node> lookup(std::string_view path) const;
  /// Finds `name` in a directory; "." and ".." work. Same cost. kNotFound, kNotDirectory.
  [[nodiscard]] Result<Node> lookup(InodeNumber directory, std::string_view name) const;
  /// Finds by inode number. Same cost. kNotFound.
  [[nodiscard]] Result<Node> by_inode(InodeNumber inode) const;
  /// The directory at `path` where lookup() fails because its own entry is damaged: found by the
  /// names below it, and the root always. Number, type and link count are right; of its other
  /// attributes nothing is known. A page read or a few. kNotFound: nothing is known to be below.
  [[nodiscard]] Result<Node> lost_directory(std::string_view path) const;
  /// Inode of the directory that holds this inode's (first) name; the root's parent is the root.
  /// No reads.
  [[nodiscard]] Result<InodeNumber> parent(InodeNumber inode) const;
  /// Path of the inode's (first) name. One page read at most; where the name of a directory is lost
  /// with its page, its path is taken from the names that it holds.
  [[nodiscard]] Result<std::string> path_of(InodeNumber inode) const;
  /// The first name of an object, and the directory that has it; nullopt of the root, which has
  /// none. One page read at most, as long as the name that the number leads to is one of the
  /// object. Where it is not (another program may have dropped it), the link names tell the first
  /// one that is left, for a side read and a page more. kNotFound: no such object; or its number
  /// leads to no name of it, and the index lists none.
  [[nodiscard]] Result<std::optional<ObjectName>> name_of(InodeNumber inode) const;
  /// All names of an object, in key order; none of the root. nullopt where it may have others than
  /// the index can tell: one with several names, in an index that does not list these (of an older
  /// builder). Each name was found in the tree with this object. One page read where it has one
  /// name. Else one side read, which is of 4 KiB at most and has some thousand names, or a few
  /// where there are more, and a page read for each page that has names of it. The first call reads
  /// where the lists stand, some 5 bytes for each thousand names. kNotFound.
  [[nodiscard]] Result<std::optional<std::vector<ObjectName>>> names_of(InodeNumber inode) const;

  /// Calls `visit` for the names of a directory in order, from 0-based `first_position`, until it
  /// returns false. Reads each index page of the range once.
  /// A damaged page: `lost` is told and its names are left out if it returns true, else the call
  /// fails.
  [[nodiscard]] Status list(InodeNumber directory, std::uint64_t first_position,
                            const std::function<bool(const ListedName&)>& visit,
                            const std::function<bool(const LostNames&)>& lost = {}) const;
  /// The same with all attributes. Those of hard links stand elsewhere, and can be lost alone.
  [[nodiscard]] Status list_nodes(InodeNumber directory, std::uint64_t first_position,
                                  const std::function<bool(const ListedName&, const Node&)>& visit,
                                  const std::function<bool(const LostNames&)>& lost = {}) const;

  /// A cursor over the names of a directory, which stands at none. No read. kNotFound,
  /// kNotDirectory.
  [[nodiscard]] Result<DirectoryCursor> directory(InodeNumber directory) const;

  /// Visits the entry at `path` and everything below it in key order (a directory's names, then
  /// its subdirectories' in turn), each index page once, until `visit` returns false. `path`
  /// given to visit is relative to the root of the image.
  /// A damaged page: `damaged` is told, by an error that also says how many names are lost or whose
  /// attributes, and they are skipped if it returns true, else the walk fails. What is below a lost
  /// directory is visited all the same.
  [[nodiscard]] Status walk(
      std::string_view path,
      const std::function<bool(std::string_view path, const Node& node)>& visit,
      const std::function<bool(const Error&)>& damaged = {}) const;

  /// Target of a symlink. No read where it is short, one side read otherwise. kInvalidArgument.
  [[nodiscard]] Result<std::string> read_link(const Node& node) const;
  /// Sorted by name; empty without a read where there are none, else one side read.
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(const Node& node) const;
  /// Data segments of a regular file; nullopt if it has no holes. One side read.
  [[nodiscard]] Result<std::optional<format::SparseMap>> sparse_map(const Node& node) const;
  /// Of which algorithm the digests are that the index keeps of contents; nullopt where it keeps
  /// none. The first call that needs them reads where they stand, some bytes for each 120 files.
  /// kUnsupported: of one that this program does not know.
  [[nodiscard]] Result<std::optional<format::DigestAlgorithm>> digest_algorithm() const;
  /// The digest of a regular file's content as it was packed, not of what read() gives now:
  /// verify() compares them. One side read. kNotFound where the index keeps none, kIsDirectory,
  /// kInvalidArgument for other types, kUnsupported.
  [[nodiscard]] Result<format::Digest> digest(const Node& node) const;
  /// SEEK_DATA of lseek(2); offset at or beyond the end gives kInvalidArgument (ENXIO).
  [[nodiscard]] Result<std::uint64_t> next_data(const Node& node, std::uint64_t offset) const;
  /// SEEK_HOLE of lseek(2), likewise.
  [[nodiscard]] Result<std::uint64_t> next_hole(const Node& node, std::uint64_t offset) const;

  // Contents.

  /// Reads up to out.size() bytes of a regular file at `offset`, fewer only at its end; holes give
  /// zeros. Every byte comes from a frame whose checksum was checked (see check_contents). One data
  /// read where the range's frames are contiguous and not cached; sparse files one per data
  /// segment. kIsDirectory, kInvalidArgument for other types.
  [[nodiscard]] Result<std::size_t> read(const Node& node, std::uint64_t offset,
                                         MutableBytes out) const;
  /// Tells the device that a regular file will be read from its begin, `bytes_max` stored bytes of
  /// it at most, and returns at once; the read then finds them under way. Nothing where contents go
  /// past the page cache, where the file has holes, and where read() would fail, which says why.
  void announce_read(const Node& node, std::uint64_t bytes_max) const;
  /// The same of a part of it. Nothing of files that are compressed or have holes, too.
  void announce_part(const Node& node, std::uint64_t offset, std::uint64_t bytes) const;
  /// Tells the system that it need not keep a part of a regular file in the page cache, as who read
  /// it has a copy. Nothing of files that are compressed or have holes, and where read() would
  /// fail.
  void give_back(const Node& node, std::uint64_t offset, std::uint64_t bytes) const;
  /// Reads many whole files: `visit` gets each once it is there, on this thread, one at a time and
  /// in an order of the library's choice. Files are looked up in key order, so that each index page
  /// is read once, and read in the order of their places, neighbours in one read, many reads under
  /// way at once. Files up to `piece_bytes` come whole; larger ones in pieces, in order and with
  /// nothing of other files in between. What is no regular file, is not there or is damaged is an
  /// error of its own, as read() would give it, and the others come all the same. A path given
  /// twice is told twice. Symlinks are not followed.
  /// Memory: the options' memory_bytes, and some 300 bytes and the path for each of at most 65,536
  /// files at a time. Takes a thread for lookups where the system grants one.
  /// @param paths    relative to the root; must not change during the call
  void read_many(std::span<const std::string> paths, const VisitPiece& visit,
                 const ReadManyOptions& options = {}) const;
  /// The same for files that were looked up before.
  void read_many(std::span<const Node> nodes, const VisitPiece& visit,
                 const ReadManyOptions& options = {}) const;
  /// Where the content byte at `offset` lies on the device.
  [[nodiscard]] Result<Place> locate(const Node& node, std::uint64_t offset) const;

  // About the image itself.
  /// What the index says about the whole image.
  [[nodiscard]] const format::Superblock& superblock() const;
  /// What the index says about volumes, in the order of their numbers.
  [[nodiscard]] const std::vector<format::VolumeRecord>& volumes() const;
  /// Whether the file at `path` is a volume of the image, as a path of OpenOptions should be, or a
  /// folder. Reads its first page. Errors: kInvalidArgument (of another image, no such volume),
  /// kCorrupt (no volume at all), those of opening it; all name the file.
  [[nodiscard]] Status check_is_volume(const std::string& path) const;
  /// Where a volume lies, which is opened now if it is not yet. Errors: as reading from it gives.
  [[nodiscard]] Result<std::string> volume_path(format::VolumeNumber number) const;
  /// Opens a volume if it is not yet, and checks its header pages, its length and that its unused
  /// bytes are zero. Errors: as reading from it gives, kCorrupt.
  [[nodiscard]] Status check_volume(format::VolumeNumber number) const;
  /// Files the image is made of: role ("image", "index", "volume 1") and path.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> files() const;
  /// The environment it was opened in.
  [[nodiscard]] storage::Env& env() const;
  /// Whether there are two index copies, and both were intact where looked at.
  [[nodiscard]] bool has_second_index() const;
  /// What it has done so far; each number is right, all of them are not of one moment.
  [[nodiscard]] Counters counters() const;
  /// By id; the empty model 0 among them.
  [[nodiscard]] std::vector<Generation> models() const;
  /// By id.
  [[nodiscard]] std::vector<Generation> attribute_tables() const;
  /// Bytes held in memory beside the caches.
  [[nodiscard]] std::size_t resident_bytes() const;

  /// Reads every index page and tells what it is filled with, in key order, until `visit` returns
  /// false. A page that is damaged in all copies is left out.
  [[nodiscard]] Status measure_pages(
      const std::function<bool(const format::PageSizes&)>& visit) const;

  /// Reads and checks every region of both index copies but side records, and the header pages of
  /// all volumes, which may be missing; that bytes which belong to nothing are zero; and
  /// that copies in which it found nothing are the same bytes. Calls `damaged` per finding.
  /// @param wants_volume  which volumes are looked at; empty: all
  /// @param goes_on  after each page: how many bytes of pages were checked, of how many there are
  ///                 in both copies; false ends the check. May be empty
  /// Errors: kInterrupted.
  [[nodiscard]] Status verify_index(
      const std::function<void(const Error&)>& damaged,
      const std::function<bool(format::VolumeNumber)>& wants_volume = {},
      const std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)>& goes_on = {})
      const;
  /// Reads and checks the node's side records (long target, xattrs, sparse map) of both copies.
  [[nodiscard]] Status verify_records(const Node& node) const;
  /// Whether `node` may follow `before` (may begin, if null) in a call of verify_neighbours(): a
  /// regular file of one frame and without holes, whose content begins where that of
  /// `before` ends.
  [[nodiscard]] static bool are_neighbours(const Node* before, const Node& node);
  /// Checks the contents of neighbours in their order with one data read of all of them. An error
  /// says that something is wrong, not all that is: read() the files for that.
  [[nodiscard]] Status verify_neighbours(std::span<const Node* const> nodes) const;

 private:
  friend class SalvageImage;  // puts one together of what is left of a damaged one
  explicit Image(std::unique_ptr<OpenedImage> opened);
  std::unique_ptr<OpenedImage> opened_;
};

}  // namespace dgfs::reader
