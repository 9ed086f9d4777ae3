// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Shows or checks a delta with all its stores, or a single store, for dgfs delta info and check.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "delta/store/directory/delta_directory.h"
#include "tools/cli/session.h"
#include "tools/delta/store_command.h"
#include "tools/paths/image_argument.h"

namespace dgfs::tools {

/// A value.
struct StackCommandOptions {
  StoreCommandOptions stores = {};
  std::optional<std::string> image = {};  ///< a check also compares the names with it
  ImageOptions image_options = {};
  bool repairs = false;  ///< the check mends broken names; needs the image
};

/// One report.
class StackCommand {
 public:
  /// @param session    must outlive the object
  /// @param directory  a delta, or a store
  StackCommand(const Session& session, std::string directory, StackCommandOptions options)
      : session_(session), directory_(std::move(directory)), options_(std::move(options)) {}

  /// Prints facts. Returns the exit code.
  [[nodiscard]] int info();
  /// Reads all stores, and then compares names. Returns the exit code.
  [[nodiscard]] int check();
  /// Checks the layers of a state of the delta, also while it is mounted, and their names. Returns
  /// the exit code.
  [[nodiscard]] int check_state(const std::string& state);

 private:
  enum class Report { kInfo, kCheck };

  [[nodiscard]] Result<std::optional<delta::LockedManifest>> find_manifest() const;
  [[nodiscard]] int show_stack(const delta::LockedManifest& locked, Report report);
  void show_manifest(const delta::LockedManifest& locked, Report report) const;
  [[nodiscard]] int show_stores(const delta::Manifest& manifest, std::size_t stores, Report report);
  [[nodiscard]] int check_base(const delta::Manifest& manifest) const;
  [[nodiscard]] int check_names(const std::optional<std::string>& as_of);
  [[nodiscard]] Status wait_for_layers(std::size_t layers) const;

  const Session& session_;
  const std::string directory_;
  const StackCommandOptions options_;
};

}  // namespace dgfs::tools
