// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "reader/check/verify.h"

#include "reader/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "format/content/extent.h"
#include "format/entry/mode.h"
#include "format/limits.h"
#include "reader/check/digest_check.h"
#include "reader/check/extent_cover.h"
#include "reader/progress_clock.h"
#include "reader/unused_bytes.h"
#include "reader/work_pool.h"

namespace dgfs::reader {
namespace {

// Whole frames, so that no frame is read twice; long enough for sequential speed.
constexpr std::size_t kVerifyChunkBytes = 16 * format::kFrameBytes;
// Entries in one task of a thread: neighbours in the tree are neighbours on the device.
constexpr std::size_t kBatchEntries = 64;
constexpr std::size_t kBatchesQueued = 16;

struct Item {
  std::string path;
  Node node;
  bool sound_contents = false;  // check_neighbours() found no damage
};
using Batch = std::vector<Item>;
using Neighbours = std::vector<Item*>;

/// Tools of a thread to check a batch.
struct Instruments {
  Buffer buffer = Buffer(kVerifyChunkBytes);
  std::optional<DigestCheck> digest;  ///< set if digests are compared
};

class Verifier {
 public:
  Verifier(const Image& image, const VerifyOptions& options)
      : image_(image), options_(options), clock_(image.env()) {}

  Result<VerifyReport> run() {
    report_.index_copies = image_.has_second_index() ? 2 : 1;
    DGFS_CHECK(find_volume());
    DGFS_CHECK(find_digests());
    tell_long_holes();
    DGFS_CHECK(image_.verify_index(
        [this](const Error& error) { report_index(error); },
        [this](auto number) { return !options_.volume || number == *options_.volume; },
        [this](auto, auto) { return !stopped(); }));
    const auto jobs = options_.jobs != 0 ? options_.jobs : image_.env().processor_count();
    WorkPool<Batch> pool(jobs, kBatchesQueued, [this](Batch& batch) { check_batch(batch); });
    const auto walked = walk(pool);
    pool.finish();
    DGFS_CHECK(walked);
    if (!stopped()) check_gaps();
    if (stopped()) return Error(ErrorKind::kInterrupted, 3130, "interrupted");
    report_progress();
    return report_;
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop->load(); }

  [[nodiscard]] Status find_volume() {
    stored_bytes_total_ = image_.superblock().stored_bytes;
    if (!options_.volume) return ok();
    for (const auto& record : image_.volumes()) {
      if (record.number != *options_.volume) continue;
      stored_bytes_total_ = record.data_end - format::kPageBytes;
      return ok();
    }
    return Error(ErrorKind::kInvalidArgument, 3264,
                 fmt::format("the image has no volume {}", *options_.volume));
  }

  Status find_digests() {
    if (!options_.digests) return ok();
    DGFS_TRY(algorithm, image_.digest_algorithm());
    if (!algorithm) return Error(ErrorKind::kNotFound, 3253, "the index keeps no digests");
    digest_algorithm_ = algorithm;
    if (!options_.volume) digested_bytes_total_ = image_.superblock().content_bytes;
    return ok();
  }

  // Walks the tree only if the image has sparse files. Ignores damage here: run() reports it later.
  void tell_long_holes() const {
    const auto& maps = image_.superblock().section(format::SectionKind::kSparseMaps);
    if (!digest_algorithm_ || !options_.long_holes || maps.length_bytes == 0) return;
    format::LongHoles holes;
    std::unordered_set<InodeNumber> seen_links;  // of files with long holes
    const auto visit = [&](std::string_view, const Node& node) {
      const auto bytes = is_wanted(node) ? hole_bytes(node) : 0;
      const bool is_long = bytes >= format::kLongHoleBytes;
      if (is_long && (node.link_count == 1 || seen_links.insert(node.inode).second)) {
        holes.add(bytes);
      }
      return !stopped();
    };
    static_cast<void>(image_.walk("", visit, [](const Error&) { return true; }));
    if (holes.files != 0) options_.long_holes(holes);
  }

