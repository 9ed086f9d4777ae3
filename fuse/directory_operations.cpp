// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories. The offset of an entry, from which the kernel goes on after it: "." has 1, ".." 2,
// the entry at position p of the image's list p + 3. Where names before it are lost, a bit is set
// besides: the list goes on to its end, and who asks there is told that it was not all.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "format/entry/mode.h"
#include "format/limits.h"
#include "fuse/answer.h"
#include "fuse/attributes.h"
#include "fuse/operations.h"
#include "fuse/overridden_list.h"

namespace dgfs::fuse {
namespace {

constexpr std::uint64_t kDotEntries = 2;
// Far above all positions, and not the sign of the kernel's offsets.
constexpr std::uint64_t kNamesLost = std::uint64_t{1} << 62;

void open_directory(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  Server& server = server_of(request);
  if (server.directory_opens_unanswered) return answer_never(request, Request::kOpenDirectory);
  server.counters.count(Request::kOpenDirectory);
  file->keep_cache = 1;
  file->cache_readdir = 1;
  fuse_reply_open(request, file);
}

// A reply to READDIR or READDIRPLUS that fills up; in memory of the thread, used again and again.
class EntryList {
 public:
  EntryList(fuse_req_t request, std::size_t size_bytes) : request_(request), limit_(size_bytes) {
    if (buffer().size() < size_bytes) buffer().resize(size_bytes);
  }

  /// Each returns false, and adds nothing, where the entry does not fit.
  bool add(std::string_view name, const struct stat& attributes, std::uint64_t offset) {
    set_name(name);
    return taken(fuse_add_direntry(request_, place(), room(), name_.data(), &attributes,
                                   static_cast<off_t>(offset)));
  }
  bool add_plus(std::string_view name, const fuse_entry_param& entry, std::uint64_t offset) {
    set_name(name);
    return taken(fuse_add_direntry_plus(request_, place(), room(), name_.data(), &entry,
                                        static_cast<off_t>(offset)));
  }

  [[nodiscard]] bool empty() const { return used_ == 0; }
  void reply() const { fuse_reply_buf(request_, buffer().data(), used_); }

 private:
  static std::vector<char>& buffer() {
    thread_local std::vector<char> bytes;
    return bytes;
  }
  [[nodiscard]] char* place() const { return buffer().data() + used_; }
  [[nodiscard]] std::size_t room() const { return limit_ - used_; }
  // libfuse wants an end mark, which names of an image do not have.
  void set_name(std::string_view name) {
    const auto length = std::min(name.size(), format::kNameBytesMax);
    std::memcpy(name_.data(), name.data(), length);
    name_[length] = '\0';
  }
  bool taken(std::size_t entry_bytes) {
    if (entry_bytes > room()) return false;
    used_ += entry_bytes;
    return true;
  }

