// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories. An entry's offset, from which the kernel continues after it: 1 for ".", 2 for "..",
// and p + 3 for the entry at position p of the image's list. If names before it are lost, a bit is
// set as well: the list continues to its end, and a request at the end then gets EIO.
#include <cerrno>
#include <string>

#include "format/entry/mode.h"
#include "fuse/answer.h"
#include "fuse/attributes.h"
#include "fuse/entry_list.h"
#include "fuse/image/image_file_system.h"
#include "fuse/image/image_operations.h"
#include "fuse/image/overridden_list.h"

namespace dgfs::fuse {
namespace {

constexpr std::uint64_t kDotEntries = 2;
// Far above all positions, and not the sign bit of the kernel's offsets.
constexpr std::uint64_t kNamesLost = std::uint64_t{1} << 62;

void open_directory(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  if (served<ImageFileSystem>(request).directory_opens_unanswered()) {
    return answer_never(request, Request::kOpenDirectory);
  }
  service_of(request).counters.count(Request::kOpenDirectory);
  file->keep_cache = 1;
  file->cache_readdir = 1;
  fuse_reply_open(request, file);
}

struct stat dot_stat(format::InodeNumber inode) {
  struct stat out {};
  out.st_ino = inode;
  out.st_mode = format::kTypeDirectory;
  return out;
}

// Adds "." and "..", if they come after `offset`. With attributes, they have no node id: the kernel
// knows these two already and would only have to forget them.
template <class Add>
Status add_dots(const reader::Image& image, fuse_ino_t directory, std::uint64_t offset, Add add) {
  if (offset < 1 && !add(".", dot_stat(directory), 1)) return ok();
  if (offset < kDotEntries) {
    DGFS_TRY(parent, image.parent(directory));
    add("..", dot_stat(parent), kDotEntries);
  }
  return ok();
}

// The place in a directory where a request begins, and whether names are lost there or before.
struct Place {
  explicit Place(off_t asked)
      : offset(static_cast<std::uint64_t>(asked) & ~kNamesLost),
        names_lost((static_cast<std::uint64_t>(asked) & kNamesLost) != 0) {}

  [[nodiscard]] std::uint64_t first_position() const {
    return offset < kDotEntries ? 0 : offset - kDotEntries;
  }
  [[nodiscard]] std::uint64_t offset_after(const reader::ListedName& listed) const {
    return (listed.position + kDotEntries + 1) | (names_lost ? kNamesLost : 0);
  }

  std::uint64_t offset;
  bool names_lost;
};

void log_loss(fuse_req_t request, const Call& call, const reader::LostNames& lost) {
  const std::string name = lost.name == nullptr ? "" : std::string(lost.name->name);
  Call about = call;
  if (lost.name != nullptr) about.name = name.c_str();
  log_fault(service_of(request), about, lost.error);
}

// Readable names come first. The end of a list with lost names is an error, at every try.
Status reply_list(fuse_req_t request, const Call& call, const EntryList& entries,
                  const Place& place, const Status& listed) {
  if (!listed) return listed.error();
  if (entries.empty() && place.names_lost) {
    service_of(request).counters.count_failure(call.request);
    fuse_reply_err(request, EIO);
  } else {
    entries.reply();
  }
  return ok();
}

Status list_names(fuse_req_t request, const Call& call, ImageFileSystem& mounted,
                  std::size_t size_bytes, Place place) {
  EntryList entries(request, size_bytes);
  DGFS_CHECK(add_dots(mounted.image, call.inode, place.offset,
                      [&](std::string_view name, const struct stat& attributes,
                          std::uint64_t after) { return entries.add(name, attributes, after); }));
  const auto listed = mounted.image.list(
      call.inode, place.first_position(),
      [&](const reader::ListedName& name) {
        return entries.add(name.name, to_short_stat(name), place.offset_after(name));
      },
      [&](const reader::LostNames& lost) {
        log_loss(request, call, lost);
        return place.names_lost = true;
      });
  return reply_list(request, call, entries, place, listed);
}

// A name whose attributes are lost has no node id. If a program wants more about it, the kernel
// looks it up, and the lookup fails.
bool add_bare_name(EntryList& entries, const Place& place, const reader::ListedName& name) {
  fuse_entry_param entry{};
  entry.attr = to_short_stat(name);
  return entries.add_plus(name.name, entry, place.offset_after(name));
}

Status list_nodes(fuse_req_t request, const Call& call, ImageFileSystem& mounted,
                  std::size_t size_bytes, Place place) {
  EntryList entries(request, size_bytes);
  DGFS_CHECK(
      add_dots(mounted.image, call.inode, place.offset,
               [&](std::string_view name, const struct stat& attributes, std::uint64_t after) {
                 fuse_entry_param entry{};
                 entry.attr = attributes;
                 return entries.add_plus(name, entry, after);
               }));
  InodeRange told;
  bool is_full = false;
  const auto listed = mounted.image.list_nodes(
      call.inode, place.first_position(),
      [&](const reader::ListedName& name, const reader::Node& node) {
        const auto shown = without_list(mounted, node);
        if (!shown) {
          log_fault(service_of(request), call, shown.error());
          is_full = !add_bare_name(entries, place, name);
          return !is_full;
        }
        const auto entry = mounted.entry_of(shown.value());
        is_full = !entries.add_plus(name.name, entry, place.offset_after(name));
        if (is_full) return false;
        // Hard links have numbers from other places, so they are left out.
        if (told.begin == 0) told = {node.inode, node.inode};
        if (node.inode == told.end) ++told.end;
        return true;
      },
      [&](const reader::LostNames& lost) {
        log_loss(request, call, lost);
        if (lost.name == nullptr) return place.names_lost = true;
        is_full = !add_bare_name(entries, place, *lost.name);
        return !is_full;
      });
  mounted.prefetcher.saw_listing(told);
  return reply_list(request, call, entries, place, is_full ? Status(ok()) : listed);
}

void read_directory(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes, off_t offset,
                    fuse_file_info*) {
  const Call call{Request::kReadDirectory, directory, Subject::kName};
  answer<ImageFileSystem>(request, call, [&](ImageFileSystem& mounted) {
    return list_names(request, call, mounted, size_bytes, Place(offset));
  });
}

void read_directory_plus(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes,
                         off_t offset, fuse_file_info*) {
  const Call call{Request::kReadDirectoryPlus, directory, Subject::kName};
  answer<ImageFileSystem>(request, call, [&](ImageFileSystem& mounted) {
    return list_nodes(request, call, mounted, size_bytes, Place(offset));
  });
}

}  // namespace

void add_directory_operations(fuse_lowlevel_ops& operations) {
  operations.opendir = open_directory;
  operations.readdir = read_directory;
  operations.readdirplus = read_directory_plus;
}

}  // namespace dgfs::fuse
