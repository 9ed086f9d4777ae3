// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/processors.h"

#include <sched.h>

#include <charconv>
#include <fstream>
#include <string>

namespace dgfs::storage {
namespace {

constexpr const char* kPossible = "/sys/devices/system/cpu/possible";

}  // namespace

std::optional<unsigned> count_processors(std::string_view list) {
  unsigned count = 0;
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto take = [&](unsigned& number) {
    const auto [behind, failure] = std::from_chars(at, end, number);
    at = behind;
    return failure == std::errc{};
  };
  while (true) {
    unsigned first = 0;
    if (!take(first)) return std::nullopt;
    unsigned last = first;
    if (at != end && *at == '-' && (++at, !take(last))) return std::nullopt;
    if (last < first) return std::nullopt;
    count += last - first + 1;
    if (at == end || *at == '\n') return count;
    if (*at++ != ',') return std::nullopt;
  }
}

std::optional<unsigned> possible_processors() {
  std::ifstream file(kPossible);
  std::string list;
  if (!std::getline(file, list)) return std::nullopt;
  return count_processors(list);
}

std::vector<unsigned> allowed_processors() {
  std::vector<unsigned> allowed;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return allowed;
  for (unsigned number = 0; number < CPU_SETSIZE; ++number) {
    if (CPU_ISSET(number, &set)) allowed.push_back(number);
  }
  return allowed;
}

void bind_to_processors(std::span<const unsigned> numbers) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned number : numbers) {
    if (number < CPU_SETSIZE) CPU_SET(number, &set);
  }
  static_cast<void>(::sched_setaffinity(0, sizeof set, &set));
}

}  // namespace dgfs::storage
