// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/support/failing_heap.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> calls_left{0};  // calls left until one fails; 0: none fails
std::atomic<bool> has_failed{false};
std::atomic<bool> goes_on{false};         // whether all later calls fail, too
std::atomic<std::uint64_t> allocated{0};  // bytes so far

bool is_to_fail() {
  auto left = calls_left.load();
  while (left != 0 && !calls_left.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0) return goes_on && has_failed;
  if (left == 1) has_failed = true;
  return left == 1;
}

void* allocate(std::size_t bytes) {
  if (is_to_fail()) throw std::bad_alloc();
  allocated += bytes;
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
// A sanitizer's own versions would not call the functions above.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return is_to_fail() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& nothrow) noexcept {
  return operator new(bytes, nothrow);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace dgfs::test {

FailingHeap::FailingHeap(std::uint64_t call, Lasts lasts) {
  has_failed = false;
  goes_on = lasts == Lasts::kOn;
  allocated = 0;
  calls_left = call;
}

FailingHeap::~FailingHeap() {
  goes_on = false;
  calls_left = 0;
}

bool FailingHeap::failed() const { return has_failed; }

std::uint64_t FailingHeap::allocated_bytes() const { return allocated; }

}  // namespace dgfs::test
