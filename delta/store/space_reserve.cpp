// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/space_reserve.h"

#include "delta/store/tree/tree_blocks.h"

namespace dgfs::delta {
namespace {

// The most tables that wait; each adds a run to each slot of the root.
constexpr std::uint64_t kTablesMax = 16;
// Part of the low-water mark, in `table_bytes`: for large values that die between two checkpoints
// (store.cpp).
constexpr std::uint64_t kLowWaterTables = 8;
// If an allowance is below this part of its full size, a checkpoint to measure it again is not
// worth it.
constexpr std::uint64_t kMeasurableShare = 16;
// A checkpoint is worth it if this part of the free space waits for it.
constexpr std::uint64_t kWorthShare = 8;
// While writers are active, this part of the used bytes stays on disk as free space.
constexpr std::uint64_t kKeptFreeShare = 8;
// More than is lacking is given back at once, because the next one will lack some, too.
constexpr std::uint64_t kSpareStepBytes = std::uint64_t{8} << 20;
// The least that a new prefix of the filter takes in a table.
constexpr std::uint64_t kBytesOfPrefix = 48;

}  // namespace

Result<std::optional<SpaceReserve::Admission>> SpaceReserve::admit(const SpaceRequest& request) {
  std::optional<Admission> admission(Admission(*this));
  {
    const std::lock_guard lock(mutex_);
    if (refusal_ && !draw(request, *admission)) {
      refused_value_bytes_ = std::max(refused_value_bytes_, request.value_bytes);
      return *refusal_;
    }
  }
  if (request.value_bytes == 0) return admission;
  if (auto promise = files_.values.promise_of_reserve(request.value_bytes)) {
    admission->values_ = std::move(*promise);
    return admission;
  }
  admission.reset();
  const std::lock_guard lock(mutex_);
  if (!is_known_to_lack(request.value_bytes)) return admission;
  refused_value_bytes_ = std::max(refused_value_bytes_, request.value_bytes);
  return *value_refusal_;
}

bool SpaceReserve::draw(const SpaceRequest& request, Admission& admission) {
  if (request.batch_class == BatchClass::kOrdinary && !request.removes_only) return false;
  const bool is_internal = request.batch_class == BatchClass::kInternal;
  const Left left = is_internal ? &Allowances::internal_bytes : &Allowances::removing_bytes;
  if (request.block_bytes > left_.*left && !request.removes_only) return false;
  admission.left_ = left;
  admission.drawn_bytes_ = std::min(request.block_bytes, left_.*left);
  left_.*left -= admission.drawn_bytes_;
  admitted_.*left += admission.drawn_bytes_;
  unmeasured_.*left += admission.drawn_bytes_;
  return true;
}

// A measurement may have changed `there_` since the bytes were drawn.
void SpaceReserve::give_back(Left left, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  left_.*left = std::min(left_.*left + bytes, there_.*left);
  admitted_.*left -= bytes;
}

void SpaceReserve::note_taken_in(Left left, std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  admitted_.*left -= bytes;
}

// Batches may be admitted and taken in during a measurement.
void SpaceReserve::begin_measuring() {
  const std::lock_guard lock(mutex_);
  unmeasured_ = admitted_;
}

void SpaceReserve::measured(const Allowances& there) {
  there_ = there;
  left_ = {there.removing_bytes - std::min(there.removing_bytes, unmeasured_.removing_bytes),
           there.internal_bytes - std::min(there.internal_bytes, unmeasured_.internal_bytes)};
}

bool SpaceReserve::is_running_low() const {
  const std::lock_guard lock(mutex_);
  const auto full = this->full();
  const auto is_low = [&](Left left) {
    return there_.*left >= full.*left / kMeasurableShare && left_.*left < there_.*left &&
           left_.*left <= there_.*left / 2;
  };
  return is_low(&Allowances::removing_bytes) || is_low(&Allowances::internal_bytes);
}

bool SpaceReserve::is_known_to_lack(std::uint64_t value_bytes) const {
  return value_refusal_ && files_.values.promised_bytes() + value_bytes >= values_lacking_bytes_;
}

Result<bool> SpaceReserve::ask_for(std::uint64_t value_bytes) {
  for (const bool is_last : {false, true}) {
    const auto promised = files_.values.promise(value_bytes);
    if (promised) return true;
    if (promised.error().kind() != ErrorKind::kNoSpace) return promised.error();
    note_answer(promised.error());
    const auto all_bytes = files_.values.promised_bytes() + value_bytes;
    const auto lacking_bytes = files_.values.file().lacking_bytes(all_bytes);
    if (is_last || !give_back_spare(kept_bytes(), all_bytes, lacking_bytes)) break;
  }
  return false;
}

void SpaceReserve::note_answer(const Error& lack) {
  const std::lock_guard lock(mutex_);
  lack_ = lack;
}

void SpaceReserve::note_lack(std::uint64_t value_bytes) {
  const std::lock_guard lock(mutex_);
  value_refusal_ = lack_;
  values_lacking_bytes_ = files_.values.promised_bytes() + value_bytes;
}

bool SpaceReserve::give_back_spare(std::uint64_t block_bytes, std::uint64_t value_bytes,
                                   std::uint64_t lacking_bytes) {
  look_at_disk();
  if (page_bytes() < block_bytes + value_bytes) return false;
  const auto wanted_bytes = files_.cap.excess_bytes() + lacking_bytes + kSpareStepBytes;
  files_.values.give_back_spare(wanted_bytes);
  files_.blocks.give_back_spare(wanted_bytes);
  return true;
}

Status SpaceReserve::reserve_blocks(std::uint64_t bytes) {
  auto reserved = files_.blocks.reserve(bytes);
  if (reserved || reserved.error().kind() != ErrorKind::kNoSpace) return reserved;
  const auto lacking_bytes = files_.blocks.lacking_bytes(bytes);
  if (!give_back_spare(bytes, files_.values.promised_bytes(), lacking_bytes)) return reserved;
  return files_.blocks.reserve(bytes);
}

Result<bool> SpaceReserve::has_what_was_refused() {
  std::uint64_t value_bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    if (refusal_) return false;
    value_refusal_.reset();
    value_bytes = refused_value_bytes_;
  }
  DGFS_TRY(is_found, ask_for(value_bytes));
  if (!is_found) note_lack(value_bytes);
  return is_found;
}

