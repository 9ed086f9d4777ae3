// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories. An entry's offset, from which the kernel continues after it: 1 for ".", 2 for "..",
// and p + 3 for the entry at position p of the image's list. If names before it are lost, a bit is
// set as well: the list continues to its end, and a request at the end then gets EIO.
#include <array>
#include <cerrno>
#include <optional>
#include <span>
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

// A reply to READDIRPLUS.
class NodeList {
 public:
  NodeList(fuse_req_t request, const Call& call, ImageFileSystem& mounted, std::size_t size_bytes)
      : call_(call), request_(request), mounted_(mounted), entries_(request, size_bytes) {}

  [[nodiscard]] const EntryList& entries() const { return entries_; }
  /// Whether a name did not fit.
  [[nodiscard]] bool is_full() const { return is_full_; }

  [[nodiscard]] Status add_dots(std::uint64_t offset) {
    return fuse::add_dots(
        mounted_.image, call_.inode, offset,
        [&](std::string_view name, const struct stat& attributes, std::uint64_t after) {
          fuse_entry_param entry{};
          entry.attr = attributes;
          return entries_.add_plus(name, entry, after);
        });
  }
  // Each returns false if the name does not fit.

  [[nodiscard]] bool add(const reader::ListedName& name, const reader::Node& node,
                         const ListingPlan& plan, std::uint64_t after) {
    const bool is_file = !format::is_directory(node.mode);
    if (is_file && bare_names_ < plan.bare_names) {
      if (add_bare(name, after)) ++bare_names_;
      return !is_full_;
    }
    const auto shown = without_list(mounted_, node);
    if (!shown) {
      log_fault(service_of(request_), call_, shown.error());
      return add_bare(name, after);
    }
    auto entry = mounted_.entry_of(shown.value());
    // Many programs do not even look at names that begin with a dot.
    const bool is_probe = is_file && probe_count_ < plan.probes && !name.name.starts_with('.');
    if (is_probe) entry.attr_timeout = 0;
    is_full_ = !entries_.add_plus(name.name, entry, after);
    if (is_full_) return false;
    if (is_probe) probes_.at(probe_count_++) = node.inode;
    note_told(node.inode);
    return true;
  }
  // Adds a name without a node id. If a program wants more about it, the kernel looks it up. If its
  // attributes are lost, the lookup fails.
  [[nodiscard]] bool add_bare(const reader::ListedName& name, std::uint64_t after) {
    fuse_entry_param entry{};
    entry.attr = to_short_stat(name);
    is_full_ = !entries_.add_plus(name.name, entry, after);
    return !is_full_;
  }

  /// Call it before the reply is sent.
  void note(Walkers::Id walker) {
    mounted_.prefetcher.saw_listing(told_);
    mounted_.walks.gave(walker, call_.inode, std::span(probes_).first(probe_count_), bare_names_);
  }

 private:
  // Hard links have numbers from other places, so they are left out.
  void note_told(format::InodeNumber inode) {
    if (told_.begin == 0) told_ = {inode, inode};
    if (inode == told_.end) ++told_.end;
  }

  const Call& call_;
  fuse_req_t request_;
  ImageFileSystem& mounted_;
  EntryList entries_;
  InodeRange told_;  ///< numbers of names with a node id
  std::array<format::InodeNumber, Walkers::kProbes> probes_{};
  std::size_t probe_count_ = 0;
  std::size_t bare_names_ = 0;
  bool is_full_ = false;
};

Result<ListingPlan> plan_of(fuse_req_t request, const Call& call, ImageFileSystem& mounted,
                            Walkers::Id walker, const Place& place) {
  std::optional<format::InodeNumber> parent;
  if (place.offset == 0) {
    DGFS_TRY(above, mounted.image.parent(call.inode));
    parent = above;
  }
  return mounted.walks.plan(walker, call.inode, parent, service_of(request).env.monotonic_ns());
}

Status list_nodes(fuse_req_t request, const Call& call, ImageFileSystem& mounted,
                  std::size_t size_bytes, Place place) {
  const auto walker = static_cast<Walkers::Id>(fuse_req_ctx(request)->pid);
  DGFS_TRY(plan, plan_of(request, call, mounted, walker, place));
  NodeList list(request, call, mounted, size_bytes);
  DGFS_CHECK(list.add_dots(place.offset));
  const auto listed = mounted.image.list_nodes(
      call.inode, place.first_position(),
      [&](const reader::ListedName& name, const reader::Node& node) {
        return list.add(name, node, plan, place.offset_after(name));
      },
      [&](const reader::LostNames& lost) {
        log_loss(request, call, lost);
        if (lost.name == nullptr) return place.names_lost = true;
        return list.add_bare(*lost.name, place.offset_after(*lost.name));
      });
  list.note(walker);
  return reply_list(request, call, list.entries(), place, list.is_full() ? Status(ok()) : listed);
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
