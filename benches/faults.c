// Faults for a process, put before the C library with LD_PRELOAD.
//
//     cc -shared -fPIC -O1 -o faults.so benches/faults.c -ldl
//
// FAULT_FOLDERS   folders, separated by colons: only calls on paths in them count
// FAULT           KIND:N, one of
//                   count:0   no fault
//                   kill:N    SIGKILL in the N-th call; of a write, half is done
//                   cut:N     the same, and all that was written to a file since its last sync is
//                             lost, as in a power cut; after the last call, when it has ended
//                   full:N    from the N-th call that takes space on, ENOSPC
//                   write:N   EIO in the N-th call that writes
//                   sync:N    EIO in the N-th sync; what it should have kept is lost in a cut
// FAULT_REPORT    a file, to which the fault is written, and at the end how many calls there were
//
// Only the process itself is treated so: its children start without the shim. Not seen are memory
// maps (the index of SQLite's log, which SQLite makes again) and system calls without the C
// library (what `tempfile` renames). Names are kept in a power cut, contents are not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, KILL, CUT, FULL, WRITE, SYNC };
enum { CHANGES = 1, TAKES_SPACE = 2, WRITES = 4, SYNCS = 8 };

static char folders[8][4096];
static int folder_count, kind;
static long place, calls, space, writes, syncs;
static const char *report_path;
static pid_t process;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

// A file with content that is not synced: what it held when it was synced last.
struct unsynced {
    dev_t device;
    ino_t inode;
    int file; // held open, so that the inode stays
    int is_changed;
    char *content;
    off_t size;
};
static struct unsynced files[4096];
static int file_count;

