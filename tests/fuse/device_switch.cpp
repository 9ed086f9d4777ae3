// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/fuse/device_switch.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "storage/wrapped.h"

namespace dgfs::test {
namespace {

void damage(DeviceFault fault, std::span<const MutableBytes> outs) {
  for (const auto& out : outs) {
    if (out.empty()) continue;
    if (fault == DeviceFault::kFlip) out[out.size() / 2] ^= 0x10;
    if (fault == DeviceFault::kZeros) std::fill(out.begin(), out.end(), std::uint8_t{0});
  }
}

class Observer final : public storage::CallObserver {
 public:
  explicit Observer(DeviceSwitch& device_switch) : switch_(device_switch) {}

  Result<std::size_t> read(const storage::File& file, std::uint64_t offset_bytes,
                           std::span<const MutableBytes> outs, const std::string& path) override {
    const auto fault = switch_.next(path);
    if (fault == DeviceFault::kError) {
      return Error(ErrorKind::kIo, 1131, "cannot read: Input/output error")
          .in_file(path)
          .at_offset(offset_bytes)
          .with_errno(EIO);
    }
    if (fault == DeviceFault::kShort) return file.read_at(offset_bytes, outs.front().first(1));
    auto count = file.read_at(offset_bytes, outs);
    if (fault != DeviceFault::kNone) damage(fault, outs);
    return count;
  }

 private:
  DeviceSwitch& switch_;
};

class SwitchedEnv final : public storage::WrappedEnv<storage::Env> {
 public:
  SwitchedEnv(storage::Env& base, DeviceSwitch& device_switch)
      : WrappedEnv(base), observer_(device_switch) {}

 private:
  storage::CallObserver& observer() const override { return observer_; }
  mutable Observer observer_;
};

}  // namespace

DeviceFault DeviceSwitch::next(const std::string& path) {
  const DeviceFault fault = fault_;
  const DevicePart part = part_;
  if (fault == DeviceFault::kNone) return fault;
  if (part != DevicePart::kAll && path.ends_with(".idx") != (part == DevicePart::kIndex)) {
    return DeviceFault::kNone;
  }
  if (once_ && countdown_.fetch_sub(1) != 0) return DeviceFault::kNone;
  ++fired_;
  return fault;
}

DeviceSwitch* make_shared_switch() {
  void* memory = ::mmap(nullptr, sizeof(DeviceSwitch), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return new (memory) DeviceSwitch;
}

std::unique_ptr<storage::Env> make_switched_env(storage::Env& base, DeviceSwitch& device_switch) {
  return std::make_unique<SwitchedEnv>(base, device_switch);
}

}  // namespace dgfs::test
