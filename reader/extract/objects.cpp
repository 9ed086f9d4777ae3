// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/extract/objects.h"

#include "reader/image.h"

#include <algorithm>
#include <utility>

#include "format/entry/mode.h"
#include "reader/extract/existing.h"
#include "reader/extract/intact_contents.h"
#include "storage/names.h"

namespace dgfs::reader {
namespace {

constexpr std::size_t kCopyChunkBytes = std::size_t{1} << 20;
// Keeps other users out until the attributes are restored.
constexpr std::uint32_t kPrivateFile = 0600;

// Naming the complete file also fails if the name is taken. This check saves writing a large file
// in vain.
Status check_free(const storage::Directory& directory, std::string_view name) {
  const auto status = directory.status(name);
  if (!status && status.error().kind() == ErrorKind::kNotFound) return ok();
  if (!status) return status.error();
  return Error(ErrorKind::kExists, 3143, "exists already")
      .in_file(storage::join_path(directory.path(), name));
}

}  // namespace

Status ObjectMaker::make(const Node& node, storage::Directory& directory, std::string_view name,
                         const std::string& path, bool& refused) const {
  if (format::is_regular(node.mode)) return make_file(node, directory, name, path);
  DGFS_CHECK(make_over(choice_.existing, directory, name,
                       [&]() -> Status { return make_special(node, directory, name, refused); }));
  auto restored = restore_metadata(image_, node, directory, name, choice_, loser_of(path));
  if (!restored) static_cast<void>(directory.remove(name));  // the first error is returned
  return restored;
}

Status ObjectMaker::make_special(const Node& node, storage::Directory& directory,
                                 std::string_view name, bool& refused) const {
  if (format::is_symlink(node.mode)) {
    DGFS_TRY(target, image_.read_link(node));
    return directory.make_symlink(name, target);
  }
  auto made = directory.make_node(name, format::type_of(node.mode) | kPrivateFile, node.rdev);
  refused =
      format::is_device(node.mode) && !made && made.assume_error().kind() == ErrorKind::kPermission;
  return made;
}

LoseAttribute ObjectMaker::loser_of(const std::string& path) const {
  return [this, &path](const LostAttribute& attribute, const Error& error) {
    return log_.lose_attribute(path, attribute, error);
  };
}

Status ObjectMaker::make_file(const Node& node, storage::Directory& directory,
                              std::string_view name, const std::string& path) const {
  if (node.size_bytes > kCopyChunkBytes && choice_.existing != ExistingNames::kReplace) {
    DGFS_CHECK(check_free(directory, name));
  }
  DGFS_TRY(file, directory.create_unnamed(name, kPrivateFile));
  if (log_.wants_lost_ranges()) {
    DGFS_CHECK(save_contents(node, file->content(), path));
  } else {
    DGFS_CHECK(write_contents(node, file->content()));
  }
  DGFS_CHECK(restore_metadata(image_, node, *file, choice_, loser_of(path)));
  return make_over(choice_.existing, directory, name, [&] { return file->link(); });
}

Status ObjectMaker::write_contents(const Node& node, storage::File& file) const {
  DGFS_TRY(map, image_.sparse_map(node));
  const bool has_holes = map.has_value();
  const auto data = std::move(map).value_or(format::SparseMap::whole(node.size_bytes));
  Buffer buffer(
      static_cast<std::size_t>(std::min<std::uint64_t>(kCopyChunkBytes, node.size_bytes)));
  for (const auto& segment : data.segments()) {
    DGFS_CHECK(write_segment(node, segment, buffer, file));
  }
  return has_holes ? file.truncate(node.size_bytes) : Status(ok());
}

Status ObjectMaker::save_contents(const Node& node, storage::File& file,
                                  const std::string& path) const {
  const IntactContents::Take take = [&](std::uint64_t offset, Bytes bytes) -> Status {
    if (log_.ended()) return Error(ErrorKind::kInterrupted, 3144, "interrupted");
    log_.add_content(bytes.size());
    return file.write_at(offset, bytes);
  };
  IntactContents contents(image_, node, take, [&](const LostRange& range, const Error& error) {
    log_.lose_range(path, range, error);
  });
  DGFS_CHECK(contents.read());
  if (contents.lost_bytes() != 0) {
    if (!log_.writes_parts()) return contents.check_complete();
    log_.add_partial_file();
  }
  return file.truncate(node.size_bytes);
}

Status ObjectMaker::write_segment(const Node& node, const format::SparseMap::Segment& segment,
                                  MutableBytes buffer, storage::File& file) const {
  for (std::uint64_t at = 0; at < segment.length; at += kCopyChunkBytes) {
    if (log_.ended()) return Error(ErrorKind::kInterrupted, 3141, "interrupted");
    const auto length = std::min<std::uint64_t>(kCopyChunkBytes, segment.length - at);
    const auto chunk = buffer.first(static_cast<std::size_t>(length));
    DGFS_CHECK(image_.read(node, segment.begin + at, chunk));
    DGFS_CHECK(file.write_at(segment.begin + at, chunk));
    log_.add_content(length);
  }
  return ok();
}

}  // namespace dgfs::reader
