// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/heap_meter.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> held_bytes{0};
std::atomic<std::size_t> peak_bytes{0};

void* counted_malloc(std::size_t bytes) noexcept {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) return nullptr;
  const auto got = malloc_usable_size(memory);
  const auto now = held_bytes.fetch_add(got) + got;
  auto peak = peak_bytes.load();
  while (now > peak && !peak_bytes.compare_exchange_weak(peak, now)) {
  }
  return memory;
}

void* counted_new(std::size_t bytes) {
  void* const memory = counted_malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void counted_delete(void* memory) noexcept {
  if (memory != nullptr) held_bytes.fetch_sub(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted_new(bytes); }
void* operator new[](std::size_t bytes) { return counted_new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_malloc(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_malloc(bytes);
}
void operator delete(void* memory) noexcept { counted_delete(memory); }
void operator delete[](void* memory) noexcept { counted_delete(memory); }
void operator delete(void* memory, std::size_t) noexcept { counted_delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { counted_delete(memory); }

namespace dgfs::test {

HeapMeter::HeapMeter() : begin_bytes_(held_bytes) { ::peak_bytes = begin_bytes_; }

std::size_t HeapMeter::peak_bytes() const { return ::peak_bytes - begin_bytes_; }

}  // namespace dgfs::test
