// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/wrapped.h"

#include "storage/names.h"
#include "storage/original_file.h"
#include "storage/source_traits.h"

namespace dgfs::storage {
namespace {

class WrappedFile final : public File, public FileTraits, public OriginalFile {
 public:
  WrappedFile(std::unique_ptr<File> inner, CallObserver& observer)
      : owned_(std::move(inner)), inner_(owned_.get()), observer_(observer) {}
  WrappedFile(File& inner, CallObserver& observer) : inner_(&inner), observer_(observer) {}

  Result<std::size_t> read_at(std::uint64_t offset_bytes, MutableBytes out) const override {
    return observer_.read(*inner_, offset_bytes, std::span<const MutableBytes>(&out, 1), path());
  }
  Result<std::size_t> read_at(std::uint64_t offset_bytes,
                              std::span<const MutableBytes> outs) const override {
    return observer_.read(*inner_, offset_bytes, outs, path());
  }
  Status write_at(std::uint64_t offset_bytes, Bytes data) override {
    return observer_.write(*inner_, offset_bytes, data, path());
  }
  Result<std::uint64_t> size() const override {
    DGFS_CHECK(observer_.before(CallKind::kOther, path()));
    return inner_->size();
  }
  Result<FileStatus> status() const override {
    DGFS_CHECK(observer_.before(CallKind::kOther, path()));
    return inner_->status();
  }
  std::optional<FileIdentity> identity() const override { return identity_of(*inner_); }
  Status truncate(std::uint64_t size_bytes) override {
    DGFS_CHECK(observer_.before(CallKind::kAllocate, path()));
    return inner_->truncate(size_bytes);
  }
  Status preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) override {
    DGFS_CHECK(observer_.before(CallKind::kAllocate, path()));
    return inner_->preallocate(begin_bytes, end_bytes);
  }
  Status punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) override {
    DGFS_CHECK(observer_.before(CallKind::kOther, path()));
    return inner_->punch(begin_bytes, end_bytes);
  }
  Result<std::uint64_t> free_bytes() const override {
    DGFS_CHECK(observer_.before(CallKind::kOther, path()));
    return inner_->free_bytes();
  }
  Status sync() override {
    DGFS_CHECK(observer_.before(CallKind::kSync, path()));
    return inner_->sync();
  }
  Status lock() override {
    DGFS_CHECK(observer_.before(CallKind::kOther, path()));
    return inner_->lock();
  }
  Status lock_shared() override {
    DGFS_CHECK(observer_.before(CallKind::kOther, path()));
    return inner_->lock_shared();
  }
  bool may_be_open_elsewhere() override { return storage::may_be_open_elsewhere(*inner_); }
  Result<DataSegment> next_data(std::uint64_t offset_bytes) const override {
    return observer_.next_data(*inner_, offset_bytes, path());
  }
  void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) override {
    inner_->advise(access, offset_bytes, length_bytes);
  }
  Result<std::vector<Xattr>> xattrs() const override {
    DGFS_CHECK(observer_.before(CallKind::kOther, path()));
    return inner_->xattrs();
  }
  std::vector<Xattr> readable_xattrs(std::vector<Error>& unreadable) const override {
    if (auto let = observer_.before(CallKind::kOther, path()); !let) {
      unreadable.push_back(std::move(let).error());
      return {};
    }
    return storage::readable_xattrs(*inner_, unreadable);
  }
  const std::string& path() const override { return inner_->path(); }

  [[nodiscard]] File& inner() noexcept { return *inner_; }

 private:
  std::unique_ptr<File> owned_;
  File* inner_;
  CallObserver& observer_;
};

class WrappedNewFile final : public NewFile {
 public:
  WrappedNewFile(std::unique_ptr<NewFile> inner, CallObserver& observer)
      : inner_(std::move(inner)), content_(inner_->content(), observer), observer_(observer) {}

  File& content() override { return content_; }
  Status set_owner(std::uint32_t uid, std::uint32_t gid) override {
    DGFS_CHECK(before(CallKind::kOther));
    return inner_->set_owner(uid, gid);
  }
  Status set_mode(std::uint32_t mode) override {
    DGFS_CHECK(before(CallKind::kOther));
    return inner_->set_mode(mode);
  }
  Status set_times(std::optional<Time> access_time, Time modify_time) override {
    DGFS_CHECK(before(CallKind::kOther));
    return inner_->set_times(access_time, modify_time);
  }
  Status set_xattr(std::string_view key, Bytes value) override {
    DGFS_CHECK(before(CallKind::kAllocate));
    return inner_->set_xattr(key, value);
  }
  Status remove_xattr(std::string_view key) override {
    DGFS_CHECK(before(CallKind::kOther));
    return inner_->remove_xattr(key);
  }
  Status link() override {
    DGFS_CHECK(before(CallKind::kAllocate));
    return inner_->link();
  }

 private:
  [[nodiscard]] Status before(CallKind kind) const {
    return observer_.before(kind, content_.path());
  }

  std::unique_ptr<NewFile> inner_;
  WrappedFile content_;
  CallObserver& observer_;
};

class WrappedDirectory final : public Directory, public DirectoryTraits {
 public:
  WrappedDirectory(std::unique_ptr<Directory> inner, CallObserver& observer)
      : inner_(std::move(inner)), observer_(observer) {}

