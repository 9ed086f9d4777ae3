// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Shows or checks one store, for dgfs delta info and check.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "delta/store/directory/manifest.h"
#include "delta/store/store_check.h"
#include "tools/cli/report_cap.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// What dgfs delta info and check print. A value.
struct StoreCommandOptions {
  bool json = false;
  bool quiet = false;
  bool scan = false;  ///< info also reads all blocks
};

/// The place of a store in a delta. A value.
struct StackPlace {
  std::string directory;  ///< the delta
  delta::Manifest manifest;
  std::size_t index = 0;  ///< of the store in the manifest

  [[nodiscard]] const delta::StackedStore& store() const { return manifest.stores[index]; }
  [[nodiscard]] std::string path() const { return directory + "/" + store().name(); }
  /// "1 of 2, from object 1001 and batch 1 on".
  [[nodiscard]] std::string text() const;
};

/// One report.
class StoreCommand {
 public:
  /// For a store by itself.
  /// @param session  must outlive the object
  StoreCommand(const Session& session, std::string directory, const StoreCommandOptions& options)
      : session_(session), directory_(std::move(directory)), options_(options) {}
  /// For a store that is part of a delta, which also has to fit there.
  StoreCommand(const Session& session, const StackPlace& place, const StoreCommandOptions& options)
      : session_(session), directory_(place.path()), options_(options), place_(place) {}

  /// Prints facts to the output, damage to the error output. Returns the exit code.
  [[nodiscard]] int info();
  /// Reads everything, and prints damage and a summary. Returns the exit code.
  [[nodiscard]] int check();

 private:
  [[nodiscard]] Status check_place(const delta::StoreReport& report) const;
  void add_place(JsonObject& object) const;
  [[nodiscard]] std::string label() const { return place_ ? place_->store().name() + ": " : ""; }
  [[nodiscard]] Result<delta::StoreReport> walk(bool reads_runs,
                                                const delta::Damage::Sink& damaged) const;
  void tell(const Error& error);

  const Session& session_;
  const std::string directory_;
  const StoreCommandOptions options_;
  const std::optional<StackPlace> place_;  ///< none: a store by itself
  ReportCap cap_;
};

}  // namespace dgfs::tools
