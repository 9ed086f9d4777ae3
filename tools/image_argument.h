// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The IMAGE operand and the options that go with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reader/image.h"
#include "tools/command.h"

namespace dgfs::tools {

struct ImageOptions {
  std::optional<std::string> index_path;
  std::vector<std::string> volume_paths;

  /// Adds --index and --volume; *this must outlive the parse.
  void add_to(OptionParser& options);
  /// What the reader wants; warnings go to the session's error output.
  [[nodiscard]] reader::OpenOptions open_options(const Session& session) const;
};

/// Opens the image or reports why not (then null; the exit code is kExitFailed).
[[nodiscard]] std::unique_ptr<const reader::Image> open_image(const Session& session,
                                                              const std::string& path,
                                                              const ImageOptions& options);

}  // namespace dgfs::tools