  [[nodiscard]] std::uint64_t hole_bytes(const Node& node) const {
    if (!node.sparse_map.present() || node.size_bytes < format::kLongHoleBytes) return 0;
    const auto map = image_.sparse_map(node);
    return map && map.assume_value() ? node.size_bytes - map.assume_value()->content_bytes() : 0;
  }

  // Whether the volume is a file of another image: other files may lie between the extents (F-027).
  [[nodiscard]] bool is_foreign(format::VolumeNumber number) const {
    return std::ranges::binary_search(image_.volume_origins(), number, {},
                                      &format::VolumeOrigin::number);
  }

  // Whether the contents of the node must be read.
  [[nodiscard]] bool is_wanted(const Node& node) const {
    if (!format::is_regular(node.mode)) return false;
    if (!options_.volume) return true;
    return node.stored_bytes != 0 && node.data.volume == *options_.volume;
  }

  Status walk(WorkPool<Batch>& pool) {
    Batch batch;
    const auto visit = [&](std::string_view path, const Node& node) {
      if (is_wanted(node) && !is_foreign(node.data.volume)) {
        cover_.add(node.data, node.stored_bytes);
      }
      // An object with several names is checked under its first name.
      if (node.link_count > 1 && !format::is_directory(node.mode) &&
          !seen_links_.insert(node.inode).second) {
        return !stopped();
      }
      batch.push_back({std::string(path), node, false});
      if (batch.size() == kBatchEntries) pool.push(std::exchange(batch, {}));
      return !stopped();
    };
    const auto damaged = [&](const Error& error) {
      report_index(error);
      return true;
    };
    auto walked = image_.walk("", visit, damaged);
    if (walked && !stopped()) {
      walked = image_.walk_nameless(
          [&](const Node& node) {
            return visit(fmt::format("(object {}, which has no name)", node.inode), node);
          },
          damaged);
    }
    if (!batch.empty()) pool.push(std::move(batch));
    return walked;
  }

  // Only if all contents stand where the index says: else the gaps may be extents of entries that a
  // damaged index hides or misplaces.
  void check_gaps() {
    if (report_.damaged_index_places != 0 || report_.damaged_files != 0) return;
    if (!cover_.is_complete()) {
      return report_index(Error(ErrorKind::kLimit, 3950, "too many gaps between extents to check"));
    }
    for (const auto& record : image_.volumes()) {
      if (options_.volume && record.number != *options_.volume) continue;
      if (is_foreign(record.number)) continue;
      const auto checked = check_gaps_of(record);
      if (!checked) report_index(checked.assume_error());
    }
  }

  // Opens the volume only if there is a gap, which no builder leaves.
  Status check_gaps_of(const format::VolumeRecord& record) const {
    std::unique_ptr<storage::File> file;
    const auto check = [&](std::uint64_t begin, std::uint64_t end) -> Status {
      if (!file) {
        DGFS_TRY(opened, image_.env().open(path_of(record.number)));
        file = std::move(opened);
      }
      return check_gap(*file, begin, end);
    };
    return cover_.each_gap(record.number, format::kPageBytes, record.data_end, check);
  }

  // In pieces, because a gap of a sparse file may be so long that reading it takes hours.
  Status check_gap(const storage::File& file, std::uint64_t begin, std::uint64_t end) const {
    for (std::uint64_t bytes = 0; begin < end && !stopped(); begin += bytes) {
      bytes = std::min<std::uint64_t>(kVerifyChunkBytes, end - begin);
      DGFS_CHECK(check_unused_between(file, begin, begin + bytes));
    }
    return ok();
  }

  [[nodiscard]] std::string path_of(format::VolumeNumber number) const {
    const auto role = number == 0 ? std::string("image") : fmt::format("volume {}", number);
    for (const auto& [has, path] : image_.files()) {
      if (has == role) return path;
    }
    return {};  // was reported as missing
  }

