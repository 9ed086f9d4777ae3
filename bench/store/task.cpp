// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/store/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench/store/paced_writer.h"
#include "bench/store/processor_time.h"
#include "storage/mix.h"

namespace dgfs::bench {
namespace {

constexpr std::size_t kPatchBytes = 4;
constexpr std::uint64_t kScanAfterKeys = 10;
constexpr std::uint64_t kChecksAfter = 100;

class Task {
 public:
  Task(Engine& engine, const KeySpace& keys, const TaskOptions& options)
      : engine_(engine), keys_(keys), options_(options) {}

  Result<std::vector<Phase>> run() {
    const std::string& name = options_.name;
    if (name == "insert-sequential") {
      DGFS_CHECK(write(&Task::insert_sequential));
    } else if (name == "insert-random") {
      DGFS_CHECK(write(&Task::insert_random));
    } else if (name == "overwrite") {
      DGFS_CHECK(write(&Task::overwrite));
    } else if (name == "patch") {
      DGFS_CHECK(write(&Task::patch));
    } else if (name == "get-hit" || name == "get-miss") {
      DGFS_CHECK(get(name, options_.operations, name == "get-hit"));
    } else if (name == "scan") {
      DGFS_CHECK(scan());
    } else if (name == "remove-range") {
      DGFS_CHECK(remove_ranges());
    } else {
      return Error(ErrorKind::kInvalidArgument, 9013, "there is no such task");
    }
    return std::move(phases_);
  }

 private:
  using Write = Status (Task::*)(PacedWriter&) const;

  [[nodiscard]] std::uint64_t random(std::uint64_t index, std::uint64_t below) const {
    return storage::mix(options_.seed, index) % below;
  }
  [[nodiscard]] std::uint64_t random_key(std::uint64_t index) const {
    return random(index, keys_.count());
  }
  /// A random first key of a span, so that all keys of the span are below count().
  [[nodiscard]] std::uint64_t random_begin(std::uint64_t index) const {
    return random(index, keys_.count() - std::min(options_.span, keys_.count() - 1));
  }
  [[nodiscard]] static Error wrong(std::uint64_t number) {
    return {ErrorKind::kCorrupt, 9014, fmt::format("a wrong answer for key {}", number)};
  }

  template <class Work>
  Status in_phase(std::string name, const Work& work) {
    Phase phase;
    phase.name = std::move(name);
    const auto processor_begin = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    DGFS_CHECK(work(phase));
    phase.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    phase.processor_seconds = processor_seconds() - processor_begin;
    phases_.push_back(std::move(phase));
    return ok();
  }

  Status write(Write work) {
    return in_phase(options_.name, [&](Phase& phase) -> Status {
      PacedWriter writer(engine_, options_, phase);
      DGFS_CHECK((this->*work)(writer));
      return writer.finish();
    });
  }

  Status insert_sequential(PacedWriter& writer) const {
    for (std::uint64_t number = 0; number < keys_.count(); ++number) {
      DGFS_CHECK(writer.put({KeySpace::key(number), keys_.value(number, 0)}));
    }
    return ok();
  }

  Status insert_random(PacedWriter& writer) const {
    for (std::uint64_t i = 0; i < keys_.count(); ++i) {
      const std::uint64_t number = keys_.shuffled(i);
      DGFS_CHECK(writer.put({KeySpace::key(number), keys_.value(number, 0)}));
    }
    return ok();
  }

  Status overwrite(PacedWriter& writer) const {
    for (std::uint64_t i = 0; i < options_.operations; ++i) {
      const std::uint64_t number = random_key(i);
      DGFS_CHECK(writer.put({KeySpace::key(number), keys_.value(number, i + 1)}));
    }
    return ok();
  }

  Status patch(PacedWriter& writer) const {
    const std::size_t places = keys_.value_bytes() - kValueHeadBytes - kPatchBytes + 1;
    for (std::uint64_t i = 0; i < options_.operations; ++i) {
      const std::uint64_t bits = storage::mix(~options_.seed, i);
      DGFS_CHECK(writer.patch({KeySpace::key(random_key(i)), kValueHeadBytes + bits % places,
                               std::string(kPatchBytes, static_cast<char>(bits >> 56))}));
    }
    return ok();
  }

  Status remove_ranges() {
    DGFS_CHECK(in_phase("remove-range", [&](Phase& phase) -> Status {
      PacedWriter writer(engine_, options_, phase);
      for (std::uint64_t i = 0; i < options_.operations; ++i) {
        const std::uint64_t begin = random_begin(i);
        DGFS_CHECK(writer.remove_range(KeySpace::key(begin), KeySpace::key(begin + options_.span)));
      }
      return writer.finish();
    }));
    for (std::uint64_t i = 0; i < std::min(options_.operations, kChecksAfter); ++i) {
      const std::uint64_t last = random_begin(i) + options_.span - 1;
      DGFS_TRY(is_there, engine_.get(KeySpace::key(last), value_));
      if (is_there) return wrong(last);
    }
    DGFS_CHECK(get("get-after", options_.reads_after, std::nullopt));
    return in_phase("scan-after", [&](Phase& phase) -> Status {
      for (std::uint64_t i = 0; i < options_.reads_after; ++i) {
        DGFS_CHECK(scan_from(phase, random_begin(i % options_.operations), kScanAfterKeys));
      }
      return ok();
    });
  }

  /// @param is_hit  whether the keys exist; nullopt: either
  Status get(const std::string& name, std::uint64_t count, std::optional<bool> is_hit) {
    return in_phase(name, [&](Phase& phase) -> Status {
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t number = storage::mix(options_.seed + 1, i) % keys_.count();
        const bool is_missing = is_hit && !*is_hit;
        const auto key = is_missing ? KeySpace::missing_key(number) : KeySpace::key(number);
        DGFS_TRY(found, timed(phase.calls, [&] { return engine_.get(key, value_); }));
        if (is_hit && found != *is_hit) return wrong(number);
        if (found && !keys_.is_of(value_, number)) return wrong(number);
        ++phase.operations;
        phase.given_bytes += found ? key.size() + value_.size() : 0;
      }
      return ok();
    });
  }

  Status scan_from(Phase& phase, std::uint64_t begin, std::uint64_t count) {
    const auto key = KeySpace::key(begin);
    DGFS_TRY(scanned, timed(phase.calls, [&] { return engine_.scan(key, count); }));
    phase.operations += scanned.keys;
    phase.given_bytes += scanned.bytes;
    return ok();
  }

  Status scan() {
    return in_phase("scan", [&](Phase& phase) -> Status {
      for (std::uint64_t i = 0; i < options_.operations; ++i) {
        DGFS_CHECK(scan_from(phase, random_begin(i), options_.span));
      }
      const std::uint64_t wanted = options_.operations * std::min(options_.span, keys_.count() - 1);
      return phase.operations == wanted ? Status(ok()) : wrong(phase.operations);
    });
  }

  Engine& engine_;
  const KeySpace& keys_;
  const TaskOptions& options_;
  std::vector<Phase> phases_;
  std::string value_;  ///< the last value that was read
};

}  // namespace

Result<std::vector<Phase>> run_task(Engine& engine, const KeySpace& keys,
                                    const TaskOptions& options) {
  return Task(engine, keys, options).run();
}

}  // namespace dgfs::bench