bool SpaceReserve::is_there() const {
  const std::lock_guard lock(mutex_);
  return !refusal_;
}

Result<std::uint64_t> SpaceReserve::bytes_for(const Stored<Node>& root) const {
  DGFS_TRY(unwritten, unwritten_bytes(root, files_.source()));
  const auto& parameters = options_.parameters;
  return unwritten + waiting_bytes_max() + full().all_bytes() +
         parameters.segment_bytes / kGroupShare +
         (kTablesMax * (parameters.fanout + 2) + 2 * kSlicesMax) * kBlockAlignmentBytes +
         4 * root.size_bytes() +
         filter_.bytes_to_write(kPatience * options_.table_bytes / kBytesOfPrefix) +
         space_.bytes_to_write();
}

// While ordinary batches are refused, only what waits now needs space, and not as much as may wait.
Result<bool> SpaceReserve::keep(const Stored<Node>& root, std::uint64_t pushed_bytes) {
  begin_measuring();
  DGFS_TRY(bytes, bytes_for(root));
  auto reserved = reserve_blocks(bytes);
  if (reserved) {
    note_kept(bytes);
    return true;
  }
  const std::uint64_t waiting_bytes = tables_.backlog().tree_bytes;
  const auto least_bytes =
      bytes - waiting_bytes_max() - full().all_bytes() +
      std::min(waiting_bytes - std::min(waiting_bytes, pushed_bytes), waiting_bytes_max());
  static_cast<void>(reserve_blocks(least_bytes + full().all_bytes()));
  const auto room_bytes = files_.blocks.hold_room();
  return note_refusal(std::move(reserved).error(), room_bytes - std::min(room_bytes, least_bytes));
}

void SpaceReserve::note_kept(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  refusal_.reset();
  value_refusal_.reset();  // there may be space again
  measured(full());
  kept_bytes_ = bytes;
}

// The allowances are limited to the space that is really there. So every checkpoint that makes
// space increases them, and every byte that they promise exists.
bool SpaceReserve::note_refusal(Error refusal, std::uint64_t spare_bytes) {
  const std::lock_guard lock(mutex_);
  refusal_ = std::move(refusal);
  value_refusal_.reset();
  const auto internal_bytes = spare_bytes / (kInternalReserveShare + 1);
  measured({std::min(full().removing_bytes, spare_bytes - internal_bytes),
            std::min(full().internal_bytes, internal_bytes)});
  kept_bytes_ = files_.blocks.room_bytes();
  return spare_bytes >= full().all_bytes();
}

// A cleaning without a reserve is done to get it back, so it must not depend on it.
bool SpaceReserve::is_left_by(const Stored<Node>& root) {
  if (!is_there()) return true;
  const auto bytes = bytes_for(root);
  return bytes && files_.blocks.reserve(bytes.value());
}

