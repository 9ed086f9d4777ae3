// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/late_binding.h"

#include <algorithm>
#include <string>
#include <utility>

#include "delta/store/run/run_builder.h"

namespace dgfs::delta {
namespace {

// Null: the edit is none whose bytes are in memory.
struct InMemory {
  ValueRef large;  // the bytes of an unbound large value
  const LargePiece* piece = nullptr;
  const Piece* small = nullptr;

  [[nodiscard]] bool is_any() const { return small != nullptr || large != nullptr; }
  [[nodiscard]] std::uint64_t length() const {
    return small != nullptr ? small->bytes.size() : piece->length_bytes;
  }
  void append_to(std::string& bytes) const {
    if (small != nullptr) {
      bytes += small->bytes;
    } else {
      bytes.append(*large, static_cast<std::size_t>(piece->skip_bytes),
                   static_cast<std::size_t>(piece->length_bytes));
    }
  }
  [[nodiscard]] bool is_whole_large() const {
    return piece != nullptr && piece->length_bytes == large->size();
  }
};

InMemory in_memory(const Edit& edit) {
  InMemory found;
  found.small = std::get_if<Piece>(&edit);
  found.piece = std::get_if<LargePiece>(&edit);
  if (found.piece != nullptr) found.large = found.piece->large->unbound();
  return found;
}

// Null: there is no space for it.
LargeRef made_large(std::string bytes, ExtentVolume& volume) {
  auto promise = volume.promise(padded_bytes(bytes.size()));
  if (!promise) return nullptr;
  return std::make_shared<const LargeValue>(std::make_shared<const std::string>(std::move(bytes)),
                                            volume, std::move(promise).value());
}

// Edits of a patch, in which pieces that touch are taken together.
class PatchBinding {
 public:
  PatchBinding(const Patch& patch, std::uint64_t piece_bytes, ExtentVolume& volume)
      : patch_(patch), piece_bytes_(piece_bytes), volume_(volume) {}

  // nullopt: nothing changes.
  [[nodiscard]] std::optional<Patch> make() {
    const auto& edits = patch_.edits();
    for (std::size_t begin = 0; begin < edits.size();) {
      const auto end = end_of_stretch(begin);
      add_stretch(begin, end);
      begin = end;
    }
    if (!has_changed_) return std::nullopt;
    return Patch(std::move(made_), patch_.least_bytes());
  }

 private:
  // In a patch that is in no order an edit between two may need what was there before.
  [[nodiscard]] std::size_t end_of_stretch(std::size_t begin) const {
    const auto& edits = patch_.edits();
    auto end = begin + 1;
    if (!patch_.is_ordered() || !in_memory(edits[begin]).is_any()) return end;
    while (end < edits.size() && begin_of(edits[end]) == end_of(edits[end - 1]) &&
           in_memory(edits[end]).is_any()) {
      ++end;
    }
    return end;
  }

  void add_stretch(std::size_t begin, std::size_t end) {
    const auto& edits = patch_.edits();
    if (auto large = made_of(begin, end)) {
      const auto length = large->length_bytes();
      made_.emplace_back(LargePiece{begin_of(edits[begin]), std::move(large), 0, length});
      has_changed_ = true;
      return;
    }
    for (auto at = begin; at < end; ++at) made_.push_back(edits[at]);
  }

  // Null: it stays as it is.
  [[nodiscard]] LargeRef made_of(std::size_t begin, std::size_t end) const {
    const auto& edits = patch_.edits();
    const auto first = in_memory(edits[begin]);
    const auto length = end_of(edits[end - 1]) - begin_of(edits[begin]);
    const bool is_done = end == begin + 1 && (!first.is_any() || first.is_whole_large());
    if (is_done || length <= piece_bytes_) return nullptr;
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(length));
    for (auto at = begin; at < end; ++at) in_memory(edits[at]).append_to(bytes);
    return made_large(std::move(bytes), volume_);
  }

  const Patch& patch_;
  const std::uint64_t piece_bytes_;
  ExtentVolume& volume_;
  Edits made_;
  bool has_changed_ = false;
};

bool may_change(const Point& point, const LargeBounds& bounds) {
  if (point.boxed == nullptr) return point.value.size() > bounds.value_bytes;
  const Message& message = *point.boxed;
  return (message.value && message.value->size() > bounds.value_bytes) ||
         !message.patch.edits().empty();
}

}  // namespace

Message late_bound(Message message, const LargeBounds& bounds, ExtentVolume& volume) {
  if (message.value && message.value->size() > bounds.value_bytes) {
    if (auto large = made_large(*message.value, volume)) {
      message.large = std::move(large);
      message.value = nullptr;
    }
  }
  if (!message.patch.edits().empty()) {
    auto patch = PatchBinding(message.patch, bounds.piece_bytes, volume).make();
    if (patch) message.patch = *std::move(patch);
  }
  return message;
}

RunRef late_bound(const RunRef& run, const LargeBounds& bounds, ExtentVolume& volume) {
  const auto may = [&](const Point& point) { return may_change(point, bounds); };
  if (std::ranges::none_of(run->points(), may)) return run;
  RunBuilder points;
  for (const Point point : run->points()) {
    if (may(point)) {
      points.add(point.key, late_bound(point.message(), bounds, volume));
    } else {
      points.add(point);
    }
  }
  return points.take(run->tombstones());
}

}  // namespace dgfs::delta
