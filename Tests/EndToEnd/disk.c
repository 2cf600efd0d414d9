/* Preloaded into a program, is a disk with room for as many writes to files as WRITES says, and for as many names as NAMES
   says: of files that are made, linked or renamed. What comes later fails as on a full disk. All of them fail as on a
   read-only file system for as long as there is a file READ_ONLY, and what is written takes a third of a second to reach it,
   or SLOW_BY milliseconds, for as long as there is a file SLOW. What has reached it is copied to the directory DURABLE: that
   is what a power cut leaves. Nothing is read from a file for as long as there is a file STUCK. Streams, pipes and sockets
   are left alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long writes, names;
static const char *read_only, *slow, *durable, *stuck;
static long slow_by;

static int is_there(const char *file) {
  struct stat status;
  return file && stat(file, &status) == 0;
}

static long number(const char *variable, long otherwise) {
  const char *text = getenv(variable);
  return text ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
  writes = number("WRITES", 1L << 40);
  names = number("NAMES", 1L << 40);
  slow_by = number("SLOW_BY", 333);
  durable = getenv("DURABLE");
  read_only = getenv("READ_ONLY");
  slow = getenv("SLOW");
  stuck = getenv("STUCK");
}

static int refuses(atomic_long *room) {
  if (is_there(read_only)) {
    errno = EROFS;
    return 1;
  }
  if (atomic_fetch_sub(room, 1) > 0) return 0;
  errno = ENOSPC;
  return 1;
}

static int is_file(int descriptor) {
  struct stat status;
  return descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  while (is_there(stuck)) usleep(10000);
  return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) { return pread64(descriptor, bytes, count, offset); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (is_file(descriptor) && refuses(&writes)) return -1;
  return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  if (is_file(descriptor) && refuses(&writes)) return -1;
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

int ftruncate64(int descriptor, off64_t size) {
  struct stat status;
  if (fstat(descriptor, &status) == 0 && size > status.st_size && refuses(&writes)) return -1;
  return (int)syscall(SYS_ftruncate, descriptor, size);
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

static int makes(int flags) { return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)); }

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = makes(flags) ? va_arg(more, mode_t) : 0;
  va_end(more);
  struct stat status;
  if (makes(flags) && (!(flags & O_CREAT) || stat(path, &status) != 0) && refuses(&names)) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = makes(flags) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open64(path, flags, mode);
}

int mknod(const char *path, mode_t mode, dev_t device) {
  if (refuses(&names)) return -1;
  return (int)syscall(SYS_mknodat, AT_FDCWD, path, mode, device);
}

int link(const char *old, const char *new) {
  if (refuses(&names)) return -1;
  return (int)syscall(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int rename(const char *old, const char *new) {
  if (refuses(&names)) return -1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}

/* Copies a file as it is now over what DURABLE has of it. Cut off in between, some of the new is there and some is not. */
static void keep(int descriptor) {
  char link[64], from[PATH_MAX], to[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, from, sizeof from - 1);
  if (!durable || !is_file(descriptor) || length < 0) return;
  from[length] = 0;
  const char *name = strrchr(from, '/');
  if (!name || snprintf(to, sizeof to, "%s%s", durable, name) >= (int)sizeof to) abort();
  int source = (int)syscall(SYS_openat, AT_FDCWD, from, O_RDONLY);
  int target = (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT, 0600);
  struct stat status;
  if (source < 0 || target < 0 || fstat(source, &status) != 0) abort();
  while (copy_file_range(source, NULL, target, NULL, 1 << 30, 0) > 0) continue;
  if (syscall(SYS_ftruncate, target, status.st_size) != 0) abort();
  close(source);
  close(target);
}

static int reaches_disk(long call, int descriptor) {
  if (is_there(slow)) usleep((useconds_t)slow_by * 1000);
  int result = (int)syscall(call, descriptor);
  if (result == 0) keep(descriptor);
  return result;
}

int fdatasync(int descriptor) { return reaches_disk(SYS_fdatasync, descriptor); }

int fsync(int descriptor) { return reaches_disk(SYS_fsync, descriptor); }
