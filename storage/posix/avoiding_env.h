// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// AvoidingEnv: an Env that opens nothing through one mount. A server must not look up paths through
// its own mount: it would wait for itself.
#pragma once

#include <atomic>
#include <cstdint>

#include "storage/forwarding_env.h"

namespace dgfs::storage {

/// Thread-safe. Files and directories that were opened before go on working.
class AvoidingEnv final : public ForwardingEnv {
 public:
  using ForwardingEnv::ForwardingEnv;

  /// From now on, calls with a path that leads into this file system fail (kNotFound).
  /// @param device  as MountIdentity::device
  void avoid(std::uint64_t device) noexcept { device_ = device; }

  using Env::open;
  Result<std::unique_ptr<File>> open(const std::string& path, OpenOptions options) override;
  Result<std::unique_ptr<File>> create_unnamed(const std::string& directory) override;
  Status publish(File& file, const std::string& path, std::uint32_t mode) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Result<FileStatus> status(const std::string& path) const override;
  Status make_directory(const std::string& path, std::uint32_t mode) override;
  Result<std::unique_ptr<Directory>> open_directory(const std::string& path) override;
  Status sync_directory(const std::string& path) override;

 private:
  [[nodiscard]] Status check(const std::string& path) const;

  std::atomic<std::uint64_t> device_ = 0;  ///< 0: none; no file system has that number
};

}  // namespace dgfs::storage
