// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An Env with a generated tree at one path, for builder::ImageBuilder to pack. In images, the space
// reserved for contents stays a hole.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "bench/hundred_million/generated_tree.h"
#include "storage/forwarding_env.h"

namespace dgfs::bench {

/// Thread-safe.
class GeneratedEnv final : public storage::ForwardingEnv {
 public:
  /// @param base, tree  must outlive the object
  /// @param source      path of the tree
  GeneratedEnv(storage::Env& base, const GeneratedTree& tree, std::string source)
      : storage::ForwardingEnv(base), tree_(tree), source_(std::move(source)) {}

  Result<std::unique_ptr<storage::Directory>> open_directory(const std::string& path) override;
  Result<std::unique_ptr<storage::File>> create_unnamed(const std::string& directory) override;
  Status publish(storage::File& file, const std::string& path, std::uint32_t mode) override;

  /// Bytes written so far to files without a name, except contents of images.
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  const GeneratedTree& tree_;
  std::string source_;
  std::atomic<std::uint64_t> written_bytes_{0};
};

}  // namespace dgfs::bench
