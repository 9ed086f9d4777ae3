// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "delta/store/run/point.h"

#include <string>

#include "delta/store/message/patch_codec.h"

namespace dgfs::delta {

Message Point::message() const {
  if (boxed != nullptr) return *boxed;
  if (kind == MessageKind::kErase) return Message::erasure();
  if (kind == MessageKind::kPatch) {
    Message change;
    change.patch = small_patch_of(value);
    return change;
  }
  return kind == MessageKind::kPut ? Message::put(std::string(value)) : Message::removal();
}

std::size_t Point::size_bytes() const {
  return kBytes + key.size() + value.size() + (boxed != nullptr ? boxed->size_bytes() : 0);
}

bool operator==(const Point& a, const Point& b) {
  if (a.key != b.key || a.kind != b.kind || a.value != b.value || !a.boxed != !b.boxed) {
    return false;
  }
  return a.boxed == nullptr || *a.boxed == *b.boxed;
}

}  // namespace dgfs::delta
