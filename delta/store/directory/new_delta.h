// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// NewDelta: a delta that its process has just made. It goes again unless it comes into use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "delta/store/directory/delta_directory.h"
#include "storage/env.h"

namespace dgfs::delta {

/// Moved, not copied. For one thread. The delta must be closed before the object ends.
class NewDelta {
 public:
  NewDelta(NewDelta&& other) noexcept
      : env_(other.env_),
        path_(std::move(other.path_)),
        mode_(other.mode_),
        is_kept_(std::exchange(other.is_kept_, true)) {}
  NewDelta& operator=(NewDelta&&) = delete;
  NewDelta(const NewDelta&) = delete;
  NewDelta& operator=(const NewDelta&) = delete;
  /// Removes the delta, unless it was kept, holds a change, or is open in another process. The
  /// directory goes as well if it was made, and else gets its mode back.
  ~NewDelta();

  /// Makes a delta if there is room for one (is_vacant()). none: there is not. After an error
  /// nothing is left.
  /// @param env  must outlive the result
  /// Errors: those of is_vacant() and DeltaDirectory::create().
  [[nodiscard]] static Result<std::optional<NewDelta>> make_if_vacant(storage::Env& env,
                                                                      const std::string& path,
                                                                      const format::Uuid& image,
                                                                      std::uint64_t born_object,
                                                                      const StoreOptions& options);
  /// The delta stays.
  void keep() noexcept { is_kept_ = true; }

 private:
  NewDelta(storage::Env& env, std::string path, std::optional<std::uint32_t> mode)
      : env_(&env), path_(std::move(path)), mode_(mode) {}
  [[nodiscard]] Status remove() const;

  storage::Env* env_;
  std::string path_;
  std::optional<std::uint32_t> mode_;  ///< that the directory had; none: it was made
  bool is_kept_ = false;
};

/// Whether a directory is missing, or empty, or has only what an interrupted attempt to make a
/// delta leaves: a store without a manifest that was never written to, the name of a socket. Any
/// other store without a manifest may be all that is left of a delta, so nothing may be made over
/// it. Errors: those of reading the directory.
[[nodiscard]] Result<bool> is_vacant(storage::Env& env, const std::string& directory);

}  // namespace dgfs::delta
