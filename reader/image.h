// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Image: an opened image. It finds an entry by path, by (directory, name) or by inode number with
// at most one index page read, and reads the contents of a small file with one data read. It
// verifies everything that it returns against its checksum (contents unless
// OpenOptions::check_contents is false).
//
// Memory of an open image: the page directory (about 64 bytes a page plus its strings), the
// directory table (about 16 bytes a directory), inode runs, attribute tables, models, and three
// caches bounded in bytes: of pages, of frames, and of maps. Several images can share caches:
// OpenOptions::caches.
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
#include "format/section/state_id.h"
#include "format/section/volume_origins.h"
#include "reader/content/read_many.h"
#include "reader/counters.h"
#include "reader/directory_cursor.h"
#include "reader/node.h"
#include "reader/open_options.h"
#include "storage/env.h"

namespace dgfs::format {
class ContentDictionaries;
}

namespace dgfs::reader {

struct OpenedImage;

/// An opened image. Thread-safe: any number of threads may call every method at once. A value that
/// a method returns outlives the image; a reference lives as long as the image. The Env that it was
/// opened in must outlive it. Errors common to all reading methods: kIo (device), kCorrupt (damage;
/// the error names section and offset), kNotFound (no such entry, or the volume is missing).
class Image {
 public:
  /// Opens an image, with its trailing index and IMAGE.idx, or opens an index file. For an index
  /// file, looks for the image beside it by name and UUID; without the image, only metadata is
  /// served. If one copy of the index is damaged, the other copy serves instead, with a warning. An
  /// index file that is too damaged to tell its UUID needs the image beside it, under the name
  /// without ".idx". If the image is lost, its index is opened, with a warning. An index of another
  /// image is refused (kInvalidArgument). At IMAGE.idx it is ignored, with a warning, if the image
  /// has a trailing index.
  /// @param env      must outlive the image
  /// @param path     of an image or of an index
  /// @param options  index, volumes, caches, checks
  [[nodiscard]] static Result<std::unique_ptr<const Image>> open(storage::Env& env,
                                                                 const std::string& path,
                                                                 OpenOptions options = {});
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  // Metadata. These calls never read a data volume.

  /// Finds the entry at `path`, relative to the root ("" or "/" is the root). Follows no symlinks.
  /// At most one index page read, one more for a hard link. kNotFound, kInvalidArgument.
  [[nodiscard]] Result<Node> lookup(std::string_view path) const;
  /// Finds `name` in a directory; "." and ".." work. Same cost. kNotFound, kNotDirectory.
  [[nodiscard]] Result<Node> lookup(InodeNumber directory, std::string_view name) const;
  /// Finds an object by its inode number. Same cost. kNotFound.
  [[nodiscard]] Result<Node> by_inode(InodeNumber inode) const;
  /// Finds the directory at `path` if lookup() fails because the directory's own entry is damaged.
  /// Finds it by the names below it; the root is always found. Number, type, size and link count of
  /// the node are right, its other attributes are unknown. A page read or a few. kNotFound: no name
  /// below it is known.
  [[nodiscard]] Result<Node> lost_directory(std::string_view path) const;
  /// Inode number of the directory with the (first) name of this inode; the root's parent is the
  /// root. No read, except for an object with several names in an image that was merged: then as
  /// name_of().
  [[nodiscard]] Result<InodeNumber> parent(InodeNumber inode) const;
  /// Path of the inode's (first) name. At most one page read. If the name of a directory is lost
  /// with its page, the path comes from the names in the directory.
  [[nodiscard]] Result<std::string> path_of(InodeNumber inode) const;
  /// First name of an object with its directory; nullopt for the root, which has no name. At most
  /// one page read if the inode number leads to a name of the object. If it does not (another
  /// program may have dropped that name), the link names give the first remaining name, for one
  /// more side read and page read. kNotFound: no such object, or the inode number leads to no name
  /// of it and the index lists none.
  [[nodiscard]] Result<std::optional<ObjectName>> name_of(InodeNumber inode) const;
  /// All names of an object, in key order; empty for the root. nullopt for an object with several
  /// names if the index, made by an older builder, does not list them. Each returned name was
  /// checked to belong to the object. Cost for one name: one page read. Cost for several: one side
  /// read of at most 4 KiB for every thousand names or so, and one read of each page with these
  /// names. The first call also reads the table of the lists, about 5 bytes for each thousand
  /// names. kNotFound.
  [[nodiscard]] Result<std::optional<std::vector<ObjectName>>> names_of(InodeNumber inode) const;

  /// Calls `visit` for the names of a directory in order, from the 0-based `first_position` on,
  /// until `visit` returns false. Reads each index page of the range once.
  /// Calls `lost` for a damaged page. If it returns true, the names in the page are left out. If it
  /// returns false, or is empty, the call fails.
  [[nodiscard]] Status list(InodeNumber directory, std::uint64_t first_position,
                            const std::function<bool(const ListedName&)>& visit,
                            const std::function<bool(const LostNames&)>& lost = {}) const;
  /// The same with all attributes. Attributes of hard links stand in other pages, and can be lost
  /// alone.
  [[nodiscard]] Status list_nodes(InodeNumber directory, std::uint64_t first_position,
                                  const std::function<bool(const ListedName&, const Node&)>& visit,
                                  const std::function<bool(const LostNames&)>& lost = {}) const;

