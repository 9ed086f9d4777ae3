// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/join/stack_join.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delta/store/join/value_copier.h"
#include "delta/store/message/overlay.h"
#include "delta/store/run/object_key.h"

namespace dgfs::delta {
namespace {

// The join looks up after so many bytes that it has read.
constexpr std::uint64_t kPaceBytes = std::uint64_t{64} << 10;
// A layer steps over so many covered places before it seeks behind the covered range.
constexpr int kStepsMax = 16;

// One layer of a join.
struct JoinedLayer {
  MessageCursor cursor;
  std::uint64_t born_object = 0;
  const ExtentVolume* values = nullptr;
  // Of the last place that it passed; none: that place is not covered.
  std::optional<KeyEnd> passed_cover = std::nullopt;

  [[nodiscard]] bool is_at(std::string_view key) const {
    return cursor.is_at_place() && cursor.key() == key;
  }
  // Null: the layer does not cover the key. The layer is at its first place from the key on.
  [[nodiscard]] const KeyEnd* cover_of(std::string_view key) const {
    if (is_at(key)) return cursor.covered_until();
    return passed_cover && is_before(key, *passed_cover) ? &*passed_cover : nullptr;
  }
  [[nodiscard]] Status pass() {
    passed_cover.reset();
    if (const KeyEnd* cover = cursor.covered_until()) passed_cover.emplace(*cover);
    return cursor.next();
  }
  // Goes behind a range that a newer layer covers. If it covers more itself, it stops at the end.
  [[nodiscard]] Status pass_until(const KeyEnd& end) {
    const auto is_inside = [&] { return cursor.is_at_place() && is_before(cursor.key(), end); };
    for (int steps = 0; steps < kStepsMax && is_inside(); ++steps) {
      const KeyEnd* cover = cursor.covered_until();
      if (cover != nullptr && ends_before(end, *cover)) break;
      DGFS_CHECK(pass());
    }
    if (!is_inside()) return ok();
    passed_cover.reset();
    if (end) return cursor.seek(*end);
    cursor.leave();
    return ok();
  }
};

class StackJoin {
 public:
  StackJoin(std::span<const Snapshot> layers, LayerLoader& to, const JoinHooks& hooks)
      : to_(to),
        hooks_(hooks),
        copier_(to.values(), to.large_bounds(),
                [this](std::uint64_t bytes) { return look_up_before(bytes); }) {
    for (std::size_t i = layers.size(); i-- > 0;) {
      layers_.push_back({layers[i].message_cursor(), layers[i].born_object(), layers[i].values()});
    }
    to_.set_binding([this] { return copier_.bind(); });
  }
  ~StackJoin() { to_.set_binding({}); }
  StackJoin(const StackJoin&) = delete;
  StackJoin& operator=(const StackJoin&) = delete;

  Status run() {
    DGFS_CHECK(check_stop());
    for (JoinedLayer& layer : layers_) {
      DGFS_CHECK(layer.cursor.seek(""));
    }
    while (const JoinedLayer* first = nearest()) {
      const std::string key(first->cursor.key());
      DGFS_CHECK(join_ranges(key));
      DGFS_CHECK(join_key(key));
      DGFS_CHECK(pass(key));
    }
    return copier_.bind();
  }

 private:
  // What the layers say of a key, down to the layer below which nothing is left.
  struct Said {
    std::vector<std::pair<const JoinedLayer*, Point>> points;  // the newest first
    bool is_over_nothing = false;
    bool is_erased = false;          // the last point is an erasure
    bool is_over_something = false;  // of an erasure: an older layer says something else
    bool is_covered = false;         // by a range tombstone of any layer
  };

  [[nodiscard]] const JoinedLayer* nearest() const {
    const JoinedLayer* first = nullptr;
    for (const JoinedLayer& layer : layers_) {
      if (!layer.cursor.is_at_place()) continue;
      if (first == nullptr || layer.cursor.key() < first->cursor.key()) first = &layer;
    }
    return first;
  }

  // Ranges of all layers stay.
  Status join_ranges(const std::string& key) {
    for (const JoinedLayer& layer : layers_) {
      const KeyEnd* end = layer.is_at(key) ? layer.cursor.covered_until() : nullptr;
      if (end == nullptr) continue;
      const auto& before = layer.passed_cover;
      if (before && is_before(key, *before) && !ends_before(*before, *end)) continue;
      DGFS_CHECK(to_.cover({key, *end}));
    }
    return ok();
  }