// No other thread reserves space for blocks meanwhile. Values shrink first, because the blocks may
// need what they give back.
Status SpaceReserve::shorten_files(const Stored<Node>& root, bool is_resting) {
  const auto behind = is_resting ? BlockFile::Behind::kReserved : BlockFile::Behind::kWritten;
  files_.values.shorten(options_.spare_bytes, behind);
  DGFS_CHECK(keep(root));
  DGFS_TRY(bytes, bytes_for(root));
  files_.blocks.shorten([bytes = bytes] { return bytes; }, options_.spare_bytes, behind);
  for (BlockFile* file : {&files_.values.file(), &files_.blocks}) {
    file->punch(options_.punch_bytes, is_resting ? 0 : file->used_bytes() / kKeptFreeShare);
  }
  look_at_disk();
  return ok();
}

// Another opening may have had more memory, or no cap. The step of the reserve stays, so that
// keep() seldom asks the disk.
Status SpaceReserve::shorten_opened_files(const Stored<Node>& root) {
  DGFS_TRY(bytes, bytes_for(root));
  const auto kept_bytes = std::max(bytes, files_.blocks.reserved_bytes());
  files_.values.shorten(options_.spare_bytes, BlockFile::Behind::kReserved);
  files_.blocks.shorten([kept_bytes] { return kept_bytes; }, options_.spare_bytes,
                        BlockFile::Behind::kReserved);
  look_at_disk();
  if (const auto excess_bytes = files_.cap.excess_bytes(); excess_bytes != 0) {
    files_.values.give_back_spare(excess_bytes);
    files_.blocks.give_back_spare(excess_bytes);
  }
  return ok();
}

// On a disk that is short of space the next opening might not get back what is given up here, and
// removals would have less.
Status SpaceReserve::shorten_closed_files(const Stored<Node>& root) {
  files_.values.shorten(0, BlockFile::Behind::kReserved);
  DGFS_CHECK(keep(root));
  DGFS_TRY(bytes, bytes_for(root));
  look_at_disk();
  const bool is_plenty = is_there() && !is_short();
  const auto kept_bytes = bytes - (is_plenty ? std::min(bytes, waiting_bytes_max()) : 0);
  files_.blocks.shorten([kept_bytes] { return kept_bytes; }, 0, BlockFile::Behind::kReserved);
  for (BlockFile* file : {&files_.values.file(), &files_.blocks}) {
    file->punch(options_.punch_bytes, 0);
  }
  return ok();
}

void SpaceReserve::look_at_disk() {
  if (const auto free = files_.blocks.disk_free_bytes()) {
    const std::lock_guard lock(mutex_);
    disk_free_bytes_ = free.value();
  }
  is_short_ = available_bytes() < kLowWaterTables * options_.table_bytes + 2 * options_.dirty_bytes;
}

bool SpaceReserve::is_worth_a_checkpoint(std::uint64_t waiting_bytes) const {
  return waiting_bytes >=
         std::max<std::uint64_t>(available_bytes() / kWorthShare, options_.spare_bytes);
}

std::uint64_t SpaceReserve::available_bytes() const {
  std::uint64_t bytes = files_.cap.left_bytes();
  {
    const std::lock_guard lock(mutex_);
    bytes = std::min(bytes, disk_free_bytes_);
  }
  for (const BlockFile* file : {&files_.blocks, &files_.values.file()}) {
    const auto taken = file->taken_bytes();
    const auto free = taken - std::min(taken, file->used_bytes());
    bytes += std::min(free, UINT64_MAX - bytes);
  }
  return bytes;
}

std::uint64_t SpaceReserve::page_bytes() const {
  std::uint64_t disk_bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    disk_bytes = disk_free_bytes_;
  }
  const auto free_bytes = files_.blocks.free_page_bytes() + files_.values.file().free_page_bytes();
  const auto bytes = std::min(files_.cap.left_bytes(), disk_bytes);
  const auto all_bytes = bytes + std::min(free_bytes, UINT64_MAX - bytes);
  return all_bytes - std::min(all_bytes, files_.cap.excess_bytes());
}

std::uint64_t SpaceReserve::writable_bytes() const {
  const auto all_bytes = page_bytes();
  return all_bytes - std::min(all_bytes, reserved_bytes());
}

std::uint64_t SpaceReserve::reserved_bytes() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_ + files_.values.promised_bytes();
}

}  // namespace dgfs::delta