  /// A new cursor over the names of a directory. It stands at no name yet. No read. kNotFound,
  /// kNotDirectory.
  [[nodiscard]] Result<DirectoryCursor> directory(InodeNumber directory) const;

  /// Visits the entry at `path` and everything below it in key order (first the names of a
  /// directory, then those in each subdirectory), until `visit` returns false. Reads each index
  /// page once. `visit` gets paths relative to the root of the image.
  /// Calls `damaged` for a damaged page, with an error that also tells the number of lost names, or
  /// the entry with lost attributes. If it returns true, the walk skips these. If it returns false,
  /// or is empty, the walk fails. Entries below a lost directory are still visited.
  [[nodiscard]] Status walk(
      std::string_view path,
      const std::function<bool(std::string_view path, const Node& node)>& visit,
      const std::function<bool(const Error&)>& damaged = {}) const;

  /// Visits the objects without a name, by rising numbers, until `visit` returns false. They come
  /// from merges of images in use. Reads the pages of link records, if there may be such objects.
  /// Calls `damaged` for a damaged page or record, as walk() does.
  [[nodiscard]] Status walk_nameless(const std::function<bool(const Node& node)>& visit,
                                     const std::function<bool(const Error&)>& damaged = {}) const;

  /// Target of a symlink. No read for a short target, one side read for a long one.
  /// kInvalidArgument.
  [[nodiscard]] Result<std::string> read_link(const Node& node) const;
  /// Extended attributes, sorted by name. One side read; no read if there are none.
  [[nodiscard]] Result<std::vector<Xattr>> xattrs(const Node& node) const;
  /// Data segments of a regular file; nullopt if it has no holes. One side read.
  [[nodiscard]] Result<std::optional<format::SparseMap>> sparse_map(const Node& node) const;
  /// Algorithm of the digests in the index; nullopt if the index keeps none. The first call that
  /// needs digests reads the digest table, some bytes for each 120 files. kUnsupported: this
  /// program does not know the algorithm.
  [[nodiscard]] Result<std::optional<format::DigestAlgorithm>> digest_algorithm() const;
  /// Digest of a regular file's content as it was packed. It is not checked against the bytes that
  /// read() gives now; verify() does that. One side read. kNotFound if the index keeps no digests,
  /// kIsDirectory, kInvalidArgument for other types, kUnsupported.
  [[nodiscard]] Result<format::Digest> digest(const Node& node) const;
  /// SEEK_DATA of lseek(2). kInvalidArgument (ENXIO): `offset` is at or beyond the end.
  [[nodiscard]] Result<std::uint64_t> next_data(const Node& node, std::uint64_t offset) const;
  /// SEEK_HOLE of lseek(2). Errors: those of next_data().
  [[nodiscard]] Result<std::uint64_t> next_hole(const Node& node, std::uint64_t offset) const;

  // Contents.

  /// Reads up to out.size() bytes of a regular file at `offset`, fewer only at its end; holes give
  /// zeros. Every byte comes from a frame with a verified checksum (see check_contents). One data
  /// read if no frame of the range is cached; for sparse files, one per data segment. kIsDirectory,
  /// kInvalidArgument for other types.
  [[nodiscard]] Result<std::size_t> read(const Node& node, std::uint64_t offset,
                                         MutableBytes out) const;
  /// Announces a coming read of a regular file from its begin: the kernel starts to read at most
  /// `bytes_max` stored bytes, and the call returns at once. Does nothing if contents are read past
  /// the page cache, if the file has holes, or if read() would fail.
  void announce_read(const Node& node, std::uint64_t bytes_max) const;
  /// The same for a part of a file. Does nothing for compressed files either.
  void announce_part(const Node& node, std::uint64_t offset, std::uint64_t bytes) const;
  /// Tells the kernel that it need not keep these bytes in the page cache, because the caller has a
  /// copy. Does nothing if the volume cannot be opened, or if there is no memory for it.
  void give_back(const StoredRange& range) const noexcept;
  /// Reads many whole files. Calls `visit` on this thread for each file as soon as its contents
  /// have arrived, in an order of the library's choice. Looks files up in key order, so that each
  /// index page is read once. Reads contents in the order of their places, neighbours in one read
  /// and many reads at once. A file up to `piece_bytes` comes whole. A larger one comes in pieces,
  /// in order and not mixed with other files. A file that is missing, damaged or not regular gives
  /// the error that read() would give; the call goes on with the others. A path given twice is
  /// visited twice. Follows no symlinks.
  /// Memory: memory_bytes of the options, and about 300 bytes and the path for each of at most
  /// 65,536 files at a time. Uses a further thread for lookups if the system grants one.
  /// @param paths    relative to the root; must not change during the call
  void read_many(std::span<const std::string> paths, const VisitPiece& visit,
                 const ReadManyOptions& options = {}) const;
  /// The same for files that were looked up before.
  void read_many(std::span<const Node> nodes, const VisitPiece& visit,
                 const ReadManyOptions& options = {}) const;
  /// Where the content byte at `offset` lies on the device.
  [[nodiscard]] Result<Place> locate(const Node& node, std::uint64_t offset) const;

