// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// Replaces libFuzzer if the compiler has none: feeds every file of a corpus folder, and then
// mutations of it, to the fuzz target. The mutations are the same in every run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes);

namespace {

using Input = std::vector<std::uint8_t>;

#ifdef DGFS_SANITIZED  // sanitizers are ten times slower
constexpr int kMutationsPerInput = 20;
#else
constexpr int kMutationsPerInput = 200;  // about a second for a corpus of 50 small files
#endif
constexpr std::uint32_t kSeed = 20'260'101;

std::vector<std::filesystem::path> corpus_files(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Input read_all(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return Input(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

/// Makes one to four changes: another byte, a flipped bit, a cut tail, an extreme value.
void mutate(Input& input, std::mt19937& random) {
  for (auto steps = 1 + random() % 4; steps > 0 && !input.empty(); --steps) {
    std::uint8_t& byte = input[random() % input.size()];
    switch (random() % 4) {
      case 0:
        byte = static_cast<std::uint8_t>(random());
        break;
      case 1:
        byte = static_cast<std::uint8_t>(byte ^ (1U << random() % 8));
        break;
      case 2:
        input.resize(random() % (input.size() + 1));
        break;
      default:
        byte = random() % 2 == 0 ? 0x00 : 0xff;
        break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
    return 2;
  }
  const auto files = corpus_files(argv[1]);
  std::mt19937 random(kSeed);
  for (const auto& file : files) {
    const Input original = read_all(file);
    LLVMFuzzerTestOneInput(original.data(), original.size());
    for (int count = 0; count < kMutationsPerInput; ++count) {
      Input mutated = original;
      mutate(mutated, random);
      LLVMFuzzerTestOneInput(mutated.data(), mutated.size());
    }
  }
  std::printf("%zu inputs, %d mutations of each\n", files.size(), kMutationsPerInput);
  return files.empty() ? 1 : 0;  // an empty corpus would test nothing
}
