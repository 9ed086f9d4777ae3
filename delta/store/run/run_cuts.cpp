// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/run_cuts.h"

#include <algorithm>

namespace dgfs::delta {
namespace {

// Visits points and range tombstones in the order of their first keys.
class MessageWalk {
 public:
  explicit MessageWalk(const Run& run) : run_(run), tombstone_(run.tombstones().begin()) {}

  [[nodiscard]] bool at_end() const { return at_ == run_.size() && !has_tombstone(); }
  // Whether a cut fits between the messages that were passed and the next one.
  [[nodiscard]] bool can_cut() const { return key() > last_; }
  [[nodiscard]] RunCut cut() const { return {low(), at_}; }

  // Passes the next message, and returns its memory.
  std::size_t step() {
    last_ = key();
    if (!is_at_tombstone()) return run_.point(at_++).size_bytes();
    last_end_ = &tombstone_->second;
    const auto bytes = RangeTombstones::bytes_of(*tombstone_);
    ++tombstone_;
    return bytes;
  }

 private:
  [[nodiscard]] bool has_tombstone() const { return tombstone_ != run_.tombstones().end(); }
  [[nodiscard]] bool is_at_tombstone() const {
    return has_tombstone() && (at_ == run_.size() || tombstone_->first <= run_.point(at_).key);
  }
  [[nodiscard]] std::string_view key() const {
    return is_at_tombstone() ? std::string_view(tombstone_->first) : run_.point(at_).key;
  }
  // The cut lies right behind the last range tombstone if that ends before the next message;
  // otherwise both parts would have a piece of it.
  [[nodiscard]] std::string low() const {
    const auto next = key();
    if (last_end_ == nullptr || is_before(next, *last_end_)) return separator(last_, next);
    const std::string_view end(**last_end_);
    return end == next ? std::string(next) : separator(std::max(last_, end), next);
  }

  const Run& run_;
  std::size_t at_ = 0;
  RangeTombstones::Map::const_iterator tombstone_;
  std::string_view last_;             // start of the last message that was passed
  const KeyEnd* last_end_ = nullptr;  // of the last range tombstone that was passed; null: none
};

}  // namespace

std::string separator(std::string_view last, std::string_view first) {
  const auto end = std::min(last.size(), first.size());
  const auto shared =
      std::mismatch(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(end), first.begin())
          .first -
      last.begin();
  return std::string(first.substr(0, static_cast<std::size_t>(shared) + 1));
}

std::vector<RunCut> cuts_of(const Run& run, std::size_t part_bytes) {
  std::vector<RunCut> cuts;
  std::size_t bytes = 0;
  for (MessageWalk walk(run); !walk.at_end();) {
    if (bytes != 0 && bytes >= part_bytes && walk.can_cut()) {
      cuts.push_back(walk.cut());
      bytes = 0;
    }
    bytes += walk.step();
  }
  return cuts;
}

}  // namespace dgfs::delta
