// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Prober: asks a damaged image everything a reader can be asked, and checks what the reader
// promises for any bytes: an answer, or an error that names its place, in bounded time and memory.
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

/// Which answers are allowed besides errors.
enum class Promise : std::uint8_t {
  kTruth,  ///< only the answers of the sound image: some checksum does not fit
  /// Any answer that makes sense for a tree: all checksums fit, so the image alone says what it
  /// holds.
  kSense,
};

/// How much to ask.
enum class Depth : std::uint8_t {
  kAnswers,  ///< every call of Image
  kAll,      ///< kAnswers with and without checks of contents, verify() and extract()
};

/// The bytes of an image, sound or damaged, or of an index alone.
struct ImageFiles {
  Buffer image;  ///< empty: no image
  Buffer index;  ///< beside the image or alone; empty: no sidecar
  /// Further volumes by name, beside the image. A damaged image without volumes here uses those of
  /// the sound image.
  std::map<std::string, Buffer> volumes = {};
};

/// The results of the calls. A value.
struct Findings {
  std::vector<Error> errors;  ///< each code and section once
  std::size_t answers = 0;
  std::uint64_t walked = 0;
  /// Whether one of the errors has the code.
  [[nodiscard]] bool has(std::uint16_t code) const;
  /// "kind code section: text" of each, for messages.
  [[nodiscard]] std::string text() const;
};

/// Tells whether a test tries the change with this number: tests try one of so many changes of a
/// body or a field. The environment variable DGFS_CORPUS_SHARE sets how many; the build sets a
/// default for tests that run often. DGFS_CORPUS_TURN, a number, moves the share, so that runs with
/// different numbers try different changes.
[[nodiscard]] bool in_corpus_share(std::size_t number);

class Prober {
 public:
  /// Learns the truth from a sound image.
  explicit Prober(ImageFiles sound);

  /// Asks all questions. A broken promise is a failure of the running test, with `what` in its
  /// message.
  Findings probe(const ImageFiles& files, Promise promise, const std::string& what,
                 Depth depth = Depth::kAll);

  /// Further checks that all probers of the program run on each new input; none at first.
  using Also = std::function<void(const ImageFiles& files, const ImageFiles& sound, Promise promise,
                                  const std::string& what)>;
  static void also(Also more);

  /// The number of distinct inputs of all probers of the program.
  [[nodiscard]] static std::size_t cases();
  /// The most heap and processor time that a probe took, of all probers of the program.
  [[nodiscard]] static std::size_t peak_bytes();
  [[nodiscard]] static double longest_s();

 private:
  class Questions;
  /// Answers by question; a question is a call and its arguments.
  using Answers = std::map<std::string, std::string>;

  void ask_all(Questions& questions) const;
  void ask_unchecked(storage::MemoryEnv& env, const ImageFiles& files,
                     const std::string& what) const;

  ImageFiles sound_;
  std::vector<std::string> paths_;
  std::set<reader::InodeNumber> inodes_;  // of names, of objects without a name, and of none
  Answers truth_;
  // Codes of questions about things that the sound image does not have.
  std::set<std::uint16_t> usual_;
};

}  // namespace dgfs::test
