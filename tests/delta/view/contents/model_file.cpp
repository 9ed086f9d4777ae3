// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/contents/model_file.h"

namespace dgfs::test {

void ModelFile::set(std::uint64_t begin, std::uint64_t end, bool is_data) {
  for (auto chunk = begin; chunk < end; ++chunk) is_data_[chunk] = is_data;
}

void ModelFile::write(std::uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (bytes_.size() < offset + bytes.size()) bytes_.resize(offset + bytes.size(), '\0');
  bytes_.replace(offset, bytes.size(), bytes);
  set(offset / chunk_bytes_, (offset + bytes.size() - 1) / chunk_bytes_ + 1, true);
}

void ModelFile::resize(std::uint64_t size) {
  if (size < bytes_.size()) {
    const auto within = size % chunk_bytes_;
    const auto first_gone = size / chunk_bytes_ + (within != 0 ? 1 : 0);
    if (within != 0) is_data_[size / chunk_bytes_] = true;  // the view writes zeros at its end
    is_data_.erase(is_data_.lower_bound(first_gone), is_data_.end());
    gone_from_ = std::min(gone_from_, first_gone);
  }
  bytes_.resize(size, '\0');
}

void ModelFile::zero(std::uint64_t offset, std::uint64_t length, bool grows) {
  const auto end = offset + length;
  if (grows && end > bytes_.size()) bytes_.resize(end, '\0');
  if (offset < bytes_.size()) {
    const auto count = std::min<std::uint64_t>(length, bytes_.size() - offset);
    bytes_.replace(offset, count, count, '\0');
  }
  const auto first_whole = (offset + chunk_bytes_ - 1) / chunk_bytes_;
  const auto end_whole = end / chunk_bytes_;
  if (offset % chunk_bytes_ != 0) is_data_[offset / chunk_bytes_] = true;
  if (end % chunk_bytes_ != 0) is_data_[end / chunk_bytes_] = true;
  if (first_whole < end_whole) set(first_whole, end_whole, false);
}

bool ModelFile::is_data(std::uint64_t offset) const {
  const auto chunk = offset / chunk_bytes_;
  if (const auto found = is_data_.find(chunk); found != is_data_.end()) return found->second;
  const bool is_in_hole = image_hole_.begin <= offset && offset < image_hole_.end;
  return chunk < gone_from_ && offset < image_bytes_ && !is_in_hole;
}

std::optional<std::uint64_t> ModelFile::next_data(std::uint64_t offset) const {
  for (; offset < bytes_.size(); ++offset) {
    if (is_data(offset)) return offset;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ModelFile::next_hole(std::uint64_t offset) const {
  if (offset >= bytes_.size()) return std::nullopt;
  while (offset < bytes_.size() && is_data(offset)) ++offset;
  return offset;
}

}  // namespace dgfs::test