  fuse_req_t request_;
  std::size_t limit_;
  std::size_t used_ = 0;
  std::array<char, format::kNameBytesMax + 1> name_{};
};

struct stat dot_stat(format::InodeNumber inode) {
  struct stat out {};
  out.st_ino = inode;
  out.st_mode = format::kTypeDirectory;
  return out;
}

// "." and "..", as far as they lie after `offset`. With attributes too, they come without a node
// id: the kernel has these two already and would only have to forget them.
template <class Add>
Status add_dots(const reader::Image& image, fuse_ino_t directory, std::uint64_t offset, Add add) {
  if (offset < 1 && !add(".", dot_stat(directory), 1)) return ok();
  if (offset < kDotEntries) {
    DGFS_TRY(parent, image.parent(directory));
    add("..", dot_stat(parent), kDotEntries);
  }
  return ok();
}

// Where in a directory a request begins, and whether names were lost before, or are as it goes on.
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

void log_loss(Server& server, const Call& call, const reader::LostNames& lost) {
  const std::string name = lost.name == nullptr ? "" : std::string(lost.name->name);
  Call about = call;
  if (lost.name != nullptr) about.name = name.c_str();
  log_fault(server, about, lost.error);
}

// Names that can be told come first. The end of a list with losses is an error, at every try.
Status reply_list(fuse_req_t request, const Call& call, const EntryList& entries,
                  const Place& place, const Status& listed) {
  if (!listed) return listed.error();
  if (entries.empty() && place.names_lost) {
    server_of(request).counters.count_failure(call.request);
    fuse_reply_err(request, EIO);
  } else {
    entries.reply();
  }
  return ok();
}

Status list_names(fuse_req_t request, const Call& call, Server& server, std::size_t size_bytes,
                  Place place) {
  EntryList entries(request, size_bytes);
  DGFS_CHECK(add_dots(server.image, call.inode, place.offset,
                      [&](std::string_view name, const struct stat& attributes,
                          std::uint64_t after) { return entries.add(name, attributes, after); }));
  const auto listed = server.image.list(
      call.inode, place.first_position(),
      [&](const reader::ListedName& name) {
        return entries.add(name.name, to_short_stat(name), place.offset_after(name));
      },
      [&](const reader::LostNames& lost) {
        log_loss(server, call, lost);
        return place.names_lost = true;
      });
  return reply_list(request, call, entries, place, listed);
}

// A name whose attributes are lost comes without a node id. A program that wants more of it makes
// the kernel look it up, and the lookup fails.
bool add_bare_name(EntryList& entries, const Place& place, const reader::ListedName& name) {
  fuse_entry_param entry{};
  entry.attr = to_short_stat(name);
  return entries.add_plus(name.name, entry, place.offset_after(name));
}

Status list_nodes(fuse_req_t request, const Call& call, Server& server, std::size_t size_bytes,
                  Place place) {
  EntryList entries(request, size_bytes);
  DGFS_CHECK(
      add_dots(server.image, call.inode, place.offset,
               [&](std::string_view name, const struct stat& attributes, std::uint64_t after) {
                 fuse_entry_param entry{};
                 entry.attr = attributes;
                 return entries.add_plus(name, entry, after);
               }));
  InodeRange told;
  bool is_full = false;
  const auto listed = server.image.list_nodes(
      call.inode, place.first_position(),
      [&](const reader::ListedName& name, const reader::Node& node) {
        const auto shown = without_list(server, node);
        if (!shown) {
          log_fault(server, call, shown.error());
          is_full = !add_bare_name(entries, place, name);
          return !is_full;
        }
        const auto entry = to_entry(shown.value(), server.overrides);
        is_full = !entries.add_plus(name.name, entry, place.offset_after(name));
        if (is_full) return false;
        // Those of hard links stand elsewhere.
        if (told.begin == 0) told = {node.inode, node.inode};
        if (node.inode == told.end) ++told.end;
        return true;
      },
      [&](const reader::LostNames& lost) {
        log_loss(server, call, lost);
        if (lost.name == nullptr) return place.names_lost = true;
        is_full = !add_bare_name(entries, place, *lost.name);
        return !is_full;
      });
  server.prefetcher.saw_listing(told);
  return reply_list(request, call, entries, place, is_full ? Status(ok()) : listed);
}

void read_directory(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes, off_t offset,
                    fuse_file_info*) {
  const Call call{Request::kReadDirectory, directory, Subject::kName};
  answer(request, call, [&](Server& server) {
    return list_names(request, call, server, size_bytes, Place(offset));
  });
}

void read_directory_plus(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes,
                         off_t offset, fuse_file_info*) {
  const Call call{Request::kReadDirectoryPlus, directory, Subject::kName};
  answer(request, call, [&](Server& server) {
    return list_nodes(request, call, server, size_bytes, Place(offset));
  });
}

}  // namespace

void add_directory_operations(fuse_lowlevel_ops& operations) {
  operations.opendir = open_directory;
  operations.readdir = read_directory;
  operations.readdirplus = read_directory_plus;
}

}  // namespace dgfs::fuse
