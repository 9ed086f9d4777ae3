// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_repetition DIRECTORY...: how much of a tree repeats earlier contents: as whole files, and,
// for files without an earlier copy, as chunks with content-defined edges (a rolling hash; 16 to
// 256 KiB, 64 KiB on average). Prints plain bytes and compressed bytes, with each file or chunk
// compressed alone by zstd at level 3. Hard links count once.
#include <fmt/format.h>
#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <unordered_set>
#include <vector>

#include "builder/spool/fingerprint.h"

namespace dgfs::bench {
namespace {

constexpr std::size_t kChunkBytesMin = std::size_t{16} << 10;
constexpr std::size_t kChunkBytesMax = std::size_t{256} << 10;
// One position in 48 Ki: with the minimum length before it, 64 KiB on average.
constexpr std::uint64_t kEdgeBelow = ~std::uint64_t{0} / (48 << 10);
constexpr int kLevel = 3;

struct FingerprintHash {
  std::size_t operator()(const builder::Fingerprint& fingerprint) const { return fingerprint.low; }
};
using Known = std::unordered_set<builder::Fingerprint, FingerprintHash>;

builder::Fingerprint fingerprint_of(Bytes content) {
  std::vector<builder::Fingerprint> chunks;
  builder::append_chunk_fingerprints(content, chunks);
  return builder::fingerprint_of(chunks);
}

/// Depends on the last 64 bytes, because each step shifts one bit out.
class GearHash {
 public:
  GearHash() {
    std::mt19937_64 random(20261122);
    for (auto& gear : gears_) gear = random();
  }
  [[nodiscard]] std::uint64_t after(std::uint64_t hash, std::uint8_t byte) const {
    return (hash << 1) + gears_[byte];
  }

 private:
  std::array<std::uint64_t, 256> gears_{};
};

std::size_t next_chunk_bytes(const GearHash& gear, Bytes content) {
  const auto end = std::min(content.size(), kChunkBytesMax);
  std::uint64_t hash = 0;
  for (std::size_t i = std::min(end, kChunkBytesMin - 64); i < end; ++i) {
    hash = gear.after(hash, content[i]);
    if (i >= kChunkBytesMin && hash <= kEdgeBelow) return i;
  }
  return end;
}

std::uint64_t compressed_bytes(Bytes content) {
  Buffer out(ZSTD_compressBound(content.size()));
  return std::min(content.size(),
                  ZSTD_compress(out.data(), out.size(), content.data(), content.size(), kLevel));
}

struct Amount {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t compressed_bytes = 0;
  void add(Bytes content) {
    ++count;
    bytes += content.size();
    compressed_bytes += bench::compressed_bytes(content);
  }
};

/// Results for chunks of the files above a size.
struct ChunkStudy {
  std::uint64_t file_bytes_min = 0;
  Known known;
  Amount files;     ///< the files that are cut into chunks
  Amount chunks;    ///< all chunks
  Amount repeated;  ///< the chunks that occurred before
};

class Study {
 public:
  explicit Study(const std::vector<std::uint64_t>& file_bytes_mins) {
    for (const auto bytes : file_bytes_mins) chunk_studies_.push_back({bytes, {}, {}, {}, {}});
  }

  void add(Bytes content) {
    files_.add(content);
    if (!known_.insert(fingerprint_of(content)).second) return repeated_.add(content);
    for (auto& study : chunk_studies_) {
      if (content.size() >= study.file_bytes_min) cut(content, study);
    }
  }

  void print() const {
    row("files", files_, files_);
    row("whole files that repeat others", repeated_, files_);
    for (const auto& study : chunk_studies_) {
      const auto label = fmt::format("of {} KiB and more", study.file_bytes_min >> 10);
      row("first files " + label, study.files, files_);
      row("  their chunks", study.chunks, files_);
      row("  chunks that repeat others", study.repeated, files_);
    }
    fmt::print("cutting took {:.1f} s of processor time\n",
               static_cast<double>(cutting_) / CLOCKS_PER_SEC);
  }

 private:
  void cut(Bytes content, ChunkStudy& study) {
    study.files.add(content);
    while (!content.empty()) {
      const auto begin = std::clock();
      const auto chunk = content.first(next_chunk_bytes(gear_, content));
      const bool is_new = study.known.insert(fingerprint_of(chunk)).second;
      cutting_ += std::clock() - begin;
      study.chunks.add(chunk);
      if (!is_new) study.repeated.add(chunk);
      content = content.subspan(chunk.size());
    }
  }

  static void row(std::string_view label, const Amount& amount, const Amount& all) {
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return 100 * static_cast<double>(part) /
             static_cast<double>(std::max<std::uint64_t>(whole, 1));
    };
    fmt::print("{:<34} {:>9} {:>9.1f} MB {:>5.1f} %  zstd {:>8.1f} MB {:>5.1f} %\n", label,
               amount.count, static_cast<double>(amount.bytes) / 1e6,
               share(amount.bytes, all.bytes), static_cast<double>(amount.compressed_bytes) / 1e6,
               share(amount.compressed_bytes, all.compressed_bytes));
  }

  GearHash gear_;
  Known known_;
  Amount files_;
  Amount repeated_;
  std::vector<ChunkStudy> chunk_studies_;
  std::clock_t cutting_ = 0;
};

Buffer read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void run(const std::vector<std::filesystem::path>& roots) {
  Study study({64 << 10, 256 << 10, 1 << 20});
  std::set<std::pair<dev_t, ino_t>> linked;
  for (const auto& root : roots) {
    for (const auto& item : std::filesystem::recursive_directory_iterator(root)) {
      struct stat status = {};
      if (lstat(item.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      if (status.st_nlink > 1 && !linked.emplace(status.st_dev, status.st_ino).second) continue;
      const auto content = read_file(item.path());
      if (!content.empty()) study.add(content);
    }
  }
  study.print();
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: dgfs_repetition DIRECTORY...\n");
    return 2;
  }
  try {
    dgfs::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "dgfs_repetition: {}\n", error.what());
    return 1;
  }
}
