// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/store/crash/store_script.h"

#include <array>
#include <utility>

#include "tests/delta/store/tiny_store.h"

namespace dgfs::test {
namespace {

using namespace delta;

constexpr std::array<const char*, kLetters> kNames = {
    "put-a",       "put-b", "put-large", "patch",      "field",  "remove", "remove-some",
    "remove-rest", "sync",  "maintain",  "checkpoint", "reopen", "close"};
constexpr std::size_t kLargeBytes = 1700;

// The changes of a letter at a position of a script: each position gives other values.
Batch batch_of(Letter letter, std::size_t position) {
  const auto text = std::string(3 + position, static_cast<char>('p' + position));
  Batch batch;
  switch (letter) {
    case Letter::kPutA:
      batch.put("a", text);
      break;
    case Letter::kPutB:
      batch.put("b", text);
      break;
    case Letter::kPutLarge:
      batch.put("a", std::string(kLargeBytes, text.front()));
      break;
    case Letter::kPatch:
      // At position 0 the patch makes the value large, whether it was small or missing.
      batch.patch("a", position == 0 ? 30 : 2, text);
      break;
    case Letter::kField:
      batch.change_field("b", {0, FieldOperation::kAdd, 1 + position});
      break;
    case Letter::kRemove:
      batch.remove("a");
      break;
    case Letter::kRemoveSome:
      batch.remove_range({"a", "b"});
      break;
    case Letter::kRemoveRest:
      batch.remove_range({"a5", std::nullopt});
      break;
    default:
      break;
  }
  return batch;
}

// Runs a script on a store.
class ScriptRun {
 public:
  ScriptRun(StoppingEnv& env, const StoreOptions& options, CrashHistory& history)
      : env_(env), options_(options), history_(history) {}

  /// Returns false if the call failed, or the machine has stopped.
  bool open() {
    store_ = nullptr;
    env_.begin(Step::kOpen);
    auto opened = Store::open(env_.env(), "/s", options_);
    if (!opened || env_.has_stopped()) return false;
    store_ = std::move(opened).value();
    if (history_.is_settled()) return true;
    env_.begin(Step::kOther);
    const auto values = read_all(*store_);
    if (!values) return false;
    EXPECT_TRUE(history_.settle(values.value()))
        << "the opened store has values that are no possible state";
    return !testing::Test::HasFailure();
  }

  bool do_letter(Letter letter, std::size_t position) {
    env_.begin(Step::kOther);
    switch (letter) {
      case Letter::kSync:
        return acknowledge(store_->sync());
      case Letter::kCheckpoint:
        return acknowledge(store_->checkpoint());
      case Letter::kMaintain:
        return static_cast<bool>(store_->maintain()) && !env_.has_stopped();
      case Letter::kReopen:
        return open();
      case Letter::kClose:
        return acknowledge(store_->close()) && open();
      default:
        break;
    }
    const auto batch = batch_of(letter, position);
    history_.add(batch);
    return static_cast<bool>(store_->apply(batch)) && !env_.has_stopped();
  }

 private:
  bool acknowledge(const Status& status) {
    if (!status || env_.has_stopped()) return false;
    history_.note_durable();
    return true;
  }

  StoppingEnv& env_;
  const StoreOptions& options_;
  CrashHistory& history_;
  std::unique_ptr<Store> store_;
};

}  // namespace

std::string to_text(const Script& script) {
  std::string text;
  for (const Letter letter : script) {
    text += (text.empty() ? "" : " ") + std::string(kNames[static_cast<std::size_t>(letter)]);
  }
  return text;
}

void each_script(const Script& begin, std::size_t length,
                 const std::function<void(const Script&)>& sink) {
  if (begin.size() == length) return sink(begin);
  Script longer = begin;
  longer.emplace_back();
  for (std::size_t letter = 0; letter < kLetters; ++letter) {
    longer.back() = static_cast<Letter>(letter);
    each_script(longer, length, sink);
  }
}

StoreOptions script_options() {
  StoreOptions options;
  options.create = true;
  options.parameters.basement_bytes = 512;
  options.parameters.buffer_bytes = 1024;
  options.parameters.fanout = 4;
  options.parameters.segment_bytes = 8192;
  options.parameters.inline_bytes = 24;
  options.cache_bytes = 0;
  options.table_bytes = 2048;
  options.spare_bytes = 512;
  options.filter_prefixes = 32;
  return options;
}

void run_script(StoppingEnv& env, const StoreOptions& options, const Script& script,
                CrashHistory& history) {
  ScriptRun run(env, options, history);
  if (!run.open()) return;
  for (std::size_t at = 0; at < script.size(); ++at) {
    if (!run.do_letter(script[at], at)) return;
  }
  if (run.do_letter(Letter::kSync, 0)) static_cast<void>(run.do_letter(Letter::kCheckpoint, 0));
}

}  // namespace dgfs::test
