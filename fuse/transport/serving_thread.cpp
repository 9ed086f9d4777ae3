// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/transport/serving_thread.h"

namespace dgfs::fuse {
namespace {

thread_local const ServingThread* own_thread = nullptr;

MutableBytes memory_of_thread(std::size_t size_bytes) {
  thread_local Buffer buffer;
  if (buffer.size() < size_bytes) buffer.resize(size_bytes);
  return MutableBytes(buffer).first(size_bytes);
}

}  // namespace

const ServingThread* serving_thread() { return own_thread; }
ServingHere::ServingHere(const ServingThread& thread) { own_thread = &thread; }
ServingHere::~ServingHere() { own_thread = nullptr; }

bool may_wait_for_answers() { return own_thread == nullptr || own_thread->may_wait; }

void flush_reply() {
  if (own_thread != nullptr) own_thread->source.flush();
}

MutableBytes reply_room(std::size_t size_bytes) {
  if (own_thread != nullptr) {
    const auto room = own_thread->source.reply_room();
    if (room.size() >= size_bytes) return room.first(size_bytes);
  }
  return memory_of_thread(size_bytes);
}

}  // namespace dgfs::fuse
