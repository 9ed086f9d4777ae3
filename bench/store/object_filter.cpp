// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
//
// dgfs_object_filter: cost of Store::may_have(): time of a question and of an addition, memory, and
// the share of false positives among objects that were never added.
//   --prefixes 10000,1000000,10000000   in the filter
//   --questions 1000000                 per run, of each kind, in random order
//   --runs 9                            a cell has their median, the smallest and the largest
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <vector>

#include "delta/store/filter/prefix_filter.h"
#include "storage/mix.h"

namespace dgfs::bench {
namespace {

using delta::ObjectPrefix;
using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::uint64_t> prefixes = {10'000, 1'000'000, 10'000'000};
  std::uint64_t questions = 1'000'000;
  int runs = 9;
};

// Prefixes with even object numbers are added, those with odd ones never.
ObjectPrefix prefix_of_number(std::uint64_t number, bool is_added) {
  return {static_cast<std::uint8_t>(1 + number % 3), 2 * number + (is_added ? 0 : 1)};
}

double nanoseconds_each(Clock::time_point begin, std::uint64_t count) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
         static_cast<double>(count);
}

struct Asked {
  double nanoseconds = 0;  ///< per question
  std::uint64_t yes = 0;
};

Asked ask(const delta::PrefixFilter& filter, const std::vector<ObjectPrefix>& questions) {
  Asked asked;
  const auto begin = Clock::now();
  for (const ObjectPrefix& prefix : questions) asked.yes += filter.may_have(prefix) ? 1U : 0U;
  asked.nanoseconds = nanoseconds_each(begin, questions.size());
  return asked;
}

std::string cell(std::vector<double> runs) {
  std::ranges::sort(runs);
  return fmt::format("{:6.1f} [{:.1f}, {:.1f}]", runs[runs.size() / 2], runs.front(), runs.back());
}

// Different questions for each run; hits come from `prefixes`, misses from everywhere.
std::vector<ObjectPrefix> questions_of(const Options& options, std::uint64_t prefixes, int run,
                                       bool is_added) {
  std::vector<ObjectPrefix> questions;
  questions.reserve(options.questions);
  for (std::uint64_t i = 0; i < options.questions; ++i) {
    const auto number = storage::mix(static_cast<std::uint64_t>(run) * 2 + 1, i);
    questions.push_back(prefix_of_number(is_added ? number % prefixes : number >> 8, is_added));
  }
  return questions;
}

void measure(const Options& options, std::uint64_t prefixes) {
  delta::PrefixFilter filter(UINT64_MAX);
  const auto begin = Clock::now();
  for (std::uint64_t i = 0; i < prefixes; ++i) filter.add(prefix_of_number(i, true));
  const auto addition = nanoseconds_each(begin, prefixes);
  std::vector<double> hits;
  std::vector<double> misses;
  std::uint64_t false_yes = 0;
  for (int run = 0; run < options.runs; ++run) {
    const auto hit = ask(filter, questions_of(options, prefixes, run, true));
    const auto miss = ask(filter, questions_of(options, prefixes, run, false));
    if (hit.yes != options.questions) fmt::print("A FALSE NO\n");
    hits.push_back(hit.nanoseconds);
    misses.push_back(miss.nanoseconds);
    false_yes += miss.yes;
  }
  const auto asked = static_cast<double>(options.questions) * options.runs;
  fmt::print("{:>10}  {:>6}  {:11.1f}  {:11.3f} %  {:>8.1f}  {:<24}  {:<24}\n", prefixes,
             filter.stages(),
             8 * static_cast<double>(filter.size_bytes()) / static_cast<double>(prefixes),
             100 * static_cast<double>(false_yes) / asked, addition, cell(std::move(hits)),
             cell(std::move(misses)));
  std::fflush(stdout);
}

void run(const Options& options) {
  fmt::print(
      "{} questions of each kind in {} runs; ns: median [least, most]\n{:>10}  {:>6}  {:>11}"
      "  {:>13}  {:>8}  {:<24}  {:<24}\n",
      options.questions, options.runs, "prefixes", "stages", "bits each", "false yes", "ns added",
      "ns asked, there", "ns asked, not there");
  for (const auto prefixes : options.prefixes) {
    measure(options, std::max(prefixes, std::uint64_t{1}));
  }
}

}  // namespace
}  // namespace dgfs::bench

int main(int argc, char** argv) {
  dgfs::bench::Options options;
  CLI::App app("What the store's filter of objects costs");
  app.add_option("--prefixes", options.prefixes)->delimiter(',');
  app.add_option("--questions", options.questions)->check(CLI::PositiveNumber);
  app.add_option("--runs", options.runs)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  dgfs::bench::run(options);
  return 0;
}
