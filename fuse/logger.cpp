// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "fuse/logger.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/syslog_sink.h>

namespace dgfs::fuse {

std::shared_ptr<spdlog::logger> make_terminal_logger() {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("dgfs", std::move(sink));
  logger->set_pattern("%n: %l: %v");
  logger->flush_on(spdlog::level::trace);
  return logger;
}

std::shared_ptr<spdlog::logger> make_system_logger() {
  const bool formatted = false;  // the system log adds time, name and level
  auto sink =
      std::make_shared<spdlog::sinks::syslog_sink_mt>("dgfs", LOG_PID, LOG_DAEMON, formatted);
  return std::make_shared<spdlog::logger>("dgfs", std::move(sink));
}

}  // namespace dgfs::fuse
