// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/fuse/command_ring.h"

#include <cstring>

namespace dgfs::storage {

CommandRing::~CommandRing() {
  if (is_set_up_) io_uring_queue_exit(&ring_);
}

int CommandRing::set_up(unsigned entries, unsigned flags) {
  io_uring_params params{};
  params.flags = IORING_SETUP_SQE128 | IORING_SETUP_CQSIZE | flags;
  params.cq_entries = 2 * entries;
  const int result = io_uring_queue_init_params(entries, &ring_, &params);
  is_set_up_ = result == 0;
  return -result;
}

void CommandRing::add(int device, std::uint32_t command, const FuseRingCommand& own,
                      std::span<const iovec> parts, void* data) {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  // Never runs: the ring has room for one command of each entry.
  for (; sqe == nullptr; sqe = io_uring_get_sqe(&ring_)) io_uring_submit(&ring_);
  std::memset(sqe, 0, 2 * sizeof *sqe);
  sqe->opcode = IORING_OP_URING_CMD;
  sqe->fd = device;
  sqe->cmd_op = command;
  sqe->addr = reinterpret_cast<std::uintptr_t>(parts.data());
  sqe->len = static_cast<unsigned>(parts.size());
  io_uring_sqe_set_data(sqe, data);
  std::memcpy(sqe->cmd, &own, sizeof own);
}

}  // namespace dgfs::storage
