/* Preloaded into a program, is a disk with room for as many writes to files as WRITES says, and for as many names as NAMES
   says: of files that are made, linked or renamed. What comes later fails as on a full disk. All of them fail as on a
   read-only file system for as long as there is a file READ_ONLY, and what is written takes a third of a second to reach it
   for as long as there is a file SLOW. Streams, pipes and sockets are left alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long writes, names;
static const char *read_only, *slow;

static int is_there(const char *file) {
  struct stat status;
  return file && stat(file, &status) == 0;
}

static long number(const char *variable) {
  const char *text = getenv(variable);
  return text ? strtol(text, NULL, 10) : 1L << 40;
}

__attribute__((constructor)) static void begin(void) {
  writes = number("WRITES");
  names = number("NAMES");
  read_only = getenv("READ_ONLY");
  slow = getenv("SLOW");
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

int fdatasync(int descriptor) {
  if (is_there(slow)) usleep(333000);
  return (int)syscall(SYS_fdatasync, descriptor);
}

int fsync(int descriptor) {
  if (is_there(slow)) usleep(333000);
  return (int)syscall(SYS_fsync, descriptor);
}