  void collect(const std::string& key) {
    said_.points.clear();
    said_.is_over_nothing = said_.is_erased = said_.is_over_something = said_.is_covered = false;
    bool is_done = false;
    for (const JoinedLayer& layer : layers_) {
      const bool covers = layer.cover_of(key) != nullptr;
      said_.is_covered |= covers;
      if (is_done) continue;
      if (layer.is_at(key)) {
        if (const auto point = layer.cursor.point()) is_done = add(layer, *point);
      }
      if (!is_done && (covers || is_young(key, layer.born_object))) {
        said_.is_over_nothing = is_done = true;
      }
    }
  }
  // True: older layers do not matter.
  bool add(const JoinedLayer& layer, const Point& point) {
    if (said_.is_erased) {
      said_.is_over_something |= point.kind != MessageKind::kErase;
      return said_.is_over_something;
    }
    said_.points.emplace_back(&layer, point);
    said_.is_erased = point.kind == MessageKind::kErase;
    return point.is_final() && !said_.is_erased;
  }

  Status join_key(const std::string& key) {
    collect(key);
    if (said_.points.empty()) return ok();
    const Point& newest = said_.points.front().second;
    if (newest.kind == MessageKind::kErase) {
      return said_.is_over_something ? add_removal(key) : ok();
    }
    if (newest.kind == MessageKind::kDelete) return add_removal(key);
    const bool is_alone = said_.points.size() == 1 && newest.boxed == nullptr &&
                          (newest.is_final() || !said_.is_over_nothing);
    // The bounds are those of the layers, whose messages keep them.
    if (is_alone) return to_.add(newest);
    return join_messages(key);
  }

  // It hides what lies below the joined layer, unless a range tombstone does or nothing is there.
  Status add_removal(const std::string& key) {
    if (said_.is_covered || is_young(key, layers_.back().born_object)) return ok();
    return to_.add(Point{key, MessageKind::kDelete, {}, nullptr});
  }

  Status join_messages(const std::string& key) {
    std::vector<MessageOfStore> messages;
    for (const auto& [layer, point] : said_.points) {
      messages.push_back({point.message(), layer->values});
    }
    Overlay all(messages.front().message);
    for (auto older = messages.begin() + 1; older != messages.end(); ++older) {
      all.add_older(older->message);
    }
    if (said_.is_over_nothing) all.add_nothing_older();
    Message joined = all.take();
    if (joined.kind == MessageKind::kDelete) return add_removal(key);
    if (joined.kind == MessageKind::kErase) {
      return said_.is_over_something ? add_removal(key) : ok();
    }
    if (copier_.has_work(joined)) {
      DGFS_TRY(copied, copier_.copied(std::move(joined), messages, said_.is_over_nothing));
      joined = std::move(copied);
    }
    return to_.add(key, std::move(joined));
  }

  // Layers below one that covers the key skip all that it covers.
  Status pass(const std::string& key) {
    std::optional<KeyEnd> covered;  // by the layers so far
    for (JoinedLayer& layer : layers_) {
      std::optional<KeyEnd> own;
      if (const KeyEnd* cover = layer.cover_of(key)) own.emplace(*cover);
      if (layer.is_at(key)) {
        DGFS_CHECK(look_up_before(layer.cursor.key().size() + bytes_at(layer)));
        DGFS_CHECK(layer.pass());
      }
      if (covered) {
        DGFS_CHECK(layer.pass_until(*covered));
      }
      if (own && (!covered || ends_before(*covered, *own))) covered = std::move(own);
    }
    return ok();
  }
  static std::uint64_t bytes_at(const JoinedLayer& layer) {
    const auto point = layer.cursor.point();
    return point ? point->value.size() : 0;
  }

  Status look_up_before(std::uint64_t bytes) {
    passed_bytes_ += bytes;
    if (passed_bytes_ < kPaceBytes) return ok();
    const auto passed = std::exchange(passed_bytes_, 0);
    DGFS_CHECK(check_stop());
    if (hooks_.before_read) hooks_.before_read(passed);
    return ok();
  }
  [[nodiscard]] Status check_stop() const {
    if (!hooks_.stop || !hooks_.stop()) return ok();
    return Error(ErrorKind::kInterrupted, 7652, "the join of layers was stopped");
  }

  LayerLoader& to_;
  const JoinHooks& hooks_;
  ValueCopier copier_;
  std::vector<JoinedLayer> layers_;  // the newest first
  Said said_;
  std::uint64_t passed_bytes_ = 0;
};

}  // namespace

Status load_joined(std::span<const Snapshot> layers, LayerLoader& to, const JoinHooks& hooks) {
  return StackJoin(layers, to, hooks).run();
}

}  // namespace dgfs::delta
