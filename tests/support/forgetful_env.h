// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An Env whose directories show inode numbers as file systems do that make numbers up: a new one
// each time, or one that several objects share in turn. Directories are only for reading.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/entry/mode.h"
#include "storage/forwarding_env.h"
#include "storage/source_traits.h"

namespace dgfs::test {

class ForgetfulEnv final : public storage::EnvForwarder<storage::Env> {
 public:
  enum class Numbers : std::uint8_t {
    kNew,   ///< each call shows a number that no call has shown before
    kSame,  ///< all objects show one number, and files claim to have two names
  };

  /// @param root  path of the directory below which numbers are made up
  ForgetfulEnv(storage::Env& base, std::string root, Numbers numbers)
      : EnvForwarder(base), root_(std::move(root)), numbers_(numbers) {}

  Result<std::unique_ptr<storage::Directory>> open_directory(const std::string& path) override {
    DGFS_TRY(inner, base().open_directory(path));
    if (path != root_) return std::move(inner);
    return std::unique_ptr<storage::Directory>(
        std::make_unique<ForgetfulDirectory>(std::move(inner), *this));
  }

 private:
  storage::FileStatus renumbered(storage::FileStatus status) {
    if (numbers_ == Numbers::kNew) {
      status.inode = ++next_;
    } else {
      status.inode = 7;
      if (!format::is_directory(status.mode)) status.link_count = 2;
    }
    return status;
  }

  class ForgetfulFile final : public storage::ForwardingFile {
   public:
    ForgetfulFile(std::unique_ptr<storage::File> inner, ForgetfulEnv& env)
        : ForwardingFile(std::move(inner)), env_(env) {}
    Result<storage::FileStatus> status() const override {
      DGFS_TRY(status, ForwardingFile::status());
      return env_.renumbered(status);
    }

   private:
    ForgetfulEnv& env_;
  };

  class ForgetfulDirectory final : public storage::Directory, public storage::DirectoryTraits {
   public:
    ForgetfulDirectory(std::unique_ptr<storage::Directory> inner, ForgetfulEnv& env)
        : inner_(std::move(inner)), env_(env) {}

    Status each_name(const storage::NameSink& sink) const override {
      return inner_->each_name(sink);
    }
    Result<storage::FileStatus> status(std::string_view name) const override {
      DGFS_TRY(status, inner_->status(name));
      return env_.renumbered(status);
    }
    Result<std::unique_ptr<storage::Directory>> open_directory(
        std::string_view name) const override {
      DGFS_TRY(inner, inner_->open_directory(name));
      return std::unique_ptr<storage::Directory>(
          std::make_unique<ForgetfulDirectory>(std::move(inner), env_));
    }
    Result<std::unique_ptr<storage::File>> open_file(std::string_view name) const override {
      DGFS_TRY(inner, inner_->open_file(name));
      return std::unique_ptr<storage::File>(
          std::make_unique<ForgetfulFile>(std::move(inner), env_));
    }
    Result<std::string> read_link(std::string_view name) const override {
      return inner_->read_link(name);
    }
    Result<std::vector<Xattr>> xattrs(std::string_view name) const override {
      return inner_->xattrs(name);
    }
    std::vector<Xattr> readable_xattrs(std::string_view name,
                                       std::vector<Error>& unreadable) const override {
      return storage::readable_xattrs(*inner_, name, unreadable);
    }
    bool keeps_inode_numbers() const override { return false; }

    Status make_directory(std::string_view, std::uint32_t) override { return refusal(); }
    Result<std::unique_ptr<storage::File>> create_file(std::string_view, std::uint32_t) override {
      return refusal();
    }
    Result<std::unique_ptr<storage::NewFile>> create_unnamed(std::string_view,
                                                             std::uint32_t) override {
      return refusal();
    }
    Status make_symlink(std::string_view, std::string_view) override { return refusal(); }
    Status make_link(const storage::Directory&, std::string_view, std::string_view) override {
      return refusal();
    }
    Status make_node(std::string_view, std::uint32_t, std::uint64_t) override { return refusal(); }
    Status set_owner(std::string_view, std::uint32_t, std::uint32_t) override { return refusal(); }
    Status set_mode(std::string_view, std::uint32_t) override { return refusal(); }
    Status set_times(std::string_view, std::optional<Time>, Time) override { return refusal(); }
    Status set_xattr(std::string_view, std::string_view, Bytes) override { return refusal(); }
    Status remove_xattr(std::string_view, std::string_view) override { return refusal(); }
    Status remove(std::string_view) override { return refusal(); }
    Status sync() override { return refusal(); }
    const std::string& path() const override { return inner_->path(); }

   private:
    static Error refusal() { return Error(ErrorKind::kUnsupported, 1, "only for reading"); }

    std::unique_ptr<storage::Directory> inner_;
    ForgetfulEnv& env_;
  };

  std::string root_;
  Numbers numbers_;
  std::atomic<std::uint64_t> next_ = 1'000'000;
};

}  // namespace dgfs::test
