// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tests/delta/view/model/kernel_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/securebits.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "format/limits.h"

namespace dgfs::test {
namespace {

constexpr int kPathFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;

ErrorKind kind_of(int error_number) {
  static const std::map<int, ErrorKind> kinds = {
      {ENOENT, ErrorKind::kNotFound},     {ENOTDIR, ErrorKind::kNotDirectory},
      {EISDIR, ErrorKind::kIsDirectory},  {EINVAL, ErrorKind::kInvalidArgument},
      {EEXIST, ErrorKind::kExists},       {ENOSPC, ErrorKind::kNoSpace},
      {ENOTEMPTY, ErrorKind::kNotEmpty},  {ENAMETOOLONG, ErrorKind::kNameTooLong},
      {EMLINK, ErrorKind::kTooManyLinks}, {EPERM, ErrorKind::kNotPermitted},
      {ENODATA, ErrorKind::kNoAttribute}, {E2BIG, ErrorKind::kTooLarge},
      {ERANGE, ErrorKind::kOutOfRange},   {EOPNOTSUPP, ErrorKind::kUnsupported},
      {EBUSY, ErrorKind::kBusy},          {EACCES, ErrorKind::kPermission}};
  const auto found = kinds.find(error_number);
  return found == kinds.end() ? ErrorKind::kIo : found->second;
}

OperationResult failed(int error_number) {
  OperationResult result;
  result.error = kind_of(error_number);
  return result;
}

/// The result of a call that returns -1 and sets errno.
OperationResult done_or_failed(long returned) {
  return returned < 0 ? failed(errno) : OperationResult{};
}

int must(int returned) {
  if (returned >= 0) return returned;
  std::perror("KernelTree");
  std::abort();
}

// While it lives, new objects belong to `who`, who has all rights of root.
class AsOwner {
 public:
  explicit AsOwner(const view::Credentials& who) {
    if (::geteuid() != 0) return;
    must(::prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP));
    ::setfsgid(who.gid);
    ::setfsuid(who.uid);
  }
  ~AsOwner() {
    if (::geteuid() != 0) return;
    ::setfsuid(0);
    ::setfsgid(0);
    must(::prctl(PR_SET_SECUREBITS, 0));
  }
  AsOwner(const AsOwner&) = delete;
  AsOwner& operator=(const AsOwner&) = delete;
};

view::Attributes attributes_at(int fd) {
  struct stat status {};
  must(::fstat(fd, &status));
  view::Attributes attributes;
  attributes.mode = status.st_mode;
  attributes.uid = status.st_uid;
  attributes.gid = status.st_gid;
  attributes.link_count = status.st_nlink;
  attributes.size_bytes = static_cast<std::uint64_t>(status.st_size);
  attributes.rdev = status.st_rdev;
  return attributes;
}

Time time_of(const timespec& time) {
  return {time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec)};
}

std::pair<Time, Time> times_at(int fd) {
  struct stat status {};
  must(::fstat(fd, &status));
  return {time_of(status.st_mtim), time_of(status.st_ctim)};
}

bool is_ext4(int directory) {
  struct statfs system {};
  must(::fstatfs(directory, &system));
  return system.f_type == EXT4_SUPER_MAGIC;
}

// So many tries would not all succeed by luck.
bool tells_changes_apart(int directory) {
  for (int times = 0; times < 100; ++times) {
    const Time before = times_at(directory).second;
    must(::fchownat(directory, "", ~uid_t{0}, ~gid_t{0}, AT_EMPTY_PATH));
    if (times_at(directory).second == before) return false;
  }
  return true;
}

timespec time_or_omit(const std::optional<Time>& time) {
  if (!time) return {0, UTIME_OMIT};
  return {time->seconds, time->nanoseconds};
}

std::pair<std::uint64_t, std::uint64_t> identity_of(int fd) {
  struct stat status {};
  must(::fstat(fd, &status));
  return {status.st_dev, status.st_ino};
}

// Ignores names that a system adds by itself.
bool is_ours(std::string_view xattr) {
  return xattr.starts_with("user.") || xattr.starts_with("trusted.") || xattr == "security.x" ||
         xattr == "security.capability";
}

