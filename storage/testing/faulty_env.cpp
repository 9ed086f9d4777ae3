// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/testing/faulty_env.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "storage/mix.h"
#include "storage/scatter.h"
#include "storage/wrapped.h"

namespace dgfs::storage {
namespace {

constexpr std::uint64_t kSectorBytes = 512;

Error injected(ErrorKind kind, const std::string& path) {
  return Error(kind, 1131, "injected fault").in_file(path);
}

bool applies_to(FaultKind fault, CallKind call) {
  switch (fault) {
    case FaultKind::kIoError:
    case FaultKind::kStop:
      return true;
    case FaultKind::kNoSpace:
      return call == CallKind::kWrite || call == CallKind::kAllocate || call == CallKind::kLink ||
             call == CallKind::kCreate || call == CallKind::kPublish;
    case FaultKind::kShortRead:
    case FaultKind::kBitFlip:
      return call == CallKind::kRead;
    case FaultKind::kTornWrite:
    case FaultKind::kLostWrite:
    case FaultKind::kMisdirectedWrite:
      return call == CallKind::kWrite;
    case FaultKind::kLostSync:
      return call == CallKind::kSync;
  }
  return true;
}

// The first `count` bytes of `outs`.
std::vector<MutableBytes> first_of(std::span<const MutableBytes> outs, std::size_t count) {
  std::vector<MutableBytes> first;
  for (const MutableBytes& out : outs) {
    const std::size_t part = std::min(count, out.size());
    if (part > 0) first.push_back(out.first(part));
    count -= part;
  }
  return first;
}

void flip_bit(std::span<const MutableBytes> outs, std::uint64_t bit) {
  std::uint64_t byte = bit / 8;
  for (const MutableBytes& out : outs) {
    if (byte < out.size()) {
      out[byte] = static_cast<std::uint8_t>(out[byte] ^ (1U << (bit % 8)));
      return;
    }
    byte -= out.size();
  }
}

// The place of a misdirected write: not behind the end of the file, and not the right place.
Result<std::uint64_t> stray_offset(const File& file, std::uint64_t offset_bytes,
                                   std::uint64_t length_bytes, std::uint64_t dice) {
  DGFS_TRY(size, file.size());
  const std::uint64_t places =
      size / kSectorBytes - std::min(size, length_bytes) / kSectorBytes + 1;
  const std::uint64_t stray = dice % places * kSectorBytes;
  return stray == offset_bytes ? (dice + 1) % places * kSectorBytes : stray;
}

// Decides at each fault point whether the fault fires there.
class Saboteur final : public CallObserver {
 public:
  explicit Saboteur(std::uint64_t seed) : seed_(seed) {}

  void arm(Fault fault) {
    const std::lock_guard<std::mutex> lock(mutex_);
    fault_ = fault;
    calls_ = fired_ = 0;
    stopped_ = false;
  }
  [[nodiscard]] std::uint64_t calls() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return calls_;
  }
  [[nodiscard]] std::uint64_t fired() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return fired_;
  }
  void only_for(std::function<bool(const std::string&)> matches) {
    const std::lock_guard<std::mutex> lock(mutex_);
    matches_ = std::move(matches);
  }

  void lose_with(std::function<void(const std::string&)> lose) {
    const std::lock_guard<std::mutex> lock(mutex_);
    lose_ = std::move(lose);
  }

  Status before(CallKind kind, const std::string& path) override {
    const auto shot = pass(kind, path);
    if (!shot) return ok();
    if (shot->kind == FaultKind::kLostSync && lose_) lose_(path);
    if (shot->kind == FaultKind::kNoSpace) return injected(ErrorKind::kNoSpace, path);
    return injected(ErrorKind::kIo, path);
  }

