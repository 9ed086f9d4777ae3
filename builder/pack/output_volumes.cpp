// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "builder/pack/output_volumes.h"

#include <algorithm>
#include <utility>

#include "format/limits.h"
#include "storage/posix/direct_writes.h"

namespace dgfs::builder {
namespace {

constexpr std::size_t kIndexCopyBytes = std::size_t{4} << 20;

Status copy_index(const storage::File& index, std::uint64_t index_bytes, const StopFlag& stop,
                  AppendFile& image) {
  Buffer buffer(static_cast<std::size_t>(std::min<std::uint64_t>(kIndexCopyBytes, index_bytes)));
  for (std::uint64_t at = 0; at < index_bytes; at += buffer.size()) {
    DGFS_CHECK(stop.check());
    const auto part = MutableBytes(buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(index_bytes - at, buffer.size())));
    DGFS_CHECK(storage::read_exactly(index, at, part));
    DGFS_CHECK(image.append(part));
  }
  return ok();
}

}  // namespace

Status OutputVolumes::open() {
  for (const std::string& path : paths_) {
    DGFS_TRY(file, env_.create_unnamed(storage::parent_path(path)));
    storage::write_past_cache(*file);
    files_.push_back(std::move(file));
  }
  return ok();
}

// The final share of each volume is known only after writing, so a failed reservation does not yet
// mean that a volume is too small.
Status OutputVolumes::reserve(std::uint64_t extent_bytes) {
  const std::uint64_t share = extent_bytes / count();
  for (std::size_t i = 0; i < count(); ++i) {
    auto reserved = files_[i]->preallocate(0, format::kPageBytes + share);
    const bool is_full = !reserved && reserved.error().kind() == ErrorKind::kNoSpace;
    if (!reserved && (count() == 1 || !is_full)) return named(std::move(reserved), i);
  }
  return ok();
}

AppendFiles& OutputVolumes::begin(std::size_t write_bytes) {
  for (std::size_t i = 0; i < count(); ++i) {
    data_.emplace_back(*files_[i], format::kPageBytes, write_bytes, paths_[i]);
  }
  return data_;
}

std::vector<format::VolumeRecord> OutputVolumes::records() const {
  std::vector<format::VolumeRecord> records;
  for (std::size_t i = 0; i < count(); ++i) {
    records.push_back(
        {static_cast<format::VolumeNumber>(i), data_[i].position(), storage::base_name(paths_[i])});
  }
  return records;
}

Result<std::vector<std::uint64_t>> OutputVolumes::finish(const format::Superblock& superblock,
                                                         const storage::File* index,
                                                         const StopFlag& stop) {
  std::vector<std::uint64_t> file_bytes;
  for (std::size_t i = 0; i < count(); ++i) {
    format::VolumeHeader header;
    header.incompat = superblock.incompat;
    header.image_uuid = superblock.uuid;
    header.number = static_cast<format::VolumeNumber>(i);
    header.data_end = data_[i].position();
    header.index_bytes = i == 0 && index != nullptr ? superblock.index_bytes : 0;
    DGFS_TRY(bytes, finish_volume(header, index, stop));
    file_bytes.push_back(bytes);
  }
  return file_bytes;
}

Result<std::uint64_t> OutputVolumes::finish_volume(format::VolumeHeader header,
                                                   const storage::File* index,
                                                   const StopFlag& stop) {
  AppendFile& data = data_[header.number];
  DGFS_CHECK(data.align(format::kPageBytes));
  if (header.index_bytes != 0) {
    header.index_offset = data.position();
    DGFS_CHECK(copy_index(*index, header.index_bytes, stop, data));
  }
  header.file_bytes = data.position() + format::kPageBytes;
  const Buffer page = format::encode_volume_header(header);
  DGFS_CHECK(data.append(page));
  DGFS_CHECK(data.flush());
  storage::File& file = *files_[header.number];
  DGFS_CHECK(named(file.write_at(0, page), header.number));
  // Frees reserved space that was not needed.
  DGFS_CHECK(named(file.truncate(header.file_bytes), header.number));
  return header.file_bytes;
}

Status OutputVolumes::named(Status status, std::size_t number) const {
  return with_path(std::move(status), paths_[number]);
}

}  // namespace dgfs::builder
