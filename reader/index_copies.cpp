// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index_copies.h"

#include <fmt/format.h>

#include <utility>

#include "format/header/header_page.h"

namespace dgfs::reader {
namespace {

Error not_the_index(const std::string& index_path, const IndexCopy& copy,
                    const FoundVolume& image) {
  return Error(ErrorKind::kInvalidArgument, 3101,
               fmt::format("the index of another image (uuid {}, but {} has uuid {})",
                           format::uuid_text(copy.superblock().uuid), image.file->path(),
                           format::uuid_text(image.header.image_uuid)))
      .in_file(index_path);
}

}  // namespace

bool is_damage(const Error& error) {
  return error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kIo;
}

Result<MaybeCopy> open_trailing(const FoundVolume& image) {
  const auto& header = image.header;
  if (header.index_offset == 0) return MaybeCopy();
  DGFS_TRY(copy, IndexCopy::open(image.file, header.index_offset));
  if (copy.superblock().uuid != header.image_uuid ||
      copy.superblock().index_bytes != header.index_bytes) {
    return Error(ErrorKind::kCorrupt, 3100, "not the index that the image's header names")
        .in_file(image.file->path())
        .in_section("superblock")
        .at_offset(header.index_offset);
  }
  return MaybeCopy(std::move(copy));
}

Result<SecondCopy> open_trailing_second(const FoundVolume& image, const IndexCopy& first) {
  auto trailing = open_trailing(image);
  if (trailing) return SecondCopy{std::move(trailing).assume_value(), {}};
  const auto& header = image.header;
  const auto& superblock = first.superblock();
  if (!is_damage(trailing.assume_error()) || superblock.index_bytes != header.index_bytes) {
    return std::move(trailing).assume_error();
  }
  return SecondCopy{IndexCopy::adopt(image.file, header.index_offset, superblock),
                    std::move(trailing).assume_error()};
}

Result<MaybeCopy> open_separate(storage::Env& env, const FoundVolume& image,
                                const std::string& index_path, bool asked_for) {
  auto opened = env.open(index_path);
  if (!opened) {
    if (!asked_for && opened.assume_error().kind() == ErrorKind::kNotFound) return MaybeCopy();
    return std::move(opened).assume_error();
  }
  DGFS_TRY(copy, IndexCopy::open(std::move(opened).assume_value(), 0));
  if (copy.superblock().uuid != image.header.image_uuid) {
    return not_the_index(index_path, copy, image);
  }
  return MaybeCopy(std::move(copy));
}

Result<SecondCopy> open_separate_second(storage::Env& env, const std::string& index_path,
                                        const Error& damage, const IndexCopy& first) {
  SecondCopy second{{}, damage};
  auto opened = env.open(index_path);
  if (!opened || !is_damage(damage)) return second;
  std::shared_ptr<storage::File> file = std::move(opened).assume_value();
  format::Uuid uuid{};
  const auto read = storage::read_exactly(*file, format::kHeaderUuidOffset, uuid);
  if (read && uuid == first.superblock().uuid) {
    second.copy = IndexCopy::adopt(std::move(file), 0, first.superblock());
  }
  return second;
}

}  // namespace dgfs::reader
