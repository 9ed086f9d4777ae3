// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Checks the names in a delta, and repairs them, for dgfs delta check.
#pragma once

#include <optional>
#include <string>

#include "delta/store/directory/delta_directory.h"
#include "delta/view/check/namespace_finding.h"
#include "reader/image.h"
#include "tools/cli/report_cap.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

/// One check. Prints a line for each broken place, and the total at the end.
class NamesCheck {
 public:
  struct Options {
    bool json = false;
    bool quiet = false;
    bool repairs = false;
    std::optional<std::string> as_of = {};  ///< checks a state; none: the newest
  };

  /// @param session  must outlive the object
  NamesCheck(const Session& session, const Options& options)
      : session_(session), options_(options) {}

  /// @param directory  the delta; it must not be open, unless a state is checked
  /// @param image      the delta's image, or its base; a different one is refused
  /// @param open       how to open the base, if there is one
  /// Returns the exit code: kExitFailed also if something is broken and not mended.
  [[nodiscard]] int run(const std::string& directory, std::shared_ptr<const reader::Image> image,
                        const std::string& image_path, const reader::OpenOptions& open);

 private:
  [[nodiscard]] Status check(const reader::Image& image, delta::DeltaDirectory& delta);
  void tell(const view::Finding& finding, const std::optional<std::string>& action);
  void tell_sum() const;

  const Session& session_;
  const Options options_;
  ReportCap cap_;
  std::uint64_t broken_ = 0;
  bool is_mended_ = false;
};

}  // namespace dgfs::tools
