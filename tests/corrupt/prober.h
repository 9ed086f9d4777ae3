// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Prober: asks a damaged image everything a reader can be asked, and holds it to what is promised
// of any bytes whatever: an error that names its place or an answer, in bounded time and memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "reader/image.h"
#include "storage/memory/env.h"

namespace dgfs::test {

/// What may be answered beside errors.
enum class Promise : std::uint8_t {
  kTruth,  ///< what the sound image answers: some checksum does not fit
  kSense,  ///< what a tree can be: all checksums fit, so the image says so itself
};

/// How much is asked.
enum class Depth : std::uint8_t {
  kAnswers,  ///< every call of Image
  kAll,      ///< the same without checks of contents, too, and verify() and extract()
};

/// Bytes that are an image, sound or damaged, or an index alone.
struct ImageFiles {
  Buffer image;  ///< empty: none
  Buffer index;  ///< beside it or alone; empty: none
  /// Further volumes by name, beside the image. Where a damaged image has none here, they are those
  /// of the sound one.
  std::map<std::string, Buffer> volumes = {};
};

/// What the calls gave. A value.
struct Findings {
  std::vector<Error> errors;  ///< each code and section once
  std::size_t answers = 0;
  std::uint64_t walked = 0;
  /// Whether one of the errors has the code.
  [[nodiscard]] bool has(std::uint16_t code) const;
  /// "kind code section: text" of each, for messages.
  [[nodiscard]] std::string text() const;
};

/// One of so many changes of a body or a field is tried: the number in DGFS_CORPUS_SHARE, or one
/// for tests that run often.
[[nodiscard]] std::size_t corpus_share();

class Prober {
 public:
  /// Learns the truth from a sound image.
  explicit Prober(ImageFiles sound);

  /// Asks. Broken promises are failures of the running test, told with `what`.
  Findings probe(const ImageFiles& files, Promise promise, const std::string& what,
                 Depth depth = Depth::kAll);

  /// What else all probers of the program do with each input they have not seen before; nothing at
  /// first.
  using Also = std::function<void(const ImageFiles& files, const ImageFiles& sound, Promise promise,
                                  const std::string& what)>;
  static void also(Also more);

  /// Distinct inputs of all probers of the program.
  [[nodiscard]] static std::size_t cases();
  /// The most heap and processor time that a probe took, of all probers of the program.
  [[nodiscard]] static std::size_t peak_bytes();
  [[nodiscard]] static double longest_s();

 private:
  class Questions;
  /// By question; a question is a call and its arguments.
  using Answers = std::map<std::string, std::string>;

  void ask_all(Questions& questions) const;
  void ask_unchecked(storage::MemoryEnv& env, const ImageFiles& files,
                     const std::string& what) const;

  ImageFiles sound_;
  std::vector<std::string> paths_;
  std::vector<reader::InodeNumber> inodes_;
  Answers truth_;
  std::set<std::uint16_t> usual_;  // codes of what the sound image does not have
};

}  // namespace dgfs::test
