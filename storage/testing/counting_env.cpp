// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/testing/counting_env.h"

#include <mutex>

#include "storage/wrapped.h"

namespace dgfs::storage {
namespace {

// A failed call counts as a call, but without bytes.
class Ledger final : public CallObserver {
 public:
  Status before(CallKind kind, const std::string& path) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kind == CallKind::kOpen || kind == CallKind::kCreate) ++counts_[key(path)].opens;
    if (kind == CallKind::kSync || kind == CallKind::kPublish) ++counts_[key(path)].syncs;
    return ok();
  }

  Result<std::size_t> read(const File& file, std::uint64_t offset_bytes,
                           std::span<const MutableBytes> outs, const std::string& path) override {
    const auto count =
        outs.size() == 1 ? file.read_at(offset_bytes, outs[0]) : file.read_at(offset_bytes, outs);
    const std::lock_guard<std::mutex> lock(mutex_);
    IoCounts& counts = counts_[key(path)];
    ++counts.reads;
    if (count) counts.read_bytes += count.value();
    return count;
  }

  Status write(File& file, std::uint64_t offset_bytes, Bytes data,
               const std::string& path) override {
    auto status = file.write_at(offset_bytes, data);
    const std::lock_guard<std::mutex> lock(mutex_);
    IoCounts& counts = counts_[key(path)];
    ++counts.writes;
    if (status) counts.written_bytes += data.size();
    return status;
  }

  [[nodiscard]] std::map<std::string, IoCounts> all() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return counts_;
  }

  void reset() {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_.clear();
  }

 private:
  // All files of Env::create_unnamed() count as one, whatever their directory.
  static std::string key(const std::string& path) {
    return base_name(path) == kUnnamedName ? std::string(kUnnamedName) : path;
  }
  static constexpr std::string_view kUnnamedName = "(unnamed)";

  mutable std::mutex mutex_;
  std::map<std::string, IoCounts> counts_;
};

class CountingEnvImpl final : public WrappedEnv<CountingEnv> {
 public:
  using WrappedEnv::WrappedEnv;

  IoCounts counts(const std::string& path) const override {
    const auto counts = ledger_.all();
    const auto found = counts.find(path);
    return found == counts.end() ? IoCounts{} : found->second;
  }
  std::map<std::string, IoCounts> all() const override { return ledger_.all(); }
  void reset() override { ledger_.reset(); }

 private:
  CallObserver& observer() const override { return ledger_; }

  mutable Ledger ledger_;
};

}  // namespace

std::unique_ptr<CountingEnv> make_counting_env(Env& base) {
  return std::make_unique<CountingEnvImpl>(base);
}

}  // namespace dgfs::storage
