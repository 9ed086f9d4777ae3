// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/late_binding.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

#include "delta/store/run/run_builder.h"

namespace dgfs::delta {
namespace {

// Makes values large until there is no space for one; then it stops asking for space.
class LargeMaker {
 public:
  explicit LargeMaker(ExtentVolume& volume) : volume_(volume) {}

  // Null: no space.
  [[nodiscard]] LargeRef make(ValueRef bytes) {
    if (is_full_) return nullptr;
    auto promise = volume_.late_promise(padded_bytes(bytes->size()));
    is_full_ = !promise;
    if (is_full_) return nullptr;
    return std::make_shared<const LargeValue>(std::move(bytes), volume_,
                                              std::move(promise).value());
  }

 private:
  ExtentVolume& volume_;
  bool is_full_ = false;
};

// An edit whose bytes are in memory: a piece, or a piece of an unbound large value.
struct InMemory {
  const Piece* small = nullptr;
  const LargePiece* piece = nullptr;
  ValueRef large;  // the whole large value; null: bound, or `piece` is null

  [[nodiscard]] bool is_any() const { return small != nullptr || large != nullptr; }
  void append_to(std::string& bytes) const {
    if (small != nullptr) {
      bytes += small->bytes;
    } else {
      bytes.append(*large, static_cast<std::size_t>(piece->skip_bytes),
                   static_cast<std::size_t>(piece->length_bytes));
    }
  }
};

InMemory in_memory(const Edit& edit) {
  InMemory found;
  found.small = std::get_if<Piece>(&edit);
  found.piece = std::get_if<LargePiece>(&edit);
  if (found.piece != nullptr) found.large = found.piece->large->unbound();
  return found;
}

// Makes a new patch, in which pieces that touch are joined.
class PatchBinding {
 public:
  PatchBinding(const Patch& patch, std::uint64_t piece_bytes, LargeMaker& maker)
      : patch_(patch), piece_bytes_(piece_bytes), maker_(maker) {
    for (const Edit& edit : patch.edits()) {
      const auto found = in_memory(edit);
      if (found.large) shown_[found.piece->large.get()] += found.piece->length_bytes;
    }
  }

  // nullopt: the patch stays as it is.
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
  // In an unordered patch, an edit in between may need the older bytes.
  [[nodiscard]] std::size_t end_of_touching(std::size_t begin) const {
    const auto& edits = patch_.edits();
    auto end = begin + 1;
    if (!patch_.is_ordered() || !in_memory(edits[begin]).is_any()) return end;
    while (end < edits.size() && begin_of(edits[end]) == end_of(edits[end - 1]) &&
           in_memory(edits[end]).is_any()) {
      ++end;
    }
    return end;
  }

  // End of the touching edits that may be copied together. Excludes an unbound large value that
  // will be written anyway, because of other pieces of it.
  [[nodiscard]] std::size_t end_of_stretch(std::size_t begin) const {
    const auto end = end_of_touching(begin);
    std::unordered_map<const LargeValue*, std::uint64_t> inside;
    const auto& edits = patch_.edits();
    for (auto at = begin; at < end; ++at) {
      const auto* piece = std::get_if<LargePiece>(&edits[at]);
      if (piece != nullptr) inside[piece->large.get()] += piece->length_bytes;
    }
    const auto stays = [&](std::size_t at) {
      const auto* piece = std::get_if<LargePiece>(&edits[at]);
      return piece != nullptr && in_memory(edits[at]).is_any() && !is_rest(*piece) &&
             inside.at(piece->large.get()) < shown_.at(piece->large.get());
    };
    if (stays(begin)) return begin + 1;
    auto at = begin + 1;
    while (at < end && !stays(at)) ++at;
    return at;
  }

  // Whether less than half of an unbound large value is still used: writing all of it is not worth
  // it.
  [[nodiscard]] bool is_rest(const LargePiece& piece) const {
    const auto shown = shown_.find(piece.large.get());
    return shown != shown_.end() && 2 * shown->second < piece.large->length_bytes();
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

  // Null: the edits stay as they are.
  [[nodiscard]] LargeRef made_of(std::size_t begin, std::size_t end) {
    const auto& edits = patch_.edits();
    const auto length = end_of(edits[end - 1]) - begin_of(edits[begin]);
    if (!in_memory(edits[begin]).is_any()) return nullptr;
    const bool has_rest =
        std::any_of(edits.begin() + static_cast<std::ptrdiff_t>(begin),
                    edits.begin() + static_cast<std::ptrdiff_t>(end), [this](const Edit& edit) {
                      const auto* piece = std::get_if<LargePiece>(&edit);
                      return piece != nullptr && is_rest(*piece);
                    });
    const bool is_large = end == begin + 1 && std::holds_alternative<LargePiece>(edits[begin]);
    if (!has_rest && (is_large || length <= piece_bytes_)) return nullptr;
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(length));
    for (auto at = begin; at < end; ++at) in_memory(edits[at]).append_to(bytes);
    return maker_.make(std::make_shared<const std::string>(std::move(bytes)));
  }

  const Patch& patch_;
  const std::uint64_t piece_bytes_;
  LargeMaker& maker_;
  /// Used bytes of each unbound large value.
  std::unordered_map<const LargeValue*, std::uint64_t> shown_;
  Edits made_;
  bool has_changed_ = false;
};

// Whether anything in the patch can become large or be copied. A patch of small pieces that are too
// short together needs no further check.
bool may_change(const Patch& patch, std::uint64_t piece_bytes) {
  std::uint64_t bytes = 0;
  for (const Edit& edit : patch.edits()) {
    const auto found = in_memory(edit);
    if (found.large) return true;
    if (found.small != nullptr) bytes += found.small->bytes.size();
  }
  return bytes > piece_bytes;
}

bool may_change(const Point& point, const LargeBounds& bounds) {
  if (point.boxed == nullptr) {
    if (point.kind != MessageKind::kPatch) return point.value.size() > bounds.value_bytes_max;
    return point.value.size() > bounds.piece_bytes_max &&
           may_change(point.message().patch, bounds.piece_bytes_max);
  }
  const Message& message = *point.boxed;
  return (message.value && message.value->size() > bounds.value_bytes_max) ||
         may_change(message.patch, bounds.piece_bytes_max);
}

Message bound_late(Message message, const LargeBounds& bounds, LargeMaker& maker) {
  if (message.value && message.value->size() > bounds.value_bytes_max) {
    if (auto large = maker.make(message.value)) {
      message.large = std::move(large);
      message.value = nullptr;
    }
  }
  if (may_change(message.patch, bounds.piece_bytes_max)) {
    auto patch = PatchBinding(message.patch, bounds.piece_bytes_max, maker).make();
    if (patch) message.patch = *std::move(patch);
  }
  return message;
}

}  // namespace

Message late_bound(Message message, const LargeBounds& bounds, ExtentVolume& volume) {
  LargeMaker maker(volume);
  return bound_late(std::move(message), bounds, maker);
}

RunRef late_bound(const RunRef& run, const LargeBounds& bounds, ExtentVolume& volume) {
  const auto may = [&](const Point& point) { return may_change(point, bounds); };
  if (std::ranges::none_of(run->points(), may)) return run;
  LargeMaker maker(volume);
  RunBuilder points;
  for (const Point point : run->points()) {
    if (may(point)) {
      points.add(point.key, bound_late(point.message(), bounds, maker));
    } else {
      points.add(point);
    }
  }
  return points.take(run->tombstones());
}

}  // namespace dgfs::delta
