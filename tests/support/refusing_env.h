// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An Env whose directories refuse to set chosen attributes, as for file systems without them, or
// for users without the rights.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/forwarding_env.h"

namespace dgfs::test {

class RefusingEnv final : public storage::ForwardingEnv {
 public:
  /// Called before an attribute is set, an xattr removed or a node made, with the path, and
  /// "owner", "mode", "times", "node", "remove", or the name of an xattr. An error that it returns
  /// replaces the call. May be called from any thread.
  using Refuse = std::function<Status(const std::string& path, std::string_view attribute)>;

  RefusingEnv(storage::Env& base, Refuse refuse) : EnvForwarder(base), refuse_(std::move(refuse)) {}

  Result<std::unique_ptr<storage::Directory>> open_directory(const std::string& path) override {
    return wrap(base().open_directory(path));
  }

 private:
  class Directory;
  class NewFile;
  Result<std::unique_ptr<storage::Directory>> wrap(
      Result<std::unique_ptr<storage::Directory>> opened) const;

  Refuse refuse_;
};

class RefusingEnv::NewFile final : public storage::NewFile {
 public:
  NewFile(std::unique_ptr<storage::NewFile> inner, const Refuse& refuse)
      : inner_(std::move(inner)), refuse_(refuse) {}

  storage::File& content() override { return inner_->content(); }
  Status set_owner(std::uint32_t uid, std::uint32_t gid) override {
    DGFS_CHECK(ask("owner"));
    return inner_->set_owner(uid, gid);
  }
  Status set_mode(std::uint32_t mode) override {
    DGFS_CHECK(ask("mode"));
    return inner_->set_mode(mode);
  }
  Status set_times(std::optional<Time> access_time, Time modify_time) override {
    DGFS_CHECK(ask("times"));
    return inner_->set_times(access_time, modify_time);
  }
  Status set_xattr(std::string_view key, Bytes value) override {
    DGFS_CHECK(ask(key));
    return inner_->set_xattr(key, value);
  }
  Status remove_xattr(std::string_view key) override {
    DGFS_CHECK(ask("remove"));
    return inner_->remove_xattr(key);
  }
  Status link() override { return inner_->link(); }

 private:
  [[nodiscard]] Status ask(std::string_view attribute) {
    return refuse_(inner_->content().path(), attribute);
  }

  std::unique_ptr<storage::NewFile> inner_;
  const Refuse& refuse_;
};

class RefusingEnv::Directory final : public storage::Directory {
 public:
  Directory(std::unique_ptr<storage::Directory> inner, const RefusingEnv& env)
      : inner_(std::move(inner)), env_(env) {}

  Status each_name(const storage::NameSink& sink) const override { return inner_->each_name(sink); }
  Result<storage::FileStatus> status(std::string_view name) const override {
    return inner_->status(name);
  }
  Result<std::unique_ptr<storage::Directory>> open_directory(std::string_view name) const override {
    return env_.wrap(inner_->open_directory(name));
  }
  Result<std::unique_ptr<storage::File>> open_file(std::string_view name) const override {
    return inner_->open_file(name);
  }
  Result<std::string> read_link(std::string_view name) const override {
    return inner_->read_link(name);
  }
  Result<std::vector<Xattr>> xattrs(std::string_view name) const override {
    return inner_->xattrs(name);
  }
  Status make_directory(std::string_view name, std::uint32_t mode) override {
    return inner_->make_directory(name, mode);
  }
  Result<std::unique_ptr<storage::File>> create_file(std::string_view name,
                                                     std::uint32_t mode) override {
    return inner_->create_file(name, mode);
  }
  Result<std::unique_ptr<storage::NewFile>> create_unnamed(std::string_view name,
                                                           std::uint32_t mode) override {
    DGFS_TRY(file, inner_->create_unnamed(name, mode));
    return std::make_unique<NewFile>(std::move(file), env_.refuse_);
  }
  Status make_symlink(std::string_view name, std::string_view target) override {
    return inner_->make_symlink(name, target);
  }
  Status make_link(const storage::Directory& existing, std::string_view existing_name,
                   std::string_view name) override {
    return inner_->make_link(*dynamic_cast<const Directory&>(existing).inner_, existing_name, name);
  }
  Status make_node(std::string_view name, std::uint32_t mode, std::uint64_t rdev) override {
    DGFS_CHECK(ask(name, "node"));
    return inner_->make_node(name, mode, rdev);
  }
  Status set_owner(std::string_view name, std::uint32_t uid, std::uint32_t gid) override {
    DGFS_CHECK(ask(name, "owner"));
    return inner_->set_owner(name, uid, gid);
  }
  Status set_mode(std::string_view name, std::uint32_t mode) override {
    DGFS_CHECK(ask(name, "mode"));
    return inner_->set_mode(name, mode);
  }
  Status set_times(std::string_view name, std::optional<Time> access_time,
                   Time modify_time) override {
    DGFS_CHECK(ask(name, "times"));
    return inner_->set_times(name, access_time, modify_time);
  }
  Status set_xattr(std::string_view name, std::string_view key, Bytes value) override {
    DGFS_CHECK(ask(name, key));
    return inner_->set_xattr(name, key, value);
  }
  Status remove_xattr(std::string_view name, std::string_view key) override {
    DGFS_CHECK(ask(name, "remove"));
    return inner_->remove_xattr(name, key);
  }
  Status remove(std::string_view name) override { return inner_->remove(name); }
  Status sync() override { return inner_->sync(); }
  const std::string& path() const override { return inner_->path(); }

 private:
  [[nodiscard]] Status ask(std::string_view name, std::string_view attribute) const {
    return env_.refuse_(name.empty() ? path() : path() + '/' + std::string(name), attribute);
  }

  std::unique_ptr<storage::Directory> inner_;
  const RefusingEnv& env_;
};

inline Result<std::unique_ptr<storage::Directory>> RefusingEnv::wrap(
    Result<std::unique_ptr<storage::Directory>> opened) const {
  DGFS_TRY(directory, std::move(opened));
  return std::make_unique<Directory>(std::move(directory), *this);
}

}  // namespace dgfs::test