std::vector<std::string> split(std::string_view names) {
  std::vector<std::string> parts;
  while (!names.empty()) {
    const auto end = names.find('\0');
    if (is_ours(names.substr(0, end))) parts.emplace_back(names.substr(0, end));
    names.remove_prefix(end + 1);
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

}  // namespace

KernelTree::KernelTree(const std::string& path) : umask_before_(::umask(0)) {
  const int root = must(::open(path.c_str(), kPathFlags | O_DIRECTORY));
  fds_.emplace(view::kRoot, root);
  ids_.emplace(identity_of(root), view::kRoot);
  must(::mkdirat(root, "probe", 0700));
  const int directory = must(::openat(root, "probe", kPathFlags));
  dump_options_ = {.has_times = false,
                   .has_sizes = false,
                   .has_directory_links = attributes_at(directory).link_count == 2,
                   .has_paths = false};
  probe(directory);
  has_fine_times_ = is_ext4(directory) && tells_changes_apart(directory);
  ::close(directory);
  must(::unlinkat(root, "probe", AT_REMOVEDIR));
}

KernelTree::~KernelTree() {
  for (const auto& [id, fd] : fds_) ::close(fd);
  ::umask(umask_before_);
}

void KernelTree::probe(int directory) {
  const std::string self = "/proc/self/fd/" + std::to_string(directory);
  const bool is_root = ::geteuid() == 0 && ::fchownat(directory, "", 1000, 100, AT_EMPTY_PATH) == 0;
  limits_.objects_max = 150;
  limits_.value_bytes_max = 300;  // ext4 keeps all xattrs of a file in one block
  limits_.has_invalid_names = false;
  limits_.has_contents = is_root;  // a write without root's rights clears bits of the mode
  limits_.has_devices = ::mknodat(directory, "d", S_IFCHR | 0600, 0x100) == 0;
  limits_.has_whiteouts = is_root && limits_.has_devices &&
                          ::renameat2(directory, "d", directory, "e", RENAME_WHITEOUT) == 0;
  ::unlinkat(directory, "d", 0);
  ::unlinkat(directory, "e", 0);
  const int unnamed = ::openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  limits_.has_unnamed = unnamed >= 0;
  if (unnamed >= 0) ::close(unnamed);
  limits_.has_xattrs = ::setxattr(self.c_str(), "user.a", "", 0, 0) == 0;
  limits_.has_long_xattr_names = false;
  limits_.has_all_xattrs = ::setxattr(self.c_str(), "trusted.a", "", 0, 0) == 0;
  if (is_root) return;
  limits_.who = view::Credentials{::geteuid(), ::getegid(), 0};
  limits_.least_permissions = 0700;
}

std::optional<std::pair<Time, Time>> KernelTree::times(ModelId id) const {
  const auto found = fds_.find(id);
  if (found == fds_.end()) return std::nullopt;
  return times_at(found->second);
}

view::Attributes KernelTree::root() const { return attributes_at(fd(view::kRoot)); }

std::string KernelTree::link_to(ModelId id) const {
  return "/proc/self/fd/" + std::to_string(fd(id));
}

ModelId KernelTree::known(int fd) const {
  const auto found = ids_.find(identity_of(fd));
  return found == ids_.end() ? 0 : found->second;
}

ModelId KernelTree::named(ModelId directory, const std::string& name, ModelId made) {
  const int opened = ::openat(fd(directory), name.c_str(), kPathFlags);
  if (opened < 0) return 0;
  const ModelId id = known(opened);
  if (id != 0 || made == 0) {
    ::close(opened);
    return id;
  }
  fds_.emplace(made, opened);
  ids_.emplace(identity_of(opened), made);
  return made;
}

OperationResult KernelTree::found(ModelId id) const {
  OperationResult result;
  result.object = id;
  result.attributes = attributes_at(fd(id));
  return result;
}

bool KernelTree::has_all_of(const Operation& operation) const {
  const auto has = [this](ModelId id) { return id == 0 || fds_.contains(id); };
  return has(operation.directory) && has(operation.to) && has(operation.object);
}

OperationResult KernelTree::perform(const Operation& operation, ModelId made) {
  if (!has_all_of(operation)) {
    return operation.verb == Verb::kRelease ? OperationResult{} : failed(ENOENT);
  }
  ::umask(operation.who.umask);
  if (operation.verb < Verb::kAttributes) return name_operation(operation, made);
  return operation.verb < Verb::kRead ? object_operation(operation) : content_operation(operation);
}

// Names.

OperationResult KernelTree::name_operation(const Operation& operation, ModelId made) {
  switch (operation.verb) {
    case Verb::kCreateUnnamed:
      return create_unnamed(operation, made);
    case Verb::kUnlink:
      return remove(operation, 0);
    case Verb::kRemoveDirectory:
      return remove(operation, AT_REMOVEDIR);
    case Verb::kRename:
      return rename(operation, made);
    default:
      break;
  }
  // The root's parent lies outside of the tree.
  if (operation.verb == Verb::kLookup && operation.directory == view::kRoot &&
      operation.name == "..") {
    return found(view::kRoot);
  }
  if (operation.verb != Verb::kLookup && make(operation) < 0) return failed(errno);
  const ModelId id = named(operation.directory, operation.name, made);
  return id == 0 ? failed(errno) : found(id);
}

int KernelTree::make(const Operation& operation) const {
  const int in = fd(operation.directory);
  const char* name = operation.name.c_str();
  const AsOwner owner(operation.who);
  switch (operation.verb) {
    case Verb::kCreate:
      return ::mknodat(in, name, operation.made.mode, operation.made.rdev);
    case Verb::kMakeDirectory:
      return ::mkdirat(in, name, operation.permissions);
    case Verb::kMakeSymlink:
      return ::symlinkat(operation.target.c_str(), in, name);
    default:
      return ::linkat(AT_FDCWD, link_to(operation.object).c_str(), in, name, AT_SYMLINK_FOLLOW);
  }
}

OperationResult KernelTree::create_unnamed(const Operation& operation, ModelId made) {
  const auto open = [&] {
    const AsOwner owner(operation.who);
    return ::openat(fd(operation.directory), ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
                    operation.permissions);
  };
  const int opened = open();
  if (opened < 0) return failed(errno);
  fds_.emplace(made, opened);
  ids_.emplace(identity_of(opened), made);
  return found(made);
}

OperationResult KernelTree::remove(const Operation& operation, int flags) {
  const ModelId id = named(operation.directory, operation.name);
  if (::unlinkat(fd(operation.directory), operation.name.c_str(), flags) < 0) return failed(errno);
  return found(id);
}

OperationResult KernelTree::rename(const Operation& operation, ModelId made) {
  const ModelId moved = named(operation.directory, operation.name);
  const ModelId replaced = named(operation.to, operation.new_name);
  unsigned flags = operation.leaves_whiteout ? RENAME_WHITEOUT : 0;
  if (operation.rename_mode == view::RenameMode::kNoReplace) flags |= RENAME_NOREPLACE;
  if (operation.rename_mode == view::RenameMode::kExchange) flags |= RENAME_EXCHANGE;
  const AsOwner owner(operation.who);  // owns the whiteout
  if (::renameat2(fd(operation.directory), operation.name.c_str(), fd(operation.to),
                  operation.new_name.c_str(), flags) < 0) {
    // The kernel refuses "." and ".." without asking the file system.
    return failed(errno == EBUSY ? EINVAL : errno);
  }
  OperationResult result;
  result.object = moved;
  if (replaced != 0 && replaced != moved) {
    result.replaced = replaced;
    result.replaced_attributes = attributes_at(fd(replaced));
  }
  if (operation.leaves_whiteout) {
    static_cast<void>(named(operation.directory, operation.name, made));
  }
  return result;
}

// Objects.

OperationResult KernelTree::object_operation(const Operation& operation) {
  OperationResult result;
  switch (operation.verb) {
    case Verb::kAttributes:
      result.attributes = attributes_at(fd(operation.object));
      return result;
    case Verb::kSetAttributes:
      return set_attributes(operation);
    case Verb::kReadLink: {
      std::array<char, format::kTargetBytesMax + 1> target{};
      const auto bytes = ::readlinkat(fd(operation.object), "", target.data(), target.size());
      // With an empty path, ENOENT takes the place of EINVAL.
      if (bytes < 0) return failed(errno == ENOENT ? EINVAL : errno);
      result.texts.emplace_back(target.data(), static_cast<std::size_t>(bytes));
      return result;
    }
    case Verb::kPaths:
      add_paths(view::kRoot, "", operation.object, result.texts);
      std::sort(result.texts.begin(), result.texts.end());
      return result;
    case Verb::kRelease:
      release(operation.object);
      return result;
    case Verb::kList:
      return list(operation);
    default:
      return xattr_operation(operation);
  }
}

OperationResult KernelTree::set_attributes(const Operation& operation) const {
  constexpr std::uint32_t kSame = ~std::uint32_t{0};
  const auto& change = operation.change;
  const int object = fd(operation.object);
  long returned = 0;
  if (change.size_bytes) {
    auto result = set_size(operation);
    if (!result.error) result.attributes = attributes_at(object);
    return result;
  }
  if (change.permissions) {
    returned = ::chmod(link_to(operation.object).c_str(), *change.permissions);
  } else if (change.uid || change.gid) {
    returned = ::fchownat(object, "", change.uid.value_or(kSame), change.gid.value_or(kSame),
                          AT_EMPTY_PATH);
  } else {
    const std::array times = {time_or_omit(change.atime), time_or_omit(change.mtime)};
    returned = ::utimensat(object, "", times.data(), AT_EMPTY_PATH);
  }
  auto result = done_or_failed(returned);
  if (!result.error) result.attributes = attributes_at(object);
  return result;
}

OperationResult KernelTree::xattr_operation(const Operation& operation) const {
  const std::string object = link_to(operation.object);
  const char* name = operation.xattr.c_str();
  if (operation.verb == Verb::kRemoveXattr) {
    return done_or_failed(::removexattr(object.c_str(), name));
  }
  if (operation.verb == Verb::kSetXattr) {
    constexpr std::array<int, 3> kFlags = {0, XATTR_CREATE, XATTR_REPLACE};
    return done_or_failed(::setxattr(object.c_str(), name, operation.value.data(),
                                     operation.value.size(),
                                     kFlags.at(std::size_t(operation.xattr_mode))));
  }
  std::string out(format::kXattrValueBytesMax, '\0');
  const bool is_list = operation.verb == Verb::kXattrNames;
  const auto bytes = is_list ? ::listxattr(object.c_str(), out.data(), out.size())
                             : ::getxattr(object.c_str(), name, out.data(), out.size());
  auto result = done_or_failed(bytes);
  if (result.error) return result;
  out.resize(static_cast<std::size_t>(bytes));
  result.texts = is_list ? split(out) : std::vector{out};
  return result;
}

OperationResult KernelTree::list(const Operation& operation) const {
  OperationResult result;
  const auto names = this->names(operation.object);
  if (!names) {
    result.error = names.assume_error();
    return result;
  }
  for (const auto& listed : names.assume_value()) {
    if (listed.name > operation.name) result.listed.push_back(listed);
  }
  return result;
}

void KernelTree::add_paths(ModelId directory, const std::string& path, ModelId id,
                           std::vector<std::string>& paths) const {
  if (directory == id) paths.push_back(path);
  if (!format::is_directory(attributes_at(fd(directory)).mode)) return;
  const auto names = this->names(directory);
  for (const auto& listed : names.assume_value()) {
    add_paths(listed.object, path.empty() ? listed.name : path + "/" + listed.name, id, paths);
  }
}

void KernelTree::release(ModelId id) {
  if (attributes_at(fd(id)).link_count != 0) return;
  ids_.erase(identity_of(fd(id)));
  ::close(fd(id));
  fds_.erase(id);
}

// The whole.

Answer<ObjectFacts> KernelTree::facts(ModelId id) const {
  if (!fds_.contains(id)) return ErrorKind::kNotFound;
  ObjectFacts facts;
  facts.attributes = attributes_at(fd(id));
  if (format::is_symlink(facts.attributes.mode)) {
    facts.target.resize(facts.attributes.size_bytes);
    must(static_cast<int>(::readlinkat(fd(id), "", facts.target.data(), facts.target.size())));
  }
  if (limits_.has_contents && format::is_regular(facts.attributes.mode)) {
    facts.content = content(id);
  }
  if (!limits_.has_xattrs) return facts;
  Operation operation;
  operation.object = id;
  operation.verb = Verb::kXattrNames;
  const auto names = xattr_operation(operation);
  operation.verb = Verb::kXattr;
  for (const auto& name : names.texts) {
    operation.xattr = name;
    const std::string value = xattr_operation(operation).texts.at(0);
    facts.xattrs.emplace(name, Buffer(value.begin(), value.end()));
  }
  return facts;
}

Answer<std::vector<ListedObject>> KernelTree::names(ModelId directory) const {
  const int opened = ::open(link_to(directory).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return kind_of(errno);
  DIR* stream = ::fdopendir(opened);
  std::vector<ListedObject> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const int object = must(::openat(opened, name.c_str(), kPathFlags));
    names.push_back({name, known(object), format::type_of(attributes_at(object).mode)});
    ::close(object);
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return kind_of(error);
  std::sort(names.begin(), names.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return names;
}

Answer<ModelId> KernelTree::parent(ModelId directory) const {
  if (directory == view::kRoot) return view::kRoot;
  const int opened = must(::openat(fd(directory), "..", kPathFlags));
  const ModelId id = known(opened);
  ::close(opened);
  return id;
}

}  // namespace dgfs::test