  Status each_name(const NameSink& sink) const override {
    DGFS_CHECK(before(CallKind::kOther, {}));
    return inner_->each_name(sink);
  }
  Result<FileStatus> status(std::string_view name) const override {
    DGFS_CHECK(before(CallKind::kOther, name));
    return inner_->status(name);
  }
  Result<std::unique_ptr<Directory>> open_directory(std::string_view name) const override {
    DGFS_CHECK(before(CallKind::kOther, name));
    DGFS_TRY(directory, inner_->open_directory(name));
    return wrap_directory(std::move(directory), observer_);
  }
  Result<std::unique_ptr<File>> open_file(std::string_view name) const override {
    DGFS_CHECK(before(CallKind::kOpen, name));
    DGFS_TRY(file, inner_->open_file(name));
    return wrap_file(std::move(file), observer_);
  }
  Result<std::string> read_link(std::string_view name) const override {
    DGFS_CHECK(before(CallKind::kOther, name));
    return inner_->read_link(name);
  }
  Result<std::vector<Xattr>> xattrs(std::string_view name) const override {
    DGFS_CHECK(before(CallKind::kOther, name));
    return inner_->xattrs(name);
  }
  std::vector<Xattr> readable_xattrs(std::string_view name,
                                     std::vector<Error>& unreadable) const override {
    if (auto let = before(CallKind::kOther, name); !let) {
      unreadable.push_back(std::move(let).error());
      return {};
    }
    return storage::readable_xattrs(*inner_, name, unreadable);
  }
  bool keeps_inode_numbers() const override { return storage::keeps_inode_numbers(*inner_); }
  Status make_directory(std::string_view name, std::uint32_t mode) override {
    DGFS_CHECK(before(CallKind::kAllocate, name));
    return inner_->make_directory(name, mode);
  }
  Result<std::unique_ptr<File>> create_file(std::string_view name, std::uint32_t mode) override {
    DGFS_CHECK(before(CallKind::kCreate, name));
    DGFS_TRY(file, inner_->create_file(name, mode));
    return wrap_file(std::move(file), observer_);
  }
  Result<std::unique_ptr<NewFile>> create_unnamed(std::string_view name,
                                                  std::uint32_t mode) override {
    DGFS_CHECK(before(CallKind::kCreate, name));
    DGFS_TRY(file, inner_->create_unnamed(name, mode));
    return std::make_unique<WrappedNewFile>(std::move(file), observer_);
  }
  Status make_symlink(std::string_view name, std::string_view target) override {
    DGFS_CHECK(before(CallKind::kAllocate, name));
    return inner_->make_symlink(name, target);
  }
  Status make_link(const Directory& existing_directory, std::string_view existing_name,
                   std::string_view name) override {
    DGFS_CHECK(before(CallKind::kLink, name));
    const auto* wrapped = dynamic_cast<const WrappedDirectory*>(&existing_directory);
    const Directory& existing = wrapped == nullptr ? existing_directory : *wrapped->inner_;
    return inner_->make_link(existing, existing_name, name);
  }
  Status make_node(std::string_view name, std::uint32_t mode, std::uint64_t rdev) override {
    DGFS_CHECK(before(CallKind::kAllocate, name));
    return inner_->make_node(name, mode, rdev);
  }
  Status set_owner(std::string_view name, std::uint32_t uid, std::uint32_t gid) override {
    DGFS_CHECK(before(CallKind::kOther, name));
    return inner_->set_owner(name, uid, gid);
  }
  Status set_mode(std::string_view name, std::uint32_t mode) override {
    DGFS_CHECK(before(CallKind::kOther, name));
    return inner_->set_mode(name, mode);
  }
  Status set_times(std::string_view name, std::optional<Time> access_time,
                   Time modify_time) override {
    DGFS_CHECK(before(CallKind::kOther, name));
    return inner_->set_times(name, access_time, modify_time);
  }
  Status set_xattr(std::string_view name, std::string_view key, Bytes value) override {
    DGFS_CHECK(before(CallKind::kAllocate, name));
    return inner_->set_xattr(name, key, value);
  }
  Status remove_xattr(std::string_view name, std::string_view key) override {
    DGFS_CHECK(before(CallKind::kOther, name));
    return inner_->remove_xattr(name, key);
  }
  Status remove(std::string_view name) override {
    DGFS_CHECK(before(CallKind::kOther, name));
    return inner_->remove(name);
  }
  Status sync() override {
    DGFS_CHECK(before(CallKind::kSync, {}));
    return inner_->sync();
  }
  const std::string& path() const override { return inner_->path(); }

 private:
  [[nodiscard]] Status before(CallKind kind, std::string_view name) const {
    return observer_.before(kind, join_path(path(), name));
  }

  std::unique_ptr<Directory> inner_;
  CallObserver& observer_;
};

}  // namespace

std::unique_ptr<File> wrap_file(std::unique_ptr<File> file, CallObserver& observer) {
  return std::make_unique<WrappedFile>(std::move(file), observer);
}

std::unique_ptr<Directory> wrap_directory(std::unique_ptr<Directory> directory,
                                          CallObserver& observer) {
  return std::make_unique<WrappedDirectory>(std::move(directory), observer);
}

File* unwrap_file(File& file) {
  auto* wrapped = dynamic_cast<WrappedFile*>(&file);
  return wrapped == nullptr ? nullptr : &wrapped->inner();
}

}  // namespace dgfs::storage
