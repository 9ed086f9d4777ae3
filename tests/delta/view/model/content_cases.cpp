// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// The cases of an OperationMaker about contents of files.
#include <algorithm>

#include "tests/delta/view/model/operation_maker.h"

namespace dgfs::test {
namespace {

constexpr std::uint64_t kChunkBytes = 512;  // as in the views of tests

bool is_regular(const ModelObject& object) { return format::is_regular(object.attributes.mode); }

}  // namespace

std::optional<ModelId> OperationMaker::file() {
  return limits_.has_contents ? find(is_regular) : std::nullopt;
}

// Half of the offsets are at the end of a chunk or of the file, or one byte before or behind it.
std::uint64_t OperationMaker::offset_in(ModelId file) {
  auto offset = random_.below(limits_.file_bytes_max);
  if (random_.one_in(3)) offset = offset / kChunkBytes * kChunkBytes;
  if (random_.one_in(3)) offset = object(file).content.size();
  const auto shift = random_.one_in(3) ? random_.below(3) : 1;
  return std::max<std::uint64_t>(offset + shift, 1) - 1;
}

std::uint64_t OperationMaker::length() {
  const auto chunks = 1 + random_.below(4);
  if (random_.one_in(3)) return chunks * kChunkBytes;
  return 1 + random_.below(random_.one_in(2) ? 40 : chunks * kChunkBytes);
}

OperationMaker::Made OperationMaker::read() {
  const auto id = file();
  if (!id) return std::nullopt;
  auto operation = on_object(Verb::kRead, *id);
  operation.offset_bytes = offset_in(*id);
  operation.length_bytes = length();
  return operation;
}

OperationMaker::Made OperationMaker::read_no_file() {
  if (!limits_.has_contents) return std::nullopt;
  const auto id = find([](const ModelObject& object) { return !is_regular(object); });
  auto operation = on_object(Verb::kRead, *id);
  operation.length_bytes = 1;
  return operation;
}

OperationMaker::Made OperationMaker::write() {
  const auto id = file();
  if (!id) return std::nullopt;
  auto operation = on_object(Verb::kWrite, *id);
  operation.offset_bytes = offset_in(*id);
  operation.value = random_.bytes(static_cast<std::size_t>(length()));
  return operation;
}

OperationMaker::Made OperationMaker::append() {
  const auto id = file();
  if (!id || object(*id).content.size() > limits_.file_bytes_max) return std::nullopt;
  auto operation = on_object(Verb::kAppend, *id);
  operation.value = random_.bytes(static_cast<std::size_t>(length()));
  return operation;
}

OperationMaker::Made OperationMaker::zero() {
  const auto id = file();
  if (!id) return std::nullopt;
  auto operation = on_object(Verb::kZero, *id);
  operation.offset_bytes = offset_in(*id);
  operation.length_bytes = length();
  if (random_.one_in(2)) operation.zero_mode = view::ZeroMode::kGrow;
  return operation;
}

OperationMaker::Made OperationMaker::copy() {
  const auto from = file();
  const auto to = file();
  if (!from || from == to) return std::nullopt;
  auto operation = on_object(Verb::kCopy, *from);
  operation.offset_bytes = offset_in(*from);
  operation.length_bytes = length();
  operation.to = *to;
  operation.to_bytes = offset_in(*to);
  return operation;
}

OperationMaker::Made OperationMaker::set_size() {
  const auto id = file();
  if (!id) return std::nullopt;
  auto operation = on_object(Verb::kSetAttributes, *id);
  operation.change.size_bytes = random_.one_in(4) ? 0 : offset_in(*id);
  return operation;
}

OperationMaker::Made OperationMaker::set_size_of_no_file() {
  if (!limits_.has_contents) return std::nullopt;
  const auto id = find([](const ModelObject& object) { return !is_regular(object); });
  auto operation = on_object(Verb::kSetAttributes, *id);
  operation.change.size_bytes = 0;
  return operation;
}

}  // namespace dgfs::test
