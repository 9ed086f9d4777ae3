// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Directories. The cookies of a listing are the offsets from which the kernel continues.
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/entry/mode.h"
#include "fuse/entry_list.h"
#include "fuse/view/entry_reply.h"
#include "fuse/view/view_operations.h"

namespace dgfs::fuse {
namespace {

// Continues the stream of a handle.
template <class Add>
Status read_listing(const ViewFileSystem& mounted, const fuse_file_info& file, off_t offset,
                    bool wants_attributes, Add add) {
  const auto listing = mounted.listings.find(file.fh);
  if (listing == nullptr) {
    return Error(ErrorKind::kInvalidArgument, 5049, "no open directory has this handle");
  }
  return listing->read(static_cast<view::ListingCookie>(offset), wants_attributes, add);
}

void open_directory(fuse_req_t request, fuse_ino_t directory, fuse_file_info* file) {
  answer<ViewFileSystem>(request, {Request::kOpenDirectory, directory, Subject::kName},
                         [&](ViewFileSystem& mounted) -> Status {
                           DGFS_TRY(listing, mounted.view.open_listing(directory));
                           file->fh = mounted.listings.add(std::move(listing));
                           if (fuse_reply_open(request, file) != 0) {
                             mounted.listings.remove(file->fh);
                           }
                           return ok();
                         });
}

void close_directory(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  service_of(request).counters.count(Request::kReleaseDirectory);
  served<ViewFileSystem>(request).listings.remove(file->fh);
  fuse_reply_err(request, 0);
}

void read_directory(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes, off_t offset,
                    fuse_file_info* file) {
  answer<ViewFileSystem>(
      request, {Request::kReadDirectory, directory, Subject::kName},
      [&](const ViewFileSystem& mounted) -> Status {
        EntryList entries(request, size_bytes);
        const auto listed =
            read_listing(mounted, *file, offset, false, [&](const view::ListingName& name) {
              return entries.add(name.name, to_short_stat(name.object, name.type), name.cookie);
            });
        if (!listed && entries.empty()) return listed;
        // A permanent error comes again after these entries.
        entries.reply();
        return ok();
      });
}

// Size of a fuse_direntplus with the shortest name.
constexpr std::size_t kEntryBytesMin = 160;

bool is_dot(std::string_view name) { return name == "." || name == ".."; }

// A reply to READDIRPLUS; the kernel counts its names as looked up.
class CountedList {
 public:
  /// @param offset  where the reply begins
  CountedList(fuse_req_t request, const Call& call, ViewFileSystem& mounted, std::size_t size_bytes,
              off_t offset)
      : request_(request),
        call_(call),
        mounted_(mounted),
        is_beginning_(offset == 0),
        walker_(static_cast<Walkers::Id>(fuse_req_ctx(request)->pid)),
        entries_(request, size_bytes) {
    counted_.reserve(size_bytes / kEntryBytesMin + 1);
  }
  ~CountedList() {
    for (const auto object : counted_) mounted_.forget(object, 1);
  }
  CountedList(const CountedList&) = delete;
  CountedList& operator=(const CountedList&) = delete;

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Returns false if it is full.
  [[nodiscard]] bool add(const view::ListingName& name) {
    if (name.lost != nullptr) log_lost(name, *name.lost);
    if (name.name == "..") parent_ = name.object;
    if (is_dot(name.name) || name.attributes == nullptr) return add_bare(name);
    if (!plan_) plan_ = plan();
    const bool is_file = !format::is_directory(name.type);
    if (is_file && bare_names_ < plan_->bare_names) {
      const bool is_added = add_bare(name);
      if (is_added) ++bare_names_;
      return is_added;
    }
    const auto told = mounted_.entry_of({name.object, *name.attributes});
    if (!told) {
      log_lost(name, told.error());
      return add_bare(name);
    }
    auto entry = told.value();
    mounted_.known.add(name.object);
    counted_.push_back(name.object);  // the capacity is reserved, so it cannot fail
    // Many programs do not even look at names that begin with a dot.
    const bool is_probe = is_file && probe_count_ < plan_->probes && !name.name.starts_with('.');
    if (is_probe) entry.attr_timeout = 0;
    if (entries_.add_plus(name.name, entry, name.cookie)) {
      if (is_probe) probes_.at(probe_count_++) = name.object;
      return true;
    }
    counted_.pop_back();
    mounted_.forget(name.object, 1);
    return false;
  }
  void reply() {
    mounted_.walks.gave(walker_, call_.inode, std::span(probes_).first(probe_count_), bare_names_);
    if (entries_.reply() == 0) counted_.clear();
  }

 private:
  [[nodiscard]] ListingPlan plan() const {
    const auto parent = is_beginning_ ? parent_ : std::nullopt;
    return mounted_.walks.plan(walker_, call_.inode, parent,
                               service_of(request_).env.monotonic_ns());
  }
  // Adds a name without a node id: the kernel knows "." and ".." already, and looks up other names
  // if a program wants more about them.
  [[nodiscard]] bool add_bare(const view::ListingName& name) {
    fuse_entry_param entry{};
    entry.attr = to_short_stat(name.object, name.type);
    return entries_.add_plus(name.name, entry, name.cookie);
  }
  void log_lost(const view::ListingName& name, const Error& error) const {
    const std::string text(name.name);
    Call about = call_;
    about.name = text.c_str();
    log_fault(service_of(request_), about, error);
  }

  fuse_req_t request_;
  const Call& call_;
  ViewFileSystem& mounted_;
  const bool is_beginning_;
  const Walkers::Id walker_;
  EntryList entries_;
  std::optional<view::ObjectNumber> parent_;
  std::optional<ListingPlan> plan_;
  std::array<view::ObjectNumber, Walkers::kProbes> probes_{};
  std::size_t probe_count_ = 0;
  std::size_t bare_names_ = 0;
  std::vector<view::ObjectNumber> counted_;  ///< objects whose names the kernel has not taken yet
};

void read_directory_plus(fuse_req_t request, fuse_ino_t directory, std::size_t size_bytes,
                         off_t offset, fuse_file_info* file) {
  const Call call{Request::kReadDirectoryPlus, directory, Subject::kName};
  answer<ViewFileSystem>(request, call, [&](ViewFileSystem& mounted) -> Status {
    CountedList entries(request, call, mounted, size_bytes, offset);
    const auto listed =
        read_listing(mounted, *file, offset, true,
                     [&](const view::ListingName& name) { return entries.add(name); });
    if (!listed && entries.empty()) return listed;
    entries.reply();
    return ok();
  });
}

void sync_directory(fuse_req_t request, fuse_ino_t directory, int, fuse_file_info*) {
  answer<ViewFileSystem>(request, {Request::kSyncDirectory, directory},
                         [&](ViewFileSystem& mounted) -> Status {
                           DGFS_CHECK(mounted.view.sync(directory));
                           fuse_reply_err(request, 0);
                           return ok();
                         });
}

}  // namespace

void add_view_directory_operations(fuse_lowlevel_ops& operations) {
  operations.opendir = open_directory;
  operations.releasedir = close_directory;
  operations.readdir = read_directory;
  operations.readdirplus = read_directory_plus;
  operations.fsyncdir = sync_directory;
}

}  // namespace dgfs::fuse
