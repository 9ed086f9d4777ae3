// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Wraps another Env: an observer sees all calls of its files and directories before they are made,
// and makes the reads and writes itself. CountingEnv and FaultyEnv are two observers.
#pragma once

#include <memory>
#include <string>

#include "storage/env.h"
#include "storage/forwarding_env.h"

namespace dgfs::storage {

/// The effect of a call, as far as observers care.
enum class CallKind : std::uint8_t {
  kOpen,      ///< opens a file that exists
  kCreate,    ///< creates a file, and opens it
  kPublish,   ///< syncs a file and gives it a name
  kRead,      ///< reads content
  kWrite,     ///< writes content
  kSync,      ///< makes content or names durable
  kLink,      ///< gives an object a further name
  kAllocate,  ///< takes space in other ways: names, attributes, sizes
  kOther,     ///< attributes, lists, removal
};

/// Sees the calls of wrapped objects. This base class lets all of them through. Thread-safe.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  CallObserver() = default;
  CallObserver(const CallObserver&) = delete;
  CallObserver& operator=(const CallObserver&) = delete;

  /// Called before any call but a transfer. If it returns an error, the call is not made and fails
  /// with that error.
  [[nodiscard]] virtual Status before(CallKind /*kind*/, const std::string& /*path*/) {
    return ok();
  }
  /// Makes a read, as one I/O operation, by calling file.read_at; or returns an error instead.
  [[nodiscard]] virtual Result<std::size_t> read(const File& file, std::uint64_t offset_bytes,
                                                 std::span<const MutableBytes> outs,
                                                 const std::string& /*path*/) {
    return file.read_at(offset_bytes, outs);
  }
  [[nodiscard]] virtual Status write(File& file, std::uint64_t offset_bytes, Bytes data,
                                     const std::string& /*path*/) {
    return file.write_at(offset_bytes, data);
  }
  /// Finds data. This default treats it like any other call.
  [[nodiscard]] virtual Result<DataSegment> next_data(const File& file, std::uint64_t offset_bytes,
                                                      const std::string& path) {
    DGFS_CHECK(before(CallKind::kOther, path));
    return file.next_data(offset_bytes);
  }
};

/// `observer` must outlive the result.
[[nodiscard]] std::unique_ptr<File> wrap_file(std::unique_ptr<File> file, CallObserver& observer);
[[nodiscard]] std::unique_ptr<Directory> wrap_directory(std::unique_ptr<Directory> directory,
                                                        CallObserver& observer);
/// The file inside a wrapped one; null if `file` is not wrapped.
[[nodiscard]] File* unwrap_file(File& file);

/// An Env that passes its calls through `observer`, which must outlive it. Interface is Env,
/// CountingEnv or FaultyEnv.
template <class Interface>
class WrappedEnv : public EnvForwarder<Interface> {
 public:
  using EnvForwarder<Interface>::EnvForwarder;
  using EnvForwarder<Interface>::base;

  Result<std::unique_ptr<File>> open(const std::string& path, OpenOptions options) override {
    const bool creates = options.mode == OpenOptions::Mode::kCreateNew;
    DGFS_CHECK(observer().before(creates ? CallKind::kCreate : CallKind::kOpen, path));
    DGFS_TRY(file, base().open(path, options));
    return wrap_file(std::move(file), observer());
  }
  Result<std::unique_ptr<File>> create_unnamed(const std::string& directory_path) override {
    DGFS_CHECK(observer().before(CallKind::kCreate, kUnnamedPath));
    DGFS_TRY(file, base().create_unnamed(directory_path));
    return wrap_file(std::move(file), observer());
  }
  Status publish(File& file, const std::string& path, std::uint32_t mode) override {
    File* inner = unwrap_file(file);
    DGFS_CHECK(observer().before(CallKind::kPublish, path));
    return base().publish(inner == nullptr ? file : *inner, path, mode);
  }
  Status rename(const std::string& from, const std::string& to) override {
    DGFS_CHECK(observer().before(CallKind::kAllocate, from));
    return base().rename(from, to);
  }
  Status remove(const std::string& path) override {
    DGFS_CHECK(observer().before(CallKind::kOther, path));
    return base().remove(path);
  }
  Result<FileStatus> status(const std::string& path) const override {
    DGFS_CHECK(observer().before(CallKind::kOther, path));
    return base().status(path);
  }
  Status make_directory(const std::string& path, std::uint32_t mode) override {
    DGFS_CHECK(observer().before(CallKind::kAllocate, path));
    return base().make_directory(path, mode);
  }
  Result<std::unique_ptr<Directory>> open_directory(const std::string& path) override {
    DGFS_CHECK(observer().before(CallKind::kOther, path));
    DGFS_TRY(directory, base().open_directory(path));
    return wrap_directory(std::move(directory), observer());
  }
  Status sync_directory(const std::string& path) override {
    DGFS_CHECK(observer().before(CallKind::kSync, path));
    return base().sync_directory(path);
  }

 protected:
  static constexpr const char* kUnnamedPath = "(unnamed)";
  [[nodiscard]] virtual CallObserver& observer() const = 0;
};

}  // namespace dgfs::storage
