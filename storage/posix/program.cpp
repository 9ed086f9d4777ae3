// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "storage/posix/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <vector>

namespace dgfs::storage {
namespace {

class Streams {
 public:
  Streams() { is_made_ = ::posix_spawn_file_actions_init(&actions_) == 0; }
  ~Streams() {
    if (is_made_) ::posix_spawn_file_actions_destroy(&actions_);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  [[nodiscard]] bool drop() {
    if (!is_made_) return false;
    for (const int descriptor : {0, 1, 2}) {
      if (::posix_spawn_file_actions_addopen(&actions_, descriptor, "/dev/null", O_RDWR, 0) != 0) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
  bool is_made_ = false;
};

}  // namespace

bool run_silently(const std::string& path, std::span<const std::string> arguments) {
  std::vector<std::string> words{path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  char* environment[] = {nullptr};
  Streams streams;
  pid_t child = 0;
  if (!streams.drop() || ::posix_spawn(&child, path.c_str(), streams.get(), nullptr,
                                       pointers.data(), environment) != 0) {
    return false;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace dgfs::storage