  // Reports a place once: the walk meets a page again that verify_index() found damaged.
  void report_index(const Error& error) {
    const std::lock_guard lock(report_mutex_);
    if (error.offset() && !reported_.emplace(error.file(), *error.offset()).second) return;
    ++report_.damaged_index_places;
    if (options_.damaged_index) options_.damaged_index(error);
  }

  void report_file(const std::string& path, const Error& error) {
    const std::lock_guard lock(report_mutex_);
    if (options_.damaged_file) options_.damaged_file(path, error);
  }

  // Reads small files that stand back to back together. If that fails, each is read alone later.
  void check_neighbours(Batch& batch) {
    Neighbours neighbours;
    std::uint64_t stored_bytes = 0;
    for (auto& item : batch) {
      const auto* before = neighbours.empty() ? nullptr : &neighbours.back()->node;
      if (!is_wanted(item.node) || !Image::are_neighbours(nullptr, item.node)) continue;
      if (!Image::are_neighbours(before, item.node) ||
          stored_bytes + item.node.stored_bytes > kVerifyChunkBytes) {
        check_run(std::exchange(neighbours, {}));
        stored_bytes = 0;
      }
      neighbours.push_back(&item);
      stored_bytes += item.node.stored_bytes;
    }
    check_run(neighbours);
  }

  void check_run(const Neighbours& neighbours) {
    if (neighbours.size() < 2 || stopped()) return;
    std::vector<const Node*> nodes;
    for (const auto* item : neighbours) nodes.push_back(&item->node);
    if (!image_.verify_neighbours(nodes)) return;
    for (auto* item : neighbours) item->sound_contents = true;
  }

  void check_batch(Batch& batch) {
    // Contents found sound here are not read again, but a digest needs their bytes.
    if (!digest_algorithm_) check_neighbours(batch);
    Instruments instruments;
    const auto hashed = [this](std::uint64_t bytes) { add_digested(bytes); };
    if (digest_algorithm_) {
      if (auto made = DigestCheck::make(*digest_algorithm_, options_.stop, hashed)) {
        instruments.digest.emplace(std::move(made).assume_value());
      }
    }
    for (const auto& item : batch) {
      if (stopped()) return;
      check_item(item, instruments);
    }
  }

  void check_item(const Item& item, Instruments& instruments) {
    auto records = image_.verify_records(item.node);
    bool sound = records.has_value();
    if (!sound) report_file(item.path, records.assume_error());
    std::uint64_t content_bytes = 0;
    const bool is_read = is_wanted(item.node);
    if (is_read) {
      sound = check_contents(item, instruments, content_bytes) && sound;
      sound = check_digest(item, instruments, sound) && sound;
    }
    const std::lock_guard lock(report_mutex_);
    if (is_read) ++report_.files;
    if (!sound) ++report_.damaged_files;
    report_.content_bytes += content_bytes;
    files_ = report_.files;
    if (is_read) stored_bytes_ += item.node.stored_bytes;
    if (clock_.due()) report_progress();
  }

  // Skips the digest of contents that are already reported as damaged.
  bool check_digest(const Item& item, Instruments& instruments, bool sound) {
    if (!digest_algorithm_ || stopped()) return true;
    auto& digest = instruments.digest;
    if (!digest) return report_digest(item, Error(ErrorKind::kLimit, 3256, "not enough memory"));
    if (!sound) {
      digest->drop();
      return true;
    }
    const auto compared = digest->compare(image_, item.node);
    if (!compared && stopped()) return true;
    if (!compared) return report_digest(item, compared.assume_error());
    const std::lock_guard lock(report_mutex_);
    ++report_.right_digests;
    return true;
  }

  bool report_digest(const Item& item, const Error& error) {
    report_file(item.path, error);
    return false;
  }

