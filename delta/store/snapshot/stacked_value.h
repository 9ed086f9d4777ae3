// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// StackedValue: what the stores of a stack say of one key, with large values that are not read yet.
// Parts of the value can be read, over what the caller has below all stores.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "delta/store/extent/extent_volume.h"
#include "delta/store/message/message.h"

namespace dgfs::delta {

/// Stretch of a value. A value.
struct ValueRange {
  std::uint64_t begin_bytes = 0;
  std::uint64_t end_bytes = 0;  ///< at least `begin_bytes`

  [[nodiscard]] bool empty() const { return begin_bytes == end_bytes; }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// A value. Thread-safe for reading.
class StackedValue {
 public:
  /// Gives bytes of what lies below all stores, from an offset on; zeros where it has none.
  using Bottom = std::function<Status(std::uint64_t begin_bytes, MutableBytes out)>;

  // Before all other calls, from the newest store on:

  /// @param values  of its store; must outlive this
  void add_older(Message message, const ExtentVolume& values);
  /// The next older level has nothing, or there is none.
  void add_nothing_older() { is_over_nothing_ = true; }
  /// Older levels have nothing to add.
  [[nodiscard]] bool is_final() const {
    return is_over_nothing_ || (!said_.empty() && said_.back().message.is_final());
  }

  /// Whether bytes of it have to be put together.
  [[nodiscard]] bool is_patched() const;
  /// The bytes of a part. Behind the end of the value there are zeros.
  /// @param begin_bytes  of the part in the value
  /// @param bottom       is asked once at most, for the stretch from the first byte that no store
  ///                     has to the last one
  /// Errors: those of LargeValue::load and of the bottom, kCorrupt (a field's change lies across
  /// the ends of the part); `out` has any bytes then.
  [[nodiscard]] Status read(std::uint64_t begin_bytes, MutableBytes out,
                            const Bottom& bottom) const;
  /// Tells the disk that large values which have bytes of a range will be read.
  void announce(const ValueRange& range) const;
  /// From the first to the last byte of a range that come from the oldest value, or from below all
  /// stores: that no patch replaces.
  [[nodiscard]] ValueRange from_base(const ValueRange& range) const;
  /// Stretches of a range, in order, that some store has: as pieces or as a value. Others are zeros
  /// that a store has put there, or lie below.
  [[nodiscard]] std::vector<ValueRange> data_in(const ValueRange& range) const;
  /// Whether the bottom shows through where no patch replaces it.
  [[nodiscard]] bool is_over_bottom() const { return !is_final(); }

 private:
  struct Said {
    Message message;
    const ExtentVolume* values;
  };
  [[nodiscard]] Status read_base(std::uint64_t begin_bytes, MutableBytes out,
                                 const Bottom& bottom) const;

  boost::container::small_vector<Said, 2> said_;  ///< the newest first; the last may be final
  bool is_over_nothing_ = false;
};

}  // namespace dgfs::delta
