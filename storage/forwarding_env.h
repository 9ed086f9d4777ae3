// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An Env and a File that forward calls: bases for classes that change one thing. They are as
// thread-safe as the object to which they forward.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/env.h"
#include "storage/original_file.h"

namespace dgfs::storage {

/// Forwards to another Env.
/// @tparam Interface  Env, or an interface derived from it; the derived class implements the
///                    methods that Env does not have
template <class Interface>
class EnvForwarder : public Interface {
 public:
  /// @param base  must outlive this
  explicit EnvForwarder(Env& base) : base_(base) {}

  using Interface::open;
  Result<std::unique_ptr<File>> open(const std::string& path, OpenOptions options) override {
    return base_.open(path, options);
  }
  Result<std::unique_ptr<File>> create_unnamed(const std::string& directory) override {
    return base_.create_unnamed(directory);
  }
  Status publish(File& file, const std::string& path, std::uint32_t mode) override {
    return base_.publish(file, path, mode);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return base_.rename(from, to);
  }
  Status remove(const std::string& path) override { return base_.remove(path); }
  Result<FileStatus> status(const std::string& path) const override { return base_.status(path); }
  Status make_directory(const std::string& path, std::uint32_t mode) override {
    return base_.make_directory(path, mode);
  }
  Result<std::unique_ptr<Directory>> open_directory(const std::string& path) override {
    return base_.open_directory(path);
  }
  Status sync_directory(const std::string& path) override { return base_.sync_directory(path); }
  Time now() const override { return base_.now(); }
  std::uint64_t monotonic_ns() const override { return base_.monotonic_ns(); }
  void random(MutableBytes out) override { base_.random(out); }
  std::optional<std::string> variable(const std::string& name) const override {
    return base_.variable(name);
  }
  unsigned processor_count() const override { return base_.processor_count(); }
  std::uint32_t user_id() const override { return base_.user_id(); }
  Caller caller() const override { return base_.caller(); }
  std::uint64_t process_id() const override { return base_.process_id(); }

 protected:
  [[nodiscard]] Env& base() const { return base_; }

 private:
  Env& base_;
};

using ForwardingEnv = EnvForwarder<Env>;

/// Forwards to another File, which it owns. Calls that a wrapping file must see as read_at or
/// write_at (File::read_at_hand, File::write_gathered) are not forwarded.
class ForwardingFile : public File, public OriginalFile {
 public:
  explicit ForwardingFile(std::unique_ptr<File> inner) : inner_(std::move(inner)) {}

  Result<std::size_t> read_at(std::uint64_t offset_bytes, MutableBytes out) const override {
    return inner_->read_at(offset_bytes, out);
  }
  Result<std::size_t> read_at(std::uint64_t offset_bytes,
                              std::span<const MutableBytes> outs) const override {
    return inner_->read_at(offset_bytes, outs);
  }
  Status write_at(std::uint64_t offset_bytes, Bytes data) override {
    return inner_->write_at(offset_bytes, data);
  }
  Result<std::uint64_t> size() const override { return inner_->size(); }
  Result<FileStatus> status() const override { return inner_->status(); }
  std::optional<FileIdentity> identity() const override { return identity_of(*inner_); }
  Status truncate(std::uint64_t size_bytes) override { return inner_->truncate(size_bytes); }
  Status preallocate(std::uint64_t begin_bytes, std::uint64_t end_bytes) override {
    return inner_->preallocate(begin_bytes, end_bytes);
  }
  Status punch(std::uint64_t begin_bytes, std::uint64_t end_bytes) override {
    return inner_->punch(begin_bytes, end_bytes);
  }
  Result<std::uint64_t> free_bytes() const override { return inner_->free_bytes(); }
  Status sync() override { return inner_->sync(); }
  Status lock() override { return inner_->lock(); }
  Status lock_shared() override { return inner_->lock_shared(); }
  std::vector<LockHolder> lock_holders() const override { return inner_->lock_holders(); }
  bool may_be_open_elsewhere() override { return storage::may_be_open_elsewhere(*inner_); }
  Result<DataSegment> next_data(std::uint64_t offset_bytes) const override {
    return inner_->next_data(offset_bytes);
  }
  void advise(Access access, std::uint64_t offset_bytes, std::uint64_t length_bytes) override {
    inner_->advise(access, offset_bytes, length_bytes);
  }
  Result<std::vector<Xattr>> xattrs() const override { return inner_->xattrs(); }
  const std::string& path() const override { return inner_->path(); }

  [[nodiscard]] File& inner() { return *inner_; }

 private:
  std::unique_ptr<File> inner_;
};

}  // namespace dgfs::storage