  bool check_contents(const Item& item, Instruments& instruments, std::uint64_t& content_bytes) {
    if (item.sound_contents) {
      content_bytes = item.node.size_bytes;
      return true;
    }
    auto map = image_.sparse_map(item.node);
    if (!map) return false;  // reported by verify_records()
    const auto data =
        std::move(map.assume_value()).value_or(format::SparseMap::whole(item.node.size_bytes));
    const auto& segments = data.segments();
    if (!segments.empty()) {
      // Reports a missing volume or an impossible extent once, and not for every frame: the size of
      // the file is unverified then, and may be 2^63 - 1.
      const auto place = image_.locate(item.node, segments.front().begin);
      if (!place) {
        report_file(item.path, place.error());
        return false;
      }
    }
    bool sound = true;
    for (const auto& segment : segments) {
      for (std::uint64_t at = 0; at < segment.length && !stopped(); at += kVerifyChunkBytes) {
        const auto bytes = std::min<std::uint64_t>(kVerifyChunkBytes, segment.length - at);
        const auto out = MutableBytes(instruments.buffer).first(static_cast<std::size_t>(bytes));
        sound = check_range(item, segment.begin + at, out) && sound;
        if (instruments.digest && sound) instruments.digest->add(segment.begin + at, out);
        content_bytes += bytes;
      }
    }
    return sound;
  }

  // On damage, reads the range again frame by frame, to report exactly the damaged frames.
  bool check_range(const Item& item, std::uint64_t offset, MutableBytes out) {
    const auto read = image_.read(item.node, offset, out);
    if (read) return true;
    const auto frame_bytes = format::frame_bytes(item.node.codec);
    if (out.size() <= frame_bytes) {
      report_file(item.path, describe(item, offset, out.size(), read.assume_error()));
      return false;
    }
    bool found = false;
    for (std::size_t at = 0; at < out.size(); at += frame_bytes) {
      const auto bytes = std::min(frame_bytes, out.size() - at);
      found = !check_range(item, offset + at, out.subspan(at, bytes)) || found;
    }
    return !found;
  }

  static Error describe(const Item& item, std::uint64_t offset, std::size_t bytes,
                        const Error& error) {
    auto reason = error.text();
    if (const auto colon = reason.rfind(": "); colon != std::string::npos) {
      reason = reason.substr(colon + 2);  // the new text has the range in bytes of the file instead
    }
    const auto place = error.offset().value_or(item.node.data.offset_bytes);
    return Error(error.kind(), 3131,
                 fmt::format("contents, bytes {}-{} ({} offset {}): {}", offset, offset + bytes - 1,
                             error.file(), place, reason));
  }

  void report_progress() {
    if (!options_.progress) return;
    options_.progress(
        {files_, stored_bytes_, stored_bytes_total_, digested_bytes_, digested_bytes_total_});
  }

  // Reports progress also during a hole, which may take many minutes to hash.
  void add_digested(std::uint64_t bytes) {
    digested_bytes_ += bytes;
    if (!clock_.due()) return;
    const std::lock_guard lock(report_mutex_);
    report_progress();
  }

  const Image& image_;
  const VerifyOptions& options_;
  ProgressClock clock_;
  std::uint64_t stored_bytes_total_ = 0;  // of the contents to read
  std::uint64_t digested_bytes_total_ = 0;
  std::atomic<std::uint64_t> digested_bytes_ = 0;
  std::optional<format::DigestAlgorithm> digest_algorithm_;  // set if digests are compared
  ExtentCover cover_;
  std::unordered_set<InodeNumber> seen_links_;  // about 40 bytes a multiply linked object
  std::mutex report_mutex_;                     // guards the members below
  VerifyReport report_;
  std::set<std::pair<std::string, std::uint64_t>> reported_;
  std::uint64_t files_ = 0;
  std::uint64_t stored_bytes_ = 0;
};

}  // namespace

Result<VerifyReport> verify(const Image& image, const VerifyOptions& options) {
  return Verifier(image, options).run();
}

}  // namespace dgfs::reader
