// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/index/source.h"

#include <fmt/format.h>

namespace dgfs::reader {

HealingCopy IndexSource::healing(CounterCells& counters, const IndexCopy& copy) const {
  HealingCopy index = copy;
  const auto damaged = &copy == &first_ ? Damaged::kFirst : Damaged::kSecond;
  index.other = [this, damaged] { return damaged == Damaged::kFirst ? second() : &first_; };
  index.healed = [this, &counters, damaged](const Error& damage) {
    CounterCells::add(counters.errors);
    note_healed(counters, damaged, damage);
  };
  return index;
}

// Warns once for each copy, which may be damaged in many places: `verify` lists them.
void IndexSource::note_healed(CounterCells& counters, Damaged damaged, const Error& damage) const {
  CounterCells::add(counters.healed_pages);
  if (!warn_ || told_[static_cast<std::size_t>(damaged)].exchange(true)) return;
  const auto* serving = damaged == Damaged::kFirst ? second() : &first_;
  Error told(
      damage.kind(), 3170,
      fmt::format("{}; the copy in {} is used instead, here and wherever this one is damaged",
                  damage.text(), serving->path()));
  if (damage.offset()) told = std::move(told).at_offset(*damage.offset());
  warn_(std::move(told).in_file(damage.file()).in_section(damage.section()));
}

const IndexCopy* IndexSource::second() const {
  const std::lock_guard lock(mutex_);
  if (!second_settled_) open_second();
  return second_ ? &*second_ : nullptr;
}

std::optional<Error> IndexSource::second_error() const {
  static_cast<void>(second());
  const std::lock_guard lock(mutex_);
  return second_error_;
}

void IndexSource::open_second() const {
  second_error_.reset();
  second_settled_ = !open_second_;
  if (second_settled_) return;
  auto opened = open_second_(first_);
  if (!opened) {
    second_error_ = std::move(opened).assume_error();
    return;
  }
  auto& [copy, damage] = opened.assume_value();
  second_error_ = std::move(damage);
  if (copy && !(copy->superblock() == first_.superblock())) {
    second_error_ =
        Error(ErrorKind::kCorrupt, 3003, "its superblock is not that of " + first_.path())
            .in_file(copy->path())
            .in_section("superblock")
            .at_offset(copy->section_offset(format::SectionKind::kNone));
    return;
  }
  second_ = std::move(copy);
  second_settled_ = second_ || !second_error_;
}

}  // namespace dgfs::reader
