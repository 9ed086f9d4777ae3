// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// ValueCopier: writes the large values of messages that a join has put together into the volume of
// the joined store. It writes the bytes that readers can still see, and no others: a large value
// with patches becomes one value, pieces that touch become one piece.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "delta/store/disk/parameters.h"
#include "delta/store/extent/value_binder.h"
#include "delta/store/message/message.h"
#include "delta/store/snapshot/stacked_value.h"

namespace dgfs::delta {

/// The message of one store for a key, and the volume of its large values. A value.
struct MessageOfStore {
  Message message;
  const ExtentVolume* values = nullptr;
};

/// For one thread. Values that it has made must outlive bind(). Memory: values of a megabyte that
/// wait for a write; longer ones pass in pieces. A value whose fields are changed by patches is
/// read as a whole.
class ValueCopier {
 public:
  /// @param to           the volume of the joined store; must outlive it
  /// @param bounds       of the joined store
  /// @param before_read  called with the bytes of each read; may wait; may be empty
  ValueCopier(ExtentVolume& to, const LargeBounds& bounds,
              std::function<Status(std::uint64_t bytes)> before_read)
      : to_(to), bounds_(bounds), before_read_(std::move(before_read)), binder_(to) {}

  /// Whether a message has large values, or is longer than a message without them may be.
  [[nodiscard]] bool has_work(const Message& message) const;
  /// The same message with its large values in the new volume; some of them are written only by
  /// bind().
  /// @param joined          the merged message, a put or a patch
  /// @param said            the messages that it was made of, the newest first
  /// @param is_over_nothing  as of StackedValue
  /// Errors: those of LargeValue::load and of BlockFile::write.
  [[nodiscard]] Result<Message> copied(Message joined, std::span<const MessageOfStore> said,
                                       bool is_over_nothing);
  /// Writes the values that wait. Errors: those of BlockFile::write.
  [[nodiscard]] Status bind() { return binder_.finish(); }

 private:
  /// Fills `out` with the bytes of a new value from an offset in it on.
  using Fill = std::function<Status(std::uint64_t begin_bytes, MutableBytes out)>;
  [[nodiscard]] Result<LargeRef> made(std::uint64_t length_bytes, const Fill& fill);
  [[nodiscard]] Result<LargeRef> made_in_pieces(std::uint64_t length_bytes, const Fill& fill);
  [[nodiscard]] Result<std::string> filled(std::uint64_t length_bytes, const Fill& fill);
  [[nodiscard]] Result<Message> folded(std::uint64_t length_bytes, const StackedValue& parts);
  [[nodiscard]] Result<Patch> copied_stretches(const Patch& patch, const StackedValue& parts);
  [[nodiscard]] Result<LargeRef> copy_of(const LargeRef& large, std::uint64_t skip_bytes,
                                         std::uint64_t length_bytes,
                                         std::span<const MessageOfStore> said);
  [[nodiscard]] Result<Message> copied_singly(Message joined, std::span<const MessageOfStore> said);

  ExtentVolume& to_;
  const LargeBounds bounds_;
  const std::function<Status(std::uint64_t bytes)> before_read_;
  ValueBinder binder_;
};

}  // namespace dgfs::delta
