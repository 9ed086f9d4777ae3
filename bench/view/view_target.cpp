// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// A view with one store, maintained by background threads, as in a mount.
#include "bench/view/target.h"
#include "delta/store/directory/delta_directory.h"
#include "delta/view/view.h"
#include "delta/view/view_memory.h"
#include "reader/image.h"

namespace dgfs::bench {
namespace {

constexpr view::Credentials kWho{0, 0, 022};
constexpr std::size_t kMemoryBytes = std::size_t{256} << 20;

class ViewTarget final : public Target {
 public:
  ViewTarget(std::unique_ptr<const reader::Image> image,
             std::unique_ptr<delta::DeltaDirectory> delta, std::unique_ptr<view::View> view,
             std::uint64_t names_of_reply)
      : image_(std::move(image)),
        delta_(std::move(delta)),
        view_(std::move(view)),
        names_of_reply_(names_of_reply) {}

  Result<Handle> directory(const std::string& path) override {
    Handle directory = view::kRoot;
    for (std::size_t begin = 0; begin < path.size();) {
      const auto end = std::min(path.find('/', begin), path.size());
      DGFS_TRY(entry, view_->lookup(directory, path.substr(begin, end - begin)));
      directory = entry.object;
      begin = end + 1;
    }
    return directory;
  }

  Result<bool> has(Handle directory, const std::string& name) override {
    const auto entry = view_->lookup(directory, name);
    if (entry) return true;
    if (entry.error().kind() == ErrorKind::kNotFound) return false;
    return entry.error();
  }

  // Reads in replies of the size that the kernel requests.
  Result<std::uint64_t> list(Handle directory) override {
    DGFS_TRY(listing, view_->open_listing(directory));
    view::ListingCookie last = 0;
    std::uint64_t all = 0;
    for (std::uint64_t count = 1; count > 0; all += count) {
      count = 0;
      DGFS_CHECK(listing->read(last, true, [&](const view::ListingName& name) {
        if (count == names_of_reply_) return false;
        ++count;
        last = name.cookie;
        return true;
      }));
    }
    return all - kDots;
  }

  Result<Handle> file(Handle directory, const std::string& name) override {
    DGFS_TRY(entry, view_->lookup(directory, name));
    return entry.object;
  }
  Status read(Handle file, std::uint64_t offset_bytes, MutableBytes out) override {
    DGFS_TRY(count, view_->read(file, offset_bytes, out));
    return count == out.size() ? ok() : Status(Error(ErrorKind::kIo, 9036, "a short read"));
  }
  Status write(Handle file, std::uint64_t offset_bytes, Bytes bytes) override {
    DGFS_TRY(count, view_->write(file, offset_bytes, bytes));
    return count == bytes.size() ? ok() : Status(Error(ErrorKind::kIo, 9037, "a short write"));
  }

  Status append(Handle file, Bytes bytes) override {
    DGFS_TRY(appended, view_->append(file, bytes));
    return appended.length_bytes == bytes.size()
               ? ok()
               : Status(Error(ErrorKind::kIo, 9042, "a short append"));
  }

  Status create(Handle directory, const std::string& name) override {
    DGFS_CHECK(view_->create(directory, name, {}, kWho));
    return ok();
  }

  Status make_directory(Handle directory, const std::string& name) override {
    DGFS_CHECK(view_->make_directory(directory, name, 0755, kWho));
    return ok();
  }

  Status change_mode(Handle directory, const std::string& name,
                     std::uint32_t permissions) override {
    DGFS_TRY(entry, view_->lookup(directory, name));
    view::AttributeChange change;
    change.permissions = permissions;
    DGFS_CHECK(view_->set_attributes(entry.object, change));
    return ok();
  }

  Status set_xattr(Handle directory, const std::string& name, const std::string& xattr,
                   Bytes value) override {
    DGFS_TRY(entry, view_->lookup(directory, name));
    return view_->set_xattr(entry.object, xattr, value, view::XattrMode::kSet);
  }

  Status link(Handle from, const std::string& name, Handle to,
              const std::string& new_name) override {
    DGFS_TRY(entry, view_->lookup(from, name));
    DGFS_CHECK(view_->link(entry.object, to, new_name));
    return ok();
  }

  Status rename(Handle from, const std::string& name, Handle to,
                const std::string& new_name) override {
    DGFS_TRY(renamed, view_->rename(from, name, to, new_name));
    return release(renamed.replaced);
  }

  Status unlink(Handle directory, const std::string& name) override {
    DGFS_TRY(entry, view_->unlink(directory, name));
    return release(entry);
  }

  Status sync() override { return view_->sync(); }
  Status settle() override { return delta_->newest().checkpoint(); }
  Status close() override { return view_->close(); }

 private:
  static constexpr std::uint64_t kDots = 2;

  // No process has anything open.
  Status release(const view::Entry& entry) {
    if (entry.object == 0 || entry.attributes.link_count != 0) return ok();
    return view_->release(entry.object);
  }

  std::unique_ptr<const reader::Image> image_;
  std::unique_ptr<delta::DeltaDirectory> delta_;
  std::unique_ptr<view::View> view_;
  std::uint64_t names_of_reply_;
};

}  // namespace

Result<std::unique_ptr<Target>> open_view(storage::Env& env, const TargetOptions& options) {
  const view::ViewMemory memory(kMemoryBytes);
  reader::OpenOptions image_options;
  memory.share_with(image_options);
  DGFS_TRY(image, reader::Image::open(env, image_path(options.directory), image_options));
  const auto path = options.directory + "/" + options.delta;
  delta::StoreOptions store;
  store.in_background = true;
  store.create = true;
  memory.share_with(store);
  const auto& superblock = image->superblock();
  auto made = delta::DeltaDirectory::create(env, path, superblock.uuid, superblock.next_inode,
                                            store, options.chunk_kib << 10);
  if (!made && made.error().kind() != ErrorKind::kExists) return std::move(made).error();
  DGFS_TRY(delta, delta::DeltaDirectory::open(env, path, store));
  DGFS_CHECK(delta->newest().start());
  view::ViewOptions view_options;
  view_options.numbers_of_directory = options.numbers_of_directory;
  memory.share_with(view_options);
  DGFS_TRY(view, view::View::open(env, *image, *delta, view_options));
  return std::make_unique<ViewTarget>(std::move(image), std::move(delta), std::move(view),
                                      options.names_of_reply);
}

}  // namespace dgfs::bench
