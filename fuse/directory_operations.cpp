// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories. The offset of an entry, from which the kernel goes on after it: "." has 1, ".." 2,
// the entry at position p of the image's list p + 3.
#include <algorithm>
#include <array>
#include <cstring>

#include "format/limits.h"
#include "format/mode.h"
#include "fuse/answer.h"
#include "fuse/attributes.h"
#include "fuse/operations.h"

namespace dgfs::fuse {
namespace {

constexpr std::uint64_t kDotEntries = 2;

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

std::uint64_t first_position(std::uint64_t offset) {
  return offset < kDotEntries ? 0 : offset - kDotEntries;
}
std::uint64_t offset_after(const reader::ListedName& listed) {
  return listed.position + kDotEntries + 1;
}

// What was listed before some damage is still told; the next request starts at the damage.
Status reply_list(const EntryList& entries, const Status& listed) {
  if (!listed && entries.empty()) return listed.error();
  entries.reply();
  return ok();
}

Status list_names(fuse_req_t request, const reader::Image& image, fuse_ino_t directory,
                  std::size_t size_bytes, std::uint64_t offset) {
  EntryList entries(request, size_bytes);
  DGFS_CHECK(add_dots(image, directory, offset,
                      [&](std::string_view name, const struct stat& attributes,
                          std::uint64_t after) { return entries.add(name, attributes, after); }));
  const auto listed =
      image.list(directory, first_position(offset), [&](const reader::ListedName& name) {
        return entries.add(name.name, to_short_stat(name), offset_after(name));
      });
  return reply_list(entries, listed);
}

Status list_nodes(fuse_req_t request, const Server& server, fuse_ino_t directory,
                  std::size_t size_bytes, std::uint64_t offset) {
  EntryList entries(request, size_bytes);
  DGFS_CHECK(
      add_dots(server.image, directory, offset,
               [&](std::string_view name, const struct stat& attributes, std::uint64_t after) {
                 fuse_entry_param entry{};
                 entry.attr = attributes;
                 return entries.add_plus(name, entry, after);
               }));
  InodeRange told;
  const auto listed = server.image.list_nodes(
      directory, first_position(offset),
      [&](const reader::ListedName& name, const reader::Node& node) {
        if (!entries.add_plus(name.name, to_entry(node, server.overrides), offset_after(name))) {
          return false;
        }
        // Those of hard links stand elsewhere.
        if (told.begin == 0) told = {node.inode, node.inode};
        if (node.inode == told.end) ++told.end;
        return true;
      });
  server.prefetcher.saw_listing(told);
  return reply_list(entries, listed);
}

void read_directory(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes, off_t offset,
                    fuse_file_info*) {
  answer(request, {Request::kReadDirectory, directory, Subject::kName}, [&](const Server& server) {
    return list_names(request, server.image, directory, size_bytes,
                      static_cast<std::uint64_t>(offset));
  });
}

void read_directory_plus(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes,
                         off_t offset, fuse_file_info*) {
  answer(request, {Request::kReadDirectoryPlus, directory, Subject::kName},
         [&](const Server& server) {
           return list_nodes(request, server, directory, size_bytes,
                             static_cast<std::uint64_t>(offset));
         });
}

}  // namespace

void add_directory_operations(fuse_lowlevel_ops& operations) {
  operations.opendir = open_directory;
  operations.readdir = read_directory;
  operations.readdirplus = read_directory_plus;
}

}  // namespace dgfs::fuse
