// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/help/mount_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace dgfs::tools {
namespace {

// A test compares this list with fuse/mount_arguments.h, which also has options without effect.
constexpr struct {
  std::string_view name;
  std::string_view value;
  std::string_view effect;
} kOptions[] = {
    {"delta", "DIR", "allow changes, and keep them in the directory DIR"},
    {"ro", "", "with a delta: show its tree, but allow no changes"},
    {"as_of", "STATE",
     "with a delta: show this state of it, or the newest one of\n"
     "that time, read-only; many mounts may do so at once"},
    {"seal", "TIME|SIZE",
     "keep the state of the delta unasked: when the newest state\n"
     "is that old (24h; s, m, h), or when so much was changed\n"
     "since then (10G; K, M, G, T)"},
    {"merge", "off|SIZE",
     "make all changes a part of the delta's base unasked once\n"
     "they take so much (10G; K, M, G, T); off, the default:\n"
     "on request"},
    {"merge_rate", "BYTES", "merges pack at most so many bytes a second; K, M, G"},
    {"size", "BYTES", "the most that a delta may take, from 32M up; K, M, G, T as\nbelow"},
    {"commit", "SECONDS",
     "seconds of unsynced changes that a crash may lose (1);\n"
     "0: none"},
    {"sync", "", "each change is durable before the call returns, as commit=0"},
    {"writethrough", "", "the mount gets each write(2) at once (the default)"},
    {"writeback", "",
     "the kernel collects writes; if the mount crashes, those not\n"
     "yet sent are lost; errors show at fsync(2) or close(2)"},
    {"memory", "BYTES", "with a delta: all caches and tables together (256M)"},
    {"allow_other", "", "users other than the mounting one have access"},
    {"allow_root", "", "root has access too, but no other user"},
    {"uid", "N",
     "all files show this owner, and keep their own; set-user-id\n"
     "bits and capabilities are dropped, as with gid and umask"},
    {"gid", "N", "all files show this group"},
    {"umask", "OCTAL", "all files show mode 0777 without these bits"},
    {"suid", "", "set-user-id programs work; root only"},
    {"dev", "", "device files work; root only"},
    {"noexec", "", "programs in the mount cannot be run"},
    {"index", "FILE", "use this index"},
    {"volume", "FILE", "a further volume of the image, or the directory it lies in"},
    {"offset", "BYTES",
     "the image begins at this offset in its file or device;\n"
     "K, M, G and T after the number are powers of 1024"},
    {"check", "WHAT",
     "verify contents (data, the default), the whole index\n"
     "before mounting as well (all), or the index only (off)"},
    {"threads", "N", "requests served at once, as --threads"},
    {"page_cache", "BYTES", "memory for pages of the index (64M); K, M, G, T as above"},
    {"frame_cache", "BYTES",
     "memory for parts of larger files (32M), and as much again\n"
     "for maps of sparse and compressed ones; K, M, G, T as above"},
    {"transport", "WAY",
     "how requests come: classic (/dev/fuse), uring (io_uring,\n"
     "where the kernel offers it), or auto (the default)"},
    {"noprefetch", "", "do not read files before they are requested"},
    {"fsname", "NAME", "the source that the table of mounts shows"},
    {"max_read", "BYTES", "the largest request of the kernel, at least 4096"},
    {"subtype", "NAME", "the type in the table of mounts is fuse.NAME (dgfs)"},
    {"auto_unmount", "", "unmount when the process of the mount dies"},
    {"idle", "TIME",
     "unmount after this time without use; in seconds, or with\n"
     "s, m or h (10m)"},
    {"context", "LABEL",
     "SELinux: the label of all files; in quotation marks if it\n"
     "has commas"},
    {"fscontext", "LABEL", "SELinux: the label of the file system itself"},
    {"defcontext", "LABEL", "SELinux: the label of files that have none"},
    {"rootcontext", "LABEL", "SELinux: the label of the root directory"},
    {"sloppy", "", "ignore unknown options"},
};

std::string usage_of(std::string_view name, std::string_view value) {
  return std::string(name) + (value.empty() ? "" : "=") + std::string(value);
}

}  // namespace

HelpSection mount_option_section() {
  std::string lines;
  for (const auto& option : kOptions) {
    std::string usage = usage_of(option.name, option.value);
    std::string_view effect = option.effect;
    while (!effect.empty()) {
      const std::string_view line = effect.substr(0, effect.find('\n'));
      lines += fmt::format("  {:<18} {}\n", std::exchange(usage, ""), line);
      effect.remove_prefix(std::min(effect.size(), line.size() + 1));
    }
  }
  return {"Mount options",
          "after -o, separated by commas. Without a delta, a mount is read-only. "
          "default_permissions is on; nosuid and nodev are the default of dgfs mount. Options that "
          "mount(8) itself handles (noatime, nofail, _netdev, user, x-...) are accepted too.",
          lines};
}

std::vector<std::string> mount_option_names() {
  std::vector<std::string> out;
  for (const auto& option : kOptions) {
    out.push_back(std::string(option.name) + (option.value.empty() ? "" : "="));
  }
  return out;
}

CommandDescription mount_helper_description() {
  return {
      .command = "mount.dgfs",
      .operands = "IMAGE DIR",
      .summary =
          "Mounts a DGFS image on the directory DIR, read-only unless a delta is given. mount(8) "
          "calls it for 'mount -t dgfs' and for lines of fstab(5) with the type dgfs, and as "
          "mount.fuse.dgfs for the type fuse.dgfs.",
      .options = {{.names = {"-o"},
                   .value_name = "OPTION[,OPTION]...",
                   .choices = mount_option_names(),
                   .help = "Mount options, see below"},
                  {.names = {"-s"}, .help = "Ignore unknown options instead of failing"},
                  {.names = {"-f"}, .help = "Do everything but mount"},
                  {.names = {"-n", "-v"}, .help = "Accepted without effect"}},
      .sections = {mount_option_section()},
      .words = {},
      .manual = {
          .paragraphs = {"If root mounts, set-user-id programs and devices work unless nosuid and "
                         "nodev are given, as for other file systems. umount(8) unmounts the "
                         "image through the same program, which it finds as umount.dgfs and "
                         "umount.fuse.dgfs, and which returns when a delta is closed. After umount "
                         "-l, -f and -i nobody waits: 'dgfs delta wait' does in every case."},
          .examples = {{"mount -t dgfs -o allow_other,nosuid,nodev /srv/photos.dgfs /mnt/photos",
                        "Mounts through mount(8)."},
                       {"/srv/photos.dgfs /mnt/photos dgfs allow_other,nosuid,nodev,nofail 0 0",
                        "The line of fstab(5) for this mount."},
                       {"/srv/photos.dgfs /mnt/photos dgfs delta=/srv/photos.delta,nofail 0 0",
                        "The same for a mount that can be changed."}},
          .exit_statuses = {{0, "Mounted."}, {1, "Wrong usage."}, {32, "Nothing was mounted."}},
          .see_also = {"dgfs-mount(1)", "mount(8)", "fstab(5)", "systemd.mount(5)"}}};
}

}  // namespace dgfs::tools
