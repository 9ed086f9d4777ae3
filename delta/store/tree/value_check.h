// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValueCheck: checks the large values of a store in its extent volume.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "delta/store/disk/damage.h"
#include "delta/store/extent/large_value.h"
#include "delta/store/run/run.h"

namespace dgfs::delta {

/// For one thread.
class ValueCheck {
 public:
  /// @param file    the extent volume; null: it could not be opened, and no value is checked
  /// @param damage  gets the errors; must outlive it
  /// Errors: kIo.
  [[nodiscard]] static Result<ValueCheck> make(std::unique_ptr<storage::File> file, Damage& damage);

  /// Checks that each value lies in the file, and that no two overlap.
  /// Errors: those of Damage::add.
  [[nodiscard]] Status mark(const std::vector<Extent>& values);
  /// Reads all values of a run. Errors: those of Damage::add.
  [[nodiscard]] Status read(const Run& run);

  /// Values marked so far.
  [[nodiscard]] std::uint64_t values() const { return values_; }
  [[nodiscard]] std::uint64_t value_bytes() const { return value_bytes_; }
  [[nodiscard]] std::uint64_t read_bytes() const { return read_bytes_; }
  /// False: the extent volume could not be opened.
  [[nodiscard]] bool is_open() const { return volume_ != nullptr; }
  /// The file without the values that were marked. Only if is_open().
  [[nodiscard]] FreeSpace free_space() const { return volume_->file().free_space(); }
  /// Free bytes between values.
  [[nodiscard]] std::uint64_t free_bytes() const {
    return volume_ == nullptr ? 0 : volume_->file().space().free_bytes();
  }

 private:
  ValueCheck(std::unique_ptr<ExtentVolume> volume, std::uint64_t file_bytes, Damage& damage)
      : volume_(std::move(volume)), file_bytes_(file_bytes), damage_(&damage) {}

  std::unique_ptr<ExtentVolume> volume_;
  std::uint64_t file_bytes_;
  Damage* damage_;
  std::uint64_t values_ = 0;
  std::uint64_t value_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;
};

}  // namespace dgfs::delta
