// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/store/crash/failpoints.h"

#include <algorithm>
#include <functional>

namespace dgfs::test {
namespace {

using storage::CallKind;
using storage::CrashLoss;

// A stop, and questions about it. Names are those of docs/STORE.md; "log" is either segment.
class Stop {
 public:
  Stop(const StoppingEnv& env, CrashLoss loss) : env_(env), loss_(loss) {}

  [[nodiscard]] bool has(CallKind kind, const std::string& name) const {
    return last_at(kind, name) != 0;
  }
  /// The last call of this kind came after a sync of another file.
  [[nodiscard]] bool has_since_sync(CallKind kind, const std::string& name,
                                    const std::string& synced) const {
    const auto sync = last_at(CallKind::kSync, synced);
    return sync != 0 && last_at(kind, name) > sync;
  }
  [[nodiscard]] bool was_last(CallKind kind, const std::string& name) const {
    return !env_.done().empty() && is(env_.done().back(), kind, name);
  }
  [[nodiscard]] bool comes(CallKind kind, const std::string& name) const {
    return is(env_.blocked(), kind, name);
  }
  /// The file was written since its last sync, within this call of the store.
  [[nodiscard]] bool is_dirty(const std::string& name) const {
    return last_at(CallKind::kWrite, name) > last_at(CallKind::kSync, name);
  }
  /// A sync has made the whole file durable, or was about to and the disk kept everything anyway.
  [[nodiscard]] bool is_unacknowledged(const std::string& name) const {
    return was_last(CallKind::kSync, name) ||
           (is_dirty(name) && comes(CallKind::kSync, name) && loss_ == CrashLoss::kKeepAll);
  }
  [[nodiscard]] bool has_reused_segment() const { return env_.has_reused_segment(); }
  [[nodiscard]] bool is_opening() const { return env_.step() == Step::kOpen; }
  /// This call has created a file.
  [[nodiscard]] bool is_making() const {
    return is_opening() &&
           std::any_of(env_.done().begin(), env_.done().end(),
                       [](const auto& each) { return each.kind == CallKind::kCreate; });
  }
  [[nodiscard]] bool is_recovering() const { return is_opening() && !is_making(); }

 private:
  // The number of the last such call, counted from 1; 0: none.
  [[nodiscard]] std::size_t last_at(CallKind kind, const std::string& name) const {
    const auto& done = env_.done();
    for (auto at = done.size(); at > 0; --at) {
      if (is(done[at - 1], kind, name)) return at;
    }
    return 0;
  }
  [[nodiscard]] static bool is(const StorageCall& call, CallKind kind, const std::string& name) {
    return call.kind == kind && call.name.substr(0, call.name.find('.')) == name;
  }