static void report(const char *format, ...)
{
    char line[8192];
    va_list values;
    va_start(values, format);
    int size = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    int file = syscall(SYS_openat, AT_FDCWD, report_path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    syscall(SYS_write, file, line, size);
    syscall(SYS_close, file);
}

__attribute__((constructor)) static void begin(void)
{
    const char *names[] = {"", "kill", "cut", "full", "write", "sync"};
    char *fault = getenv("FAULT"), *list = getenv("FAULT_FOLDERS");
    report_path = getenv("FAULT_REPORT");
    if (!fault || !list || !report_path)
        return;
    report_path = strdup(report_path);
    for (char *name = strtok(strdup(list), ":"); name && folder_count < 8; name = strtok(NULL, ":"))
        snprintf(folders[folder_count++], sizeof folders[0], "%s", name);
    char *number = strchr(fault, ':');
    for (int i = KILL; i <= SYNC; i++)
        if (!strncmp(fault, names[i], number - fault))
            kind = i;
    place = atol(number + 1);
    process = getpid();
    unsetenv("LD_PRELOAD");
    unsetenv("FAULT");
    unsetenv("FAULT_FOLDERS");
    unsetenv("FAULT_REPORT");
}

static void lose_unsynced(void);

__attribute__((destructor)) static void end(void)
{
    if (!process || getpid() != process)
        return;
    if (kind == CUT && place == calls + 1) {
        report("fault at the end\n");
        lose_unsynced();
    }
    report("calls %ld space %ld writes %ld syncs %ld\n", calls, space, writes,
        syncs);
}

// The absolute path; empty if there is none.
static void absolute(int folder, const char *path, char *result, size_t size)
{
    char link[64], above[4096];
    ssize_t length;
    if (path && path[0] == '/') {
        snprintf(result, size, "%s", path);
        return;
    }
    if (folder == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/self/cwd");
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    length = readlink(link, above, sizeof above - 1);
    above[length < 0 ? 0 : length] = 0;
    if (path && path[0])
        snprintf(result, size, "%s/%s", above, path);
    else
        snprintf(result, size, "%s", above);
}

static int is_watched(const char *path)
{
    for (int i = 0; i < folder_count; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return 1;
    return 0;
}

static struct unsynced *find(int file)
{
    struct stat state;
    if (fstat(file, &state) || !S_ISREG(state.st_mode))
        return NULL;
    for (int i = 0; i < file_count; i++)
        if (files[i].device == state.st_dev && files[i].inode == state.st_ino)
            return &files[i];
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int own = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (own < 0 || file_count == sizeof files / sizeof *files)
        return NULL;
    files[file_count] = (struct unsynced){state.st_dev, state.st_ino, own, 0, NULL, 0};
    return &files[file_count++];
}

// Remembers what is in a file before it is changed.
static void remember(int file)
{
    struct unsynced *known = find(file);
    struct stat state;
    if (!known || known->is_changed || fstat(known->file, &state))
        return;
    known->is_changed = 1;
    known->size = state.st_size;
    free(known->content);
    known->content = malloc(state.st_size + 1);
    if (pread(known->file, known->content, state.st_size, 0) != state.st_size)
        report("shim: cannot remember a file\n");
}

static void forget(int file)
{
    struct unsynced *known = find(file);
    if (known)
        known->is_changed = 0;
}

static void lose_unsynced(void)
{
    for (int i = 0; i < file_count; i++) {
        if (!files[i].is_changed)
            continue;
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", files[i].file);
        int file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
        syscall(SYS_ftruncate, file, 0);
        syscall(SYS_pwrite64, file, files[i].content, files[i].size, 0);
    }
}

// What the call does to files under the folders: 0 go on, 1 fail with errno, 2 do half and then
// call `die`.
static int act(const char *name, const char *path, int does)
{
    if (!process || !is_watched(path) || getpid() != process)
        return 0;
    calls++;
    space += !!(does & TAKES_SPACE);
    writes += !!(does & WRITES);
    syncs += !!(does & SYNCS);
    if ((kind == KILL || kind == CUT) && calls == place) {
        report("fault %s %s\n", name, path);
        return 2;
    }
    int is_full = kind == FULL && does & TAKES_SPACE && space >= place;
    int fails = (kind == WRITE && does & WRITES && writes == place)
        || (kind == SYNC && does & SYNCS && syncs == place);
    if (is_full || fails) {
        if (fails || space == place)
            report("fault %s %s\n", name, path);
        errno = is_full ? ENOSPC : EIO;
        return 1;
    }
    return 0;
}

static void die(void)
{
    if (kind == CUT)
        lose_unsynced();
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

// A call on a path; `half` is done before a kill in the middle of it.
#define ON(folder, path, does, half, undone, call)                                                 \
    char at[8192];                                                                                 \
    pthread_mutex_lock(&one_at_a_time);                                                            \
    int before = errno;                                                                            \
    absolute(folder, path, at, sizeof at);                                                         \
    errno = before;                                                                                \
    int acts = act(__func__, at, does);                                                            \
    if (acts == 2) {                                                                               \
        if (kind == KILL) {                                                                        \
            half;                                                                                  \
        }                                                                                          \
        die();                                                                                     \
    }                                                                                              \
    if (!acts && process && is_watched(at)) {                                                      \
        undone;                                                                                    \
    }                                                                                              \
    errno = acts ? errno : before;                                                                 \
    __typeof__(call) result = acts ? -1 : call;                                                    \
    pthread_mutex_unlock(&one_at_a_time);                                                          \
    return result

// Opening
static int opens(int flags)
{
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
        return CHANGES | TAKES_SPACE;
    return CHANGES;
}

static void remember_path(const char *path, int flags)
{
    int file = flags & O_TRUNC ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    if (file >= 0) {
        remember(file);
        syscall(SYS_close, file);
    }
}

#define MODE                                                                                       \
    va_list values;                                                                                \
    va_start(values, flags);                                                                       \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(values, mode_t) : 0;                      \
    va_end(values)

int open(const char *path, int flags, ...)
{
    MODE;
    ON(AT_FDCWD, path, opens(flags), , remember_path(at, flags), REAL(open)(path, flags, mode));
}
int open64(const char *path, int flags, ...)
{
    MODE;
    ON(AT_FDCWD, path, opens(flags), , remember_path(at, flags), REAL(open64)(path, flags, mode));
}
int openat(int folder, const char *path, int flags, ...)
{
    MODE;
    ON(folder, path, opens(flags), , remember_path(at, flags),
        REAL(openat)(folder, path, flags, mode));
}
int openat64(int folder, const char *path, int flags, ...)
{
    MODE;
    ON(folder, path, opens(flags), , remember_path(at, flags),
        REAL(openat64)(folder, path, flags, mode));
}

// Writing
#define FILE_WRITE CHANGES | TAKES_SPACE | WRITES
ssize_t write(int file, const void *bytes, size_t size)
{
    ON(file, NULL, FILE_WRITE, REAL(write)(file, bytes, size / 2), remember(file),
        REAL(write)(file, bytes, size));
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    ON(file, NULL, FILE_WRITE, REAL(pwrite)(file, bytes, size / 2, offset), remember(file),
        REAL(pwrite)(file, bytes, size, offset));
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset)
{
    ON(file, NULL, FILE_WRITE, REAL(pwrite64)(file, bytes, size / 2, offset), remember(file),
        REAL(pwrite64)(file, bytes, size, offset));
}
ssize_t writev(int file, const struct iovec *parts, int count)
{
    ON(file, NULL, FILE_WRITE, REAL(writev)(file, parts, count / 2), remember(file),
        REAL(writev)(file, parts, count));
}
ssize_t copy_file_range(
    int from, off64_t *from_offset, int file, off64_t *offset, size_t size, unsigned flags)
{
    ON(file, NULL, FILE_WRITE, , remember(file),
        REAL(copy_file_range)(from, from_offset, file, offset, size, flags));
}
ssize_t sendfile(int file, int from, off_t *offset, size_t size)
{
    ON(file, NULL, FILE_WRITE, , remember(file), REAL(sendfile)(file, from, offset, size));
}
ssize_t sendfile64(int file, int from, off64_t *offset, size_t size)
{
    ON(file, NULL, FILE_WRITE, , remember(file), REAL(sendfile64)(file, from, offset, size));
}
int ftruncate(int file, off_t size)
{
    ON(file, NULL, CHANGES | WRITES, , remember(file), REAL(ftruncate)(file, size));
}
int ftruncate64(int file, off64_t size)
{
    ON(file, NULL, CHANGES | WRITES, , remember(file), REAL(ftruncate64)(file, size));
}
int posix_fallocate(int file, off_t offset, off_t size)
{
    ON(file, NULL, FILE_WRITE, , remember(file), REAL(posix_fallocate)(file, offset, size));
}
int fallocate(int file, int mode, off_t offset, off_t size)
{
    ON(file, NULL, FILE_WRITE, , remember(file), REAL(fallocate)(file, mode, offset, size));
}

// Syncing
int fsync(int file)
{
    ON(file, NULL, CHANGES | SYNCS, , forget(file), REAL(fsync)(file));
}
int fdatasync(int file)
{
    ON(file, NULL, CHANGES | SYNCS, , forget(file), REAL(fdatasync)(file));
}

// Names and attributes
int mkdir(const char *path, mode_t mode)
{
    ON(AT_FDCWD, path, CHANGES | TAKES_SPACE, , , REAL(mkdir)(path, mode));
}
int mkdirat(int folder, const char *path, mode_t mode)
{
    ON(folder, path, CHANGES | TAKES_SPACE, , , REAL(mkdirat)(folder, path, mode));
}
int rmdir(const char *path)
{
    ON(AT_FDCWD, path, CHANGES, , , REAL(rmdir)(path));
}
int unlink(const char *path)
{
    ON(AT_FDCWD, path, CHANGES, , , REAL(unlink)(path));
}
int unlinkat(int folder, const char *path, int flags)
{
    ON(folder, path, CHANGES, , , REAL(unlinkat)(folder, path, flags));
}
int rename(const char *from, const char *to)
{
    ON(AT_FDCWD, to, CHANGES | TAKES_SPACE, , , REAL(rename)(from, to));
}
int renameat(int folder, const char *from, int target, const char *to)
{
    ON(target, to, CHANGES | TAKES_SPACE, , , REAL(renameat)(folder, from, target, to));
}
int link(const char *from, const char *to)
{
    ON(AT_FDCWD, to, CHANGES | TAKES_SPACE, , , REAL(link)(from, to));
}
int linkat(int folder, const char *from, int target, const char *to, int flags)
{
    ON(target, to, CHANGES | TAKES_SPACE, , , REAL(linkat)(folder, from, target, to, flags));
}
int symlink(const char *content, const char *path)
{
    ON(AT_FDCWD, path, CHANGES | TAKES_SPACE, , , REAL(symlink)(content, path));
}
int symlinkat(const char *content, int folder, const char *path)
{
    ON(folder, path, CHANGES | TAKES_SPACE, , , REAL(symlinkat)(content, folder, path));
}
int chmod(const char *path, mode_t mode)
{
    ON(AT_FDCWD, path, CHANGES, , , REAL(chmod)(path, mode));
}
int fchmod(int file, mode_t mode)
{
    ON(file, NULL, CHANGES, , , REAL(fchmod)(file, mode));
}
int fchmodat(int folder, const char *path, mode_t mode, int flags)
{
    ON(folder, path, CHANGES, , , REAL(fchmodat)(folder, path, mode, flags));
}
