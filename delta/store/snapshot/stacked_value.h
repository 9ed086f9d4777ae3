// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// StackedValue: the messages of the stores of a stack for one key, without reading their large
// values. Reads parts of the value, over what the caller has below all stores.
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

/// A stretch of a value. A value.
struct ValueRange {
  std::uint64_t begin_bytes = 0;
  std::uint64_t end_bytes = 0;  ///< at least `begin_bytes`

  [[nodiscard]] bool empty() const { return begin_bytes == end_bytes; }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// A value. Thread-safe for reading.
class StackedValue {
 public:
  /// Reads bytes from below all stores, from an offset on; zeros where there are none.
  using Bottom = std::function<Status(std::uint64_t begin_bytes, MutableBytes out)>;

  // Before all other calls, from the newest store on:

  /// @param values  of its store; must outlive this
  void add_older(Message message, const ExtentVolume& values);
  /// The next older level has nothing, or there is no older level.
  void add_nothing_older() { is_over_nothing_ = true; }
  /// Older levels add nothing.
  [[nodiscard]] bool is_final() const {
    return is_over_nothing_ || (!said_.empty() && said_.back().message.is_final());
  }

  /// Whether a store has a patch of it, so that its bytes must be composed.
  [[nodiscard]] bool is_patched() const;
  /// Whether any patch changes fields: parts that cut a field cannot be read then.
  [[nodiscard]] bool has_fields() const;
  /// Reads the bytes of a part; zeros behind the end of the value.
  /// @param begin_bytes  of the part in the value
  /// @param bottom       called at most once, for the stretch from the first byte to the last that
  ///                     no store has
  /// Errors: those of LargeValue::load and of the bottom, kCorrupt (a field change crosses an end
  /// of the part); the content of `out` is undefined then.
  [[nodiscard]] Status read(std::uint64_t begin_bytes, MutableBytes out,
                            const Bottom& bottom) const;
  /// Announces to the disk that large values with bytes in a range will be read.
  void announce(const ValueRange& range) const;
  /// The stretch from the first to the last byte of a range that no patch replaces: they come from
  /// the oldest value or from below all stores.
  [[nodiscard]] ValueRange from_base(const ValueRange& range) const;
  /// Stretches of a range, in order, for which a store has data, as pieces or as a value. The
  /// others are zeros of a store, or lie below.
  [[nodiscard]] std::vector<ValueRange> data_in(const ValueRange& range) const;
  /// Whether the bytes that no patch replaces come from the bottom.
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
