// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// An Env that calls back before each operation, so that a test can change the tree at a chosen
// moment of a build.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "storage/wrapped.h"

namespace dgfs::test {

class HookEnv final : public storage::WrappedEnv<storage::Env> {
 public:
  /// Called before each operation, with its kind and path; an error that it returns replaces the
  /// operation. May be called from any thread.
  using Hook = std::function<Status(storage::CallKind, const std::string&)>;

  HookEnv(storage::Env& base, Hook hook) : WrappedEnv(base), observer_(std::move(hook)) {}

 protected:
  [[nodiscard]] storage::CallObserver& observer() const override { return observer_; }

 private:
  class Observer final : public storage::CallObserver {
   public:
    explicit Observer(Hook hook) : hook_(std::move(hook)) {}
    Status before(storage::CallKind kind, const std::string& path) override {
      return hook_(kind, path);
    }
    Result<std::size_t> read(const storage::File& file, std::uint64_t offset_bytes,
                             std::span<const MutableBytes> outs, const std::string& path) override {
      DGFS_CHECK(hook_(storage::CallKind::kRead, path));
      return file.read_at(offset_bytes, outs);
    }
    Status write(storage::File& file, std::uint64_t offset_bytes, Bytes data,
                 const std::string& path) override {
      DGFS_CHECK(hook_(storage::CallKind::kWrite, path));
      return file.write_at(offset_bytes, data);
    }

   private:
    Hook hook_;
  };

  mutable Observer observer_;
};

}  // namespace dgfs::test