  const StoppingEnv& env_;
  CrashLoss loss_;
};

struct Failpoint {
  const char* name;
  std::function<bool(const Stop&)> is_at;
};

constexpr auto kRead = CallKind::kRead;
constexpr auto kWrite = CallKind::kWrite;
constexpr auto kSync = CallKind::kSync;
constexpr auto kAllocate = CallKind::kAllocate;

// In the order of the protocol.
const std::vector<Failpoint>& failpoints() {
  static const std::vector<Failpoint> points = {
      {"make: first segment written, not synced",
       [](const Stop& s) { return s.is_making() && s.is_dirty("log") && s.comes(kSync, "log"); }},
      {"make: segments synced, no blocks yet",
       [](const Stop& s) {
         return s.is_making() && s.was_last(kSync, "log") && !s.comes(CallKind::kCreate, "log");
       }},
      {"make: blocks written, not synced",
       [](const Stop& s) { return s.is_making() && s.comes(kSync, "blocks"); }},
      {"make: blocks synced, names not",
       [](const Stop& s) {
         return s.is_making() && s.was_last(kSync, "blocks") && s.comes(kSync, "s");
       }},
      {"make: names synced, superblock not begun",
       [](const Stop& s) {
         return s.is_making() && s.was_last(kSync, "s") && s.comes(CallKind::kCreate, "(unnamed)");
       }},
      {"make: superblock written, not published",
       [](const Stop& s) { return s.is_making() && s.comes(CallKind::kPublish, "store"); }},
      {"make: published, name of the directory not synced",
       [](const Stop& s) { return s.is_making() && s.was_last(CallKind::kPublish, "store"); }},
      {"recovery: superblock read, tree not walked",
       [](const Stop& s) {
         return s.is_recovering() && s.has(kRead, "store") && !s.has(kRead, "blocks") &&
                s.comes(kRead, "blocks");
       }},
      {"recovery: tree walked, log not replayed",
       [](const Stop& s) {
         return s.is_recovering() && s.has(kRead, "blocks") && !s.has(kRead, "log") &&
                s.comes(kRead, "log");
       }},
      {"recovery: replayed, superblock written anew, not synced",
       [](const Stop& s) {
         return s.is_recovering() && s.is_dirty("store") && !s.has(kSync, "blocks") &&
                s.comes(kSync, "store");
       }},
      {"recovery: replayed, no checkpoint yet",
       [](const Stop& s) {
         return s.is_recovering() && s.has(kRead, "log") && !s.has(kWrite, "blocks") &&
                s.comes(kWrite, "blocks");
       }},
      {"recovery: blocks written, not synced",
       [](const Stop& s) {
         return s.is_recovering() && s.is_dirty("blocks") && s.comes(kSync, "blocks");
       }},
      {"recovery: blocks synced, superblock not written",
       [](const Stop& s) {
         return s.is_recovering() && s.was_last(kSync, "blocks") && s.comes(kWrite, "store");
       }},
      {"recovery: superblock written, not synced",
       [](const Stop& s) {
         return s.is_recovering() && s.has(kSync, "blocks") && s.is_dirty("store") &&
                s.comes(kSync, "store");
       }},
      {"recovery: superblock synced, nobody told",
       [](const Stop& s) {
         return s.is_recovering() && s.has(kSync, "blocks") && s.is_unacknowledged("store");
       }},
      {"values written, not synced",
       [](const Stop& s) {
         return !s.is_opening() && s.is_dirty("extents") && s.comes(kSync, "extents");
       }},
      {"values synced, their group not written",
       [](const Stop& s) {
         return !s.is_opening() && s.was_last(kSync, "extents") && s.comes(kWrite, "log");
       }},
      {"group written, not synced",
       [](const Stop& s) { return !s.is_opening() && s.is_dirty("log") && s.comes(kSync, "log"); }},
      {"group synced, not acknowledged",
       [](const Stop& s) { return !s.is_opening() && s.is_unacknowledged("log"); }},
      {"group synced, its checkpoint not begun",
       [](const Stop& s) {
         return !s.is_opening() && s.has(kSync, "log") && !s.has(kWrite, "blocks") &&
                s.comes(kWrite, "blocks");
       }},
      {"first group of a reused segment written, not synced",
       [](const Stop& s) {
         return !s.is_opening() && s.has_reused_segment() && s.is_dirty("log") &&
                s.comes(kSync, "log");
       }},
      {"segment changed, tree not written",
       [](const Stop& s) {
         return !s.is_opening() && !s.has(kWrite, "blocks") && s.comes(kWrite, "blocks");
       }},
      {"some blocks written, not others",
       [](const Stop& s) {
         return !s.is_opening() && s.is_dirty("blocks") && s.comes(kWrite, "blocks");
       }},
      {"blocks written, not synced",
       [](const Stop& s) {
         return !s.is_opening() && s.is_dirty("blocks") && s.comes(kSync, "blocks");
       }},
      {"values of basements written, blocks not synced",
       [](const Stop& s) {
         return !s.is_opening() && s.is_dirty("extents") && s.comes(kSync, "blocks");
       }},
      {"values moved, blocks not synced",
       [](const Stop& s) {
         return !s.is_opening() && s.has(kRead, "extents") && s.is_dirty("extents") &&
                s.comes(kSync, "blocks");
       }},
      {"blocks synced, superblock not written",
       [](const Stop& s) {
         return !s.is_opening() && s.was_last(kSync, "blocks") && s.comes(kWrite, "store");
       }},
      {"superblock written, not synced",
       [](const Stop& s) {
         return !s.is_opening() && s.is_dirty("store") && s.comes(kSync, "store");
       }},
      {"superblock synced, space not freed",
       [](const Stop& s) { return !s.is_opening() && s.is_unacknowledged("store"); }},
      {"space freed, file of values not cut",
       [](const Stop& s) {
         return !s.is_opening() && s.has(kSync, "store") && s.comes(kAllocate, "extents");
       }},
      {"file of values cut, nobody told",
       [](const Stop& s) {
         return !s.is_opening() && s.has_since_sync(kAllocate, "extents", "store");
       }},
  };
  return points;
}

}  // namespace

Failpoints::Failpoints() : counts_(failpoints().size()) {}

void Failpoints::count(const StoppingEnv& stopped, CrashLoss loss) {
  const Stop stop(stopped, loss);
  for (std::size_t at = 0; at < counts_.size(); ++at) {
    if (failpoints()[at].is_at(stop)) ++counts_[at];
  }
}

void Failpoints::add(const Failpoints& other) {
  for (std::size_t at = 0; at < counts_.size(); ++at) counts_[at] += other.counts_[at];
}

std::uint64_t Failpoints::count_min() const {
  return *std::min_element(counts_.begin(), counts_.end());
}

std::string Failpoints::to_text() const {
  std::string text;
  for (std::size_t at = 0; at < counts_.size(); ++at) {
    auto number = std::to_string(counts_[at]);
    number.insert(0, 9 - std::min<std::size_t>(9, number.size()), ' ');
    text += number + "  " + failpoints()[at].name + "\n";
  }
  return text;
}

}  // namespace dgfs::test
