// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/paths/image_argument.h"

namespace dgfs::tools {

void ImageOptions::add_to(OptionParser& options) {
  options.value("--index", "FILE", "Use this index instead of IMAGE.idx", index_path);
  options.values("--volume", "FILE",
                 "Path of a further volume, or of the directory it lies in (can be repeated)",
                 volume_paths);
}

reader::OpenOptions ImageOptions::open_options(const Session& session) const {
  reader::OpenOptions open;
  open.index_path = index_path;
  open.volume_paths = volume_paths;
  open.warn = [&session](const Error& error) { session.complain("warning: " + error.message()); };
  return open;
}

void warn_of_volumes(const Session& session, const std::vector<std::string>& volume_paths,
                     std::initializer_list<const reader::Image*> images) {
  for (const auto& path : volume_paths) {
    std::optional<Error> foreign;
    for (const auto* image : images) {
      if (image == nullptr) continue;
      const auto status = image->check_is_volume(path);
      if (status) {
        foreign.reset();
        break;
      }
      foreign = status.error();
    }
    if (foreign) session.complain("warning: --volume is not used: " + foreign->message());
  }
}

std::unique_ptr<const reader::Image> open_image(const Session& session, const std::string& path,
                                                const ImageOptions& options) {
  auto image = reader::Image::open(session.env(), path, options.open_options(session));
  if (image) {
    if (!options.volumes_of_others) {
      warn_of_volumes(session, options.volume_paths, {image.value().get()});
    }
    return std::move(image).value();
  }
  static_cast<void>(session.fail(image.error()));
  return nullptr;
}

}  // namespace dgfs::tools
