// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Contents of files of a ModelTree.
#include <algorithm>

#include "delta/view/record/attributes_record.h"
#include "tests/delta/view/model/model_tree.h"

namespace dgfs::test {
namespace {

std::uint64_t blocks_of(std::uint64_t bytes) {
  return (bytes + view::kBlockBytes - 1) / view::kBlockBytes;
}

}  // namespace

Answer<void> ModelTree::check_file(ModelId id) const {
  DGFS_TRY(object, find(id));
  const auto mode = object->attributes.mode;
  if (format::is_directory(mode)) return ErrorKind::kIsDirectory;
  if (!format::is_regular(mode)) return ErrorKind::kInvalidArgument;
  return boost::outcome_v2::success();
}

void ModelTree::touch_content(ModelObject& object) const {
  auto& attributes = object.attributes;
  attributes.mtime = attributes.ctime = now_;
  attributes.size_bytes = object.content.size();
  attributes.blocks = std::min(object.blocks, view::blocks_max(attributes.size_bytes));
}

// Zeros written to the last chunk count as a block.
void ModelTree::resize(ModelObject& object, std::uint64_t size_bytes) const {
  const auto least = size_bytes < object.content.size() && size_bytes % kChunkBytes != 0 ? 1U : 0U;
  object.content.resize(static_cast<std::size_t>(size_bytes));
  object.blocks =
      std::clamp<std::uint64_t>(object.attributes.blocks, least,
                                std::max<std::uint64_t>(least, view::blocks_max(size_bytes)));
  touch_content(object);
}

Answer<std::size_t> ModelTree::read(ModelId id, std::uint64_t offset_bytes,
                                    MutableBytes out) const {
  DGFS_CHECK(check_file(id));
  const auto& content = objects_.at(id).content;
  if (offset_bytes >= content.size()) return std::size_t{0};
  return content.copy(reinterpret_cast<char*>(out.data()), out.size(),
                      static_cast<std::size_t>(offset_bytes));
}

Answer<std::size_t> ModelTree::write(ModelId id, std::uint64_t offset_bytes, Bytes bytes) {
  DGFS_CHECK(check_file(id));
  if (bytes.empty()) return std::size_t{0};
  auto& object = objects_.at(id);
  const auto begin = static_cast<std::size_t>(offset_bytes);
  object.content.resize(std::max(object.content.size(), begin + bytes.size()));
  object.content.replace(begin, bytes.size(), as_text(bytes));
  object.blocks += blocks_of(bytes.size());
  touch_content(object);
  return bytes.size();
}

Answer<view::Appended> ModelTree::append(ModelId id, Bytes bytes) {
  DGFS_CHECK(check_file(id));
  const auto at = objects_.at(id).content.size();
  DGFS_TRY(written, write(id, at, bytes));
  return view::Appended{at, written};
}

Answer<void> ModelTree::zero(ModelId id, std::uint64_t offset_bytes, std::uint64_t length_bytes,
                             view::ZeroMode mode) {
  DGFS_CHECK(check_file(id));
  if (length_bytes == 0) return ErrorKind::kInvalidArgument;
  auto& object = objects_.at(id);
  const auto end = offset_bytes + length_bytes;
  auto& content = object.content;
  if (mode == view::ZeroMode::kGrow) {
    content.resize(std::max<std::size_t>(content.size(), static_cast<std::size_t>(end)));
  }
  if (offset_bytes < content.size()) {
    const auto last =
        content.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(end, content.size()));
    std::fill(content.begin() + static_cast<std::ptrdiff_t>(offset_bytes), last, '\0');
  }
  // Parts of chunks become data.
  const auto first_whole = (offset_bytes + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
  const auto end_whole = end / kChunkBytes * kChunkBytes;
  if (first_whole > end_whole) {
    object.blocks += blocks_of(length_bytes);
  } else {
    object.blocks += blocks_of(first_whole - offset_bytes) + blocks_of(end - end_whole);
  }
  touch_content(object);
  return boost::outcome_v2::success();
}

Answer<std::size_t> ModelTree::copy(ModelId from, std::uint64_t from_bytes, ModelId to,
                                    std::uint64_t to_bytes, std::uint64_t length_bytes) {
  Buffer bytes(static_cast<std::size_t>(length_bytes));
  DGFS_TRY(count, read(from, from_bytes, bytes));
  return write(to, to_bytes, Bytes(bytes).first(count));
}

}  // namespace dgfs::test
