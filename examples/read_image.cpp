// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// read_image IMAGE PATH: prints a file of an image, or the names in a directory.
#include <iostream>

#include "format/entry/mode.h"
#include "reader/image.h"
#include "storage/posix/env.h"

namespace {

// A Status is void or an Error; DGFS_TRY and DGFS_CHECK pass an Error on to the caller.
dgfs::Status show(const std::string& image_path, const std::string& path) {
  const auto env = dgfs::storage::make_posix_env();  // must outlive the image
  DGFS_TRY(image, dgfs::reader::Image::open(*env, image_path));
  DGFS_TRY(node, image->lookup(path));
  if (dgfs::format::is_directory(node.mode)) {
    return image->list(node.inode, 0, [](const dgfs::reader::ListedName& listed) {
      std::cout << listed.name << '\n';  // the name is valid during the call
      return true;                       // go on
    });
  }
  dgfs::Buffer piece(std::size_t{1} << 20);
  for (std::uint64_t offset = 0; offset < node.size_bytes;) {
    DGFS_TRY(read_bytes, image->read(node, offset, piece));
    std::cout << dgfs::as_text(dgfs::Bytes(piece).first(read_bytes));
    offset += read_bytes;
  }
  return dgfs::ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const dgfs::Status shown = show(argv[1], argv[2]);
  if (shown) return 0;
  std::cerr << argv[2] << ": " << shown.error().message() << '\n';
  return shown.error().kind() == dgfs::ErrorKind::kNotFound ? 3 : 1;
}
