// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// SeedCorpus: writes seeds of one fuzz target as FOLDER/TARGET/NAME.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "format/coding.h"

namespace dgfs::test {

class SeedCorpus {
 public:
  /// @param prefix  of the names of its seeds; seeds of others in the target's folder stay
  SeedCorpus(const std::filesystem::path& folder, std::string_view target,
             std::string_view prefix = "")
      : folder_(folder / target), prefix_(prefix) {
    std::filesystem::create_directories(folder_);
  }
  /// @param front  the numbers that the target takes from the front of its input
  template <class... Ints>
  void add(Bytes bytes, Ints... front) {
    Buffer seed;
    format::Encoder encoder(seed);
    (encoder.fixed(front), ...);
    encoder.raw(bytes);
    std::ofstream file(folder_ / (prefix_ + std::to_string(count_++)), std::ios::binary);
    file.write(as_text(seed).data(), static_cast<std::streamsize>(seed.size()));
  }

 private:
  std::filesystem::path folder_;
  std::string prefix_;
  int count_ = 0;
};

}  // namespace dgfs::test
