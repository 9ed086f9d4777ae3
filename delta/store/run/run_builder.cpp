// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/run_builder.h"

#include <utility>

#include "delta/store/message/patch_codec.h"

namespace dgfs::delta {
namespace {

// Frees reserved memory that is not used, unless that is little.
template <class Container>
void trim(Container& container) {
  if (container.capacity() - container.size() > container.size() / 4) container.shrink_to_fit();
}

}  // namespace

RunBuilder::RunBuilder() : run_(new Run) {}

void RunBuilder::reserve(std::size_t points, std::size_t bytes) {
  run_->items_.reserve(points);
  run_->bytes_.reserve(bytes);
}

void RunBuilder::reserve_for(const std::vector<RunPart>& parts) {
  std::size_t points = 0;
  std::size_t bytes = 0;
  for (const RunPart& part : parts) {
    points += part.size();
    bytes += part.run->bytes_before(part.end) - part.run->bytes_before(part.begin);
  }
  reserve(points, bytes);
}

void RunBuilder::add(std::string_view key, Message message) {
  if (message.kind == MessageKind::kPatch && !message.patch.has_large()) {
    LargeNumbers none;
    patch_.clear();
    format::Encoder encoder(patch_);
    encode_patch(message.patch, none, encoder);
    add_patch(key, patch_);
  } else if (message.large || !message.patch.empty()) {
    add_boxed(key, std::move(message));
  } else {
    add_bytes(key, message.kind, message.value ? std::string_view(*message.value) : "");
  }
}

void RunBuilder::add(const Point& point) {
  if (point.boxed != nullptr) {
    add_boxed(point.key, *point.boxed);
  } else {
    add_bytes(point.key, point.kind, point.value);
  }
}

void RunBuilder::add_put(std::string_view key, std::string_view value) {
  add_bytes(key, MessageKind::kPut, value);
}

void RunBuilder::add_patch(std::string_view key, Bytes edits) {
  add_bytes(key, MessageKind::kPatch, as_text(edits));
}

void RunBuilder::add_removal(std::string_view key, MessageKind kind) { add_bytes(key, kind, ""); }

void RunBuilder::add_bytes(std::string_view key, MessageKind kind, std::string_view value) {
  run_->items_.push_back({run_->bytes_.size(), static_cast<std::uint32_t>(value.size()),
                          static_cast<std::uint16_t>(key.size()), kind, false});
  run_->bytes_.append(key);
  run_->bytes_.append(value);
}

bool RunBuilder::empty() const { return run_->items_.empty(); }

std::string_view RunBuilder::last_key() const {
  return run_->items_.empty() ? std::string_view() : run_->key(run_->items_.back());
}

void RunBuilder::add_next(std::size_t shared, std::string_view rest, MessageKind kind,
                          std::string_view value) {
  auto& bytes = run_->bytes_;
  const auto begin = bytes.size();
  if (shared != 0) bytes.append(bytes, static_cast<std::size_t>(run_->items_.back().begin), shared);
  bytes.append(rest);
  bytes.append(value);
  run_->items_.push_back({begin, static_cast<std::uint32_t>(value.size()),
                          static_cast<std::uint16_t>(shared + rest.size()), kind, false});
}

void RunBuilder::add_boxed(std::string_view key, Message message) {
  run_->items_.push_back({run_->bytes_.size(), static_cast<std::uint32_t>(run_->boxed_.size()),
                          static_cast<std::uint16_t>(key.size()), message.kind, true});
  run_->bytes_.append(key);
  boxed_bytes_ += message.size_bytes();
  run_->boxed_.push_back(std::move(message));
}

// The bytes of these points are consecutive in the other run, so they are copied at once.
void RunBuilder::add(const Run& run, std::size_t begin, std::size_t end) {
  const auto from = run.bytes_before(begin);
  const auto begin_of_bytes = run_->bytes_.size();
  run_->bytes_.append(run.bytes_, from, run.bytes_before(end) - from);
  for (std::size_t at = begin; at < end; ++at) {
    auto item = run.items_[at];
    item.begin = item.begin - from + begin_of_bytes;
    if (item.is_boxed) {
      run_->boxed_.push_back(run.boxed_[item.value_bytes]);
      boxed_bytes_ += run_->boxed_.back().size_bytes();
      item.value_bytes = static_cast<std::uint32_t>(run_->boxed_.size() - 1);
    }
    run_->items_.push_back(item);
  }
}

RunRef RunBuilder::take(RangeTombstones tombstones) {
  run_->tombstones_ = std::move(tombstones);
  run_->size_bytes_ = run_->tombstones_.size_bytes() + size_bytes();
  const auto run = std::exchange(run_, nullptr);
  trim(run->items_);
  trim(run->bytes_);
  return run;
}

RunRef empty_run() {
  static const RunRef run = RunBuilder().take();
  return run;
}

}  // namespace dgfs::delta
