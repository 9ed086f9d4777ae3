// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "bench/view/meter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>

namespace dgfs::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kSectorBytes = 512;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  statistics >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Fields of Documentation/block/stat.rst: requests, merged requests, sectors and time of each kind.
std::optional<DeviceCounts> device_counts(const std::string& statistics) {
  std::ifstream file(statistics);
  std::array<std::uint64_t, 8> fields{};
  for (auto& field : fields) {
    if (!(file >> field)) return std::nullopt;
  }
  return DeviceCounts{fields[0], fields[2] * kSectorBytes, fields[4], fields[6] * kSectorBytes};
}

storage::IoCounts sum(const std::map<std::string, storage::IoCounts>& files) {
  storage::IoCounts all;
  for (const auto& [path, counts] : files) {
    all.opens += counts.opens;
    all.reads += counts.reads;
    all.read_bytes += counts.read_bytes;
    all.writes += counts.writes;
    all.written_bytes += counts.written_bytes;
    all.syncs += counts.syncs;
  }
  return all;
}

std::string to_json(const Storage& storage) {
  const auto& calls = storage.calls;
  auto text = fmt::format(
      R"({{"opens":{},"reads":{},"read_bytes":{},"writes":{},"written_bytes":{},"syncs":{},)",
      calls.opens, calls.reads, calls.read_bytes, calls.writes, calls.written_bytes, calls.syncs);
  if (!storage.device) return text + R"("device":null})";
  const auto& device = *storage.device;
  return text + fmt::format(R"("device":{{"reads":{},"read_bytes":{},"writes":{},)"
                            R"("written_bytes":{}}}}})",
                            device.reads, device.read_bytes, device.writes, device.written_bytes);
}

}  // namespace

std::string Row::to_json() const {
  return fmt::format(
      R"({{"name":"{}","operations":{},"seconds":{:.9f},"sync_seconds":{:.9f},"synced":{},)"
      R"("settled":{},"memory_bytes":{}}})",
      name, operations, seconds, sync_seconds, bench::to_json(synced), bench::to_json(settled),
      memory_bytes);
}

Status Meter::measure(const std::string& name, const std::function<Result<std::uint64_t>()>& task) {
  Row row;
  row.name = name;
  const auto memory_before = resident_bytes();
  env_.reset();
  const auto device_before = device_counts(statistics_);
  const auto begin = Clock::now();
  DGFS_TRY(operations, task());
  const auto sync_begin = Clock::now();
  DGFS_CHECK(target_.sync());
  row.sync_seconds = seconds_since(sync_begin);
  row.seconds = seconds_since(begin);
  row.operations = operations;
  row.memory_bytes = resident_bytes() - memory_before;
  row.synced = since(device_before);
  DGFS_CHECK(target_.settle());
  row.settled = since(device_before);
  rows_.push_back(std::move(row));
  return ok();
}

Storage Meter::since(const std::optional<DeviceCounts>& begin) const {
  Storage storage{sum(env_.all()), device_counts(statistics_)};
  if (!begin || !storage.device) return storage;
  storage.device->reads -= begin->reads;
  storage.device->read_bytes -= begin->read_bytes;
  storage.device->writes -= begin->writes;
  storage.device->written_bytes -= begin->written_bytes;
  return storage;
}

}  // namespace dgfs::bench
