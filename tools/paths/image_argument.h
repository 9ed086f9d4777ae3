// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The IMAGE operand and the options that go with it.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reader/image.h"
#include "tools/cli/option_parser.h"
#include "tools/cli/session.h"

namespace dgfs::tools {

struct ImageOptions {
  std::optional<std::string> index_path;
  std::vector<std::string> volume_paths;
  bool volumes_of_others = false;  ///< volume_paths may also name volumes of another image

  /// Adds --index and --volume; *this must outlive the parse.
  void add_to(OptionParser& options);
  /// The options for opening the image; warnings go to the session's error output.
  [[nodiscard]] reader::OpenOptions open_options(const Session& session) const;
};

/// Warns of each --volume that belongs to none of the images. Skips null images.
void warn_of_volumes(const Session& session, const std::vector<std::string>& volume_paths,
                     std::initializer_list<const reader::Image*> images);

/// Opens the image, or reports why it cannot (then null; the exit code is kExitFailed).
[[nodiscard]] std::unique_ptr<const reader::Image> open_image(const Session& session,
                                                              const std::string& path,
                                                              const ImageOptions& options);

}  // namespace dgfs::tools