  Result<std::size_t> read(const File& file, std::uint64_t offset_bytes,
                           std::span<const MutableBytes> outs, const std::string& path) override {
    const auto shot = pass(CallKind::kRead, path);
    if (!shot) return read_through(file, offset_bytes, outs);
    if (shot->kind == FaultKind::kShortRead) {
      return read_through(file, offset_bytes,
                          first_of(outs, shot->dice % std::max<std::size_t>(1, total_size(outs))));
    }
    if (shot->kind != FaultKind::kBitFlip) return injected(ErrorKind::kIo, path);
    DGFS_TRY(count, read_through(file, offset_bytes, outs));
    if (count > 0) flip_bit(outs, shot->dice % (count * 8));
    return count;
  }

  Status write(File& file, std::uint64_t offset_bytes, Bytes data,
               const std::string& path) override {
    const auto shot = pass(CallKind::kWrite, path);
    if (!shot) return file.write_at(offset_bytes, data);
    if (shot->kind == FaultKind::kNoSpace) return injected(ErrorKind::kNoSpace, path);
    if (shot->kind == FaultKind::kLostWrite) return ok();
    if (shot->kind == FaultKind::kMisdirectedWrite) {
      DGFS_TRY(stray, stray_offset(file, offset_bytes, data.size(), shot->dice));
      return stray == offset_bytes ? Status(ok()) : file.write_at(stray, data);
    }
    const bool stores_prefix =
        shot->kind == FaultKind::kTornWrite || shot->kind == FaultKind::kIoError;
    if (stores_prefix && !data.empty()) {
      DGFS_CHECK(file.write_at(offset_bytes, data.first(shot->dice % data.size())));
    }
    return injected(ErrorKind::kIo, path);
  }

 private:
  struct Shot {
    FaultKind kind;
    std::uint64_t dice;
  };

  static Result<std::size_t> read_through(const File& file, std::uint64_t offset_bytes,
                                          std::span<const MutableBytes> outs) {
    return outs.size() == 1 ? file.read_at(offset_bytes, outs[0])
                            : file.read_at(offset_bytes, outs);
  }

  // Counts a fault point. Returns the shot to fire there, if any.
  std::optional<Shot> pass(CallKind kind, const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (matches_ && !stopped_ && !matches_(path)) return std::nullopt;
    ++calls_;
    const bool due =
        stopped_ || (fault_.at_call != 0 &&
                     (fault_.sticky ? calls_ >= fault_.at_call : calls_ == fault_.at_call));
    if (!due || !applies_to(fault_.kind, kind)) return std::nullopt;
    ++fired_;
    stopped_ = fault_.kind == FaultKind::kStop;
    return Shot{fault_.kind, mix(seed_, calls_)};
  }

  const std::uint64_t seed_;
  mutable std::mutex mutex_;
  Fault fault_;
  std::uint64_t calls_ = 0;
  std::uint64_t fired_ = 0;
  bool stopped_ = false;
  std::function<bool(const std::string&)> matches_;
  std::function<void(const std::string&)> lose_;
};

class FaultyEnvImpl final : public WrappedEnv<FaultyEnv> {
 public:
  FaultyEnvImpl(Env& base, std::uint64_t seed) : WrappedEnv(base), saboteur_(seed) {}

  void arm(Fault fault) override { saboteur_.arm(fault); }
  std::uint64_t calls() const override { return saboteur_.calls(); }
  std::uint64_t fired() const override { return saboteur_.fired(); }
  void only_for(std::function<bool(const std::string& path)> matches) override {
    saboteur_.only_for(std::move(matches));
  }
  void lose_with(std::function<void(const std::string& path)> lose) override {
    saboteur_.lose_with(std::move(lose));
  }

 private:
  CallObserver& observer() const override { return saboteur_; }

  mutable Saboteur saboteur_;
};

}  // namespace

std::unique_ptr<FaultyEnv> make_faulty_env(Env& base, std::uint64_t seed) {
  return std::make_unique<FaultyEnvImpl>(base, seed);
}

}  // namespace dgfs::storage