  // About the image itself.
  /// Superblock of the index: identity, version, features and totals.
  [[nodiscard]] const format::Superblock& superblock() const;
  /// Records of the volumes in the index, in the order of their numbers.
  [[nodiscard]] const std::vector<format::VolumeRecord>& volumes() const;
  /// Checks that `path` is a volume of this image, or a folder, as each of
  /// OpenOptions::volume_paths must be. Reads the first page of the file. Errors: kInvalidArgument
  /// (a volume of another image, or a number that the image does not have), kCorrupt (no volume at
  /// all), those of opening the file. All name the file.
  [[nodiscard]] Status check_is_volume(const std::string& path) const;
  /// Volumes among them that are files of other images, with rising numbers.
  [[nodiscard]] const std::vector<format::VolumeOrigin>& volume_origins() const;
  /// Id of the state of a delta that the tree equals; none: the image states none.
  [[nodiscard]] const std::optional<format::StateId>& state() const;
  /// Number of runs of consecutive object numbers; 28 bytes of memory each.
  [[nodiscard]] std::size_t inode_runs() const;
  /// How the header of a volume names it, to refer to it from another image. Opens the volume if
  /// the index does not tell. Errors: those of reading from it.
  [[nodiscard]] Result<format::VolumeOrigin> origin_of(format::VolumeNumber number) const;
  /// Dictionaries that compressed contents may need.
  [[nodiscard]] const format::ContentDictionaries& content_dictionaries() const;
  /// Path of a volume. Opens the volume if it is not open yet. Errors: those of reading from it.
  [[nodiscard]] Result<std::string> volume_path(format::VolumeNumber number) const;
  /// Opens a volume if it is not open yet, and checks its header pages, its length, and that its
  /// unused bytes are zero. Errors: those of reading from it, kCorrupt.
  [[nodiscard]] Status check_volume(format::VolumeNumber number) const;
  /// Files of the image: role ("image", "index", "volume 1") and path.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> files() const;
  /// Environment that the image was opened in.
  [[nodiscard]] storage::Env& env() const;
  /// Whether there are two copies of the index, both with an intact superblock and not cut short.
  [[nodiscard]] bool has_second_index() const;
  /// Counts so far. Each number is exact, but the numbers are not of one moment.
  [[nodiscard]] Counters counters() const;
  /// Models, by id, including the empty model 0.
  [[nodiscard]] std::vector<Generation> models() const;
  /// Attribute tables, by id.
  [[nodiscard]] std::vector<Generation> attribute_tables() const;
  /// Memory of the image beside its caches.
  [[nodiscard]] std::size_t resident_bytes() const;

  /// Reads every index page in key order and gives `visit` the sizes of its parts, until `visit`
  /// returns false. Skips pages that are damaged in all copies.
  [[nodiscard]] Status measure_pages(
      const std::function<bool(const format::PageSizes&)>& visit) const;

  /// Reads and checks every region of both index copies except side records, the header pages of
  /// the volumes, and that unused bytes are zero. If both copies are intact, also checks that they
  /// have the same bytes. Calls `damaged` for each finding; a missing volume is one.
  /// @param wants_volume  says which volumes to check; empty: all
  /// @param goes_on  called after each page with the page bytes checked so far and the page bytes
  ///                 of both copies together; false ends the check. May be empty
  /// Errors: kInterrupted.
  [[nodiscard]] Status verify_index(
      const std::function<void(const Error&)>& damaged,
      const std::function<bool(format::VolumeNumber)>& wants_volume = {},
      const std::function<bool(std::uint64_t bytes, std::uint64_t bytes_total)>& goes_on = {})
      const;
  /// Reads and checks the node's side records (long target, xattrs, sparse map) of both copies.
  [[nodiscard]] Status verify_records(const Node& node) const;
  /// Whether `node` may follow `before` in a call of verify_neighbours(), or may come first if
  /// `before` is null. It must be a regular file with one frame of its own and without holes, and
  /// its extent must begin at the end of the extent of `before`.
  [[nodiscard]] static bool are_neighbours(const Node* before, const Node& node);
  /// Checks the contents of neighbours, given in their order, with one data read. The error tells
  /// only the first damage; use read() on each file to find all damage.
  [[nodiscard]] Status verify_neighbours(std::span<const Node* const> nodes) const;

 private:
  friend class SalvageImage;  // makes one from the rest of a damaged image
  explicit Image(std::unique_ptr<OpenedImage> opened);
  std::unique_ptr<OpenedImage> opened_;
};

}  // namespace dgfs::reader
