// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/reads/queue.h"

#include <fcntl.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <deque>
#include <utility>
#include <vector>

#include "storage/posix/file.h"
#include "storage/posix/transfer.h"
#include "storage/reads/thread_reads.h"
#include "storage/reads/uring_reads.h"

namespace dgfs::storage {
namespace {

static_assert(kReadQueueAlignmentBytes == kDirectAlignmentBytes);

bool is_aligned(std::uint64_t number) { return number % kReadQueueAlignmentBytes == 0; }

class MixedReadQueue final : public ReadQueue {
 public:
  explicit MixedReadQueue(ReadQueueOptions options) : options_(options) {
    options_.depth = std::clamp(options_.depth, 1U, kReadQueueDepthMax);
    slots_.resize(options_.depth);
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) free_.push_back(slot);
  }
  ~MixedReadQueue() override {
    // The system may still write to the memory of these reads. Their results are of no use any
    // more.
    for (auto begun = slots_.size() - free_.size(); begun > 0; --begun) {
      static_cast<void>(engine_->wait());
    }
  }

  void push(const File& file, std::uint64_t offset_bytes, MutableBytes out,
            std::uint64_t tag) override {
    assert(has_room());
    const auto* posix = dynamic_cast<const PosixFile*>(&file);
    if (posix == nullptr) {
      done_.push_back({tag, file.read_at(offset_bytes, out)});
      return;
    }
    // The slot stays free until the read has begun: if memory runs out before, no read must be
    // awaited.
    const std::size_t slot = free_.back();
    slots_[slot] = {posix, offset_bytes, out, tag, nullptr};
    const int fd = descriptor_for(slots_[slot]);
    engine_for_reads().begin(slot, fd, offset_bytes, out);
    free_.pop_back();
  }

  FinishedRead pop() override {
    assert(pending() > 0);
    if (done_.empty()) return finish(engine_->wait());
    FinishedRead finished = std::move(done_.front());
    done_.pop_front();
    return finished;
  }

  std::size_t pending() const override { return slots_.size() - free_.size() + done_.size(); }
  bool has_room() const override { return pending() < options_.depth; }
  const char* engine() const override { return engine_ ? engine_->name() : "none"; }

 private:
  // An open file once more, bypassing the page cache.
  struct Direct {
    const PosixFile* file = nullptr;
    UniqueFd fd;            // none if the file system cannot
    bool is_usable = true;  // false once it has refused a read
  };
  struct Slot {
    const PosixFile* file = nullptr;
    std::uint64_t offset_bytes = 0;
    MutableBytes out;
    std::uint64_t tag = 0;
    Direct* direct = nullptr;  // the descriptor it is read through; null: the page cache
  };

  int descriptor_for(Slot& slot) {
    const bool aligned = is_aligned(slot.offset_bytes) && is_aligned(slot.out.size()) &&
                         is_aligned(reinterpret_cast<std::uintptr_t>(slot.out.data()));
    if (!options_.direct || !aligned) return slot.file->fd();
    Direct& direct = direct_of(*slot.file);
    if (!direct.fd || !direct.is_usable) return slot.file->fd();
    slot.direct = &direct;
    return direct.fd.get();
  }

  // Opens through /proc, so that it is the same file even if its path leads elsewhere by now.
  Direct& direct_of(const PosixFile& file) {
    for (Direct& direct : direct_) {
      if (direct.file == &file) return direct;
    }
    const int fd = ::open(proc_path(file.fd()).c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
    return direct_.emplace_back(Direct{&file, UniqueFd(fd)});
  }

  PosixReads& engine_for_reads() {
    if (!engine_ && options_.io_uring) engine_ = make_uring_reads(options_.depth);
    if (!engine_) engine_ = make_thread_reads(options_.depth);
    return *engine_;
  }

  FinishedRead finish(const EndedRead& ended) {
    const Slot slot = slots_[ended.slot];
    free_.push_back(ended.slot);
    const auto wanted = static_cast<std::int64_t>(slot.out.size());
    if (ended.result == wanted) return {slot.tag, slot.out.size()};
    if (ended.result == -EINVAL && slot.direct != nullptr) slot.direct->is_usable = false;
    // The end of the file, an interruption or a bad sector: read_at handles each of them.
    return {slot.tag, slot.file->read_at(slot.offset_bytes, slot.out)};
  }

  ReadQueueOptions options_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;  // indexes of unused slots
  std::deque<FinishedRead> done_;  // read during push()
  std::deque<Direct> direct_;      // a deque, since slots point to its elements
  std::unique_ptr<PosixReads> engine_;
};

}  // namespace

std::unique_ptr<ReadQueue> make_read_queue(ReadQueueOptions options) {
  return std::make_unique<MixedReadQueue>(options);
}

}  // namespace dgfs::storage
