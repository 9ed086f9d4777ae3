// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// For kill_store_test.py, on a real disk:
//   kill_store write DIR SEED
//     writes numbered batches until it is killed, and prints the numbers of durable ones
//   kill_store check DIR SEED LEAST
//     exits with 0 if the store keeps all rules and has exactly the first n batches, n >= LEAST
#include <cstdio>
#include <cstdlib>
#include <string>

#include "storage/posix/env.h"
#include "tests/delta/store/random_batch.h"
#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr const char* kNumberKey = "the number of the last batch";

int fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

// The batch depends only on seed and number, whichever process makes it.
Batch numbered_batch(std::uint64_t seed, std::uint64_t number) {
  Random random(seed * 1'000'003 + number);
  auto batch = random_batch(random, BatchShape());
  batch.put(kNumberKey, std::to_string(number));
  return batch;
}

Result<std::unique_ptr<Store>> open(storage::Env& env, const std::string& directory,
                                    std::uint64_t seed) {
  Random random(seed);
  auto options = tiny_options(random);
  options.in_background = true;
  DGFS_TRY(store, Store::open(env, directory, options));
  DGFS_CHECK(store->start());
  return store;
}

Result<std::uint64_t> last_number(const Store& store) {
  DGFS_TRY(text, store.get(kNumberKey));
  return text ? std::stoull(*text) : 0;
}

void say_durable(std::uint64_t number) {
  std::printf("%llu\n", static_cast<unsigned long long>(number));
  std::fflush(stdout);
}

Status write(storage::Env& env, const std::string& directory, std::uint64_t seed) {
  say_durable(0);
  DGFS_TRY(store, open(env, directory, seed));
  DGFS_TRY(number, last_number(*store));
  while (true) {
    DGFS_CHECK(store->apply(numbered_batch(seed, ++number)));
    if (number % 3 != 0) continue;
    DGFS_CHECK(number % 60 == 0 ? store->checkpoint() : store->sync());
    say_durable(number);
  }
}

int check(storage::Env& env, const std::string& directory, std::uint64_t seed,
          std::uint64_t least) {
  const auto left = check_store(env, directory);
  if (!left && (left.error().kind() != ErrorKind::kNotFound || least != 0)) {
    return fail("as it was left: " + left.error().message());
  }
  auto store = open(env, directory, seed);
  if (!store) return fail(store.error().message());
  const auto number = last_number(*store.value());
  if (!number) return fail(number.error().message());
  if (number.value() < least) return fail("only " + std::to_string(number.value()));
  StoreModel model;
  for (std::uint64_t i = 1; i <= number.value(); ++i) model.apply(numbered_batch(seed, i));
  const auto values = read_all(*store.value());
  if (!values) return fail(values.error().message());
  if (values.value() != model.values()) return fail("other values than the batches gave");
  store.value() = nullptr;
  const auto opened = check_store(env, directory);
  if (!opened) return fail("after recovery: " + opened.error().message());
  say_durable(number.value());
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const OwnSeeds own;
  const auto env = storage::make_posix_env();
  const auto seed = std::strtoull(arguments.at(2).c_str(), nullptr, 10);
  if (arguments.at(0) == "check") {
    return check(*env, arguments.at(1), seed, std::strtoull(arguments.at(3).c_str(), nullptr, 10));
  }
  const auto written = write(*env, arguments.at(1), seed);
  return written ? 0 : fail(written.error().message());
}

}  // namespace
}  // namespace dgfs::test

int main(int argc, char** argv) { return dgfs::test::run({argv + 1, argv + argc}); }
