/* A disk as a client of NFS sees it: what other processes put in place is not there yet for a while.
 *
 * Loaded with LD_PRELOAD. Below $STALE_ROOT, a file whose last change of state is younger than
 * $STALE_MS milliseconds is absent for stat and open, unless this process named it itself by
 * rename; attributes and absent names are cached so by an NFS client (nfs(5), actimeo and
 * lookupcache). Opening for writing and everything else is left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { kOwn = 1 << 16 };
static uint64_t own[kOwn]; /* names given by this process, as hashes; a full table hides nothing */

static uint64_t hash_of(const char *path) {
    uint64_t hash = 1469598103934665603ULL;
    for (; *path; ++path) hash = (hash ^ (unsigned char)*path) * 1099511628211ULL;
    return hash | 1;
}

static int is_own(const char *path) {
    const uint64_t hash = hash_of(path);
    for (uint64_t step = 0; step < kOwn; ++step) {
        const uint64_t stored = own[(hash + step) % kOwn];
        if (stored == hash) return 1;
        if (!stored) return 0;
    }
    return 1;
}

static void note_own(const char *path) {
    const uint64_t hash = hash_of(path);
    for (uint64_t step = 0; step < kOwn; ++step) {
        uint64_t *const place = &own[(hash + step) % kOwn];
        if (*place == hash || !*place) {
            *place = hash;
            return;
        }
    }
}

static int is_late(const char *path) {
    const char *root = getenv("STALE_ROOT"), *late_ms = getenv("STALE_MS");
    struct stat state;
    struct timespec now;
    if (!root || !late_ms || !path || strncmp(path, root, strlen(root)) != 0) return 0;
    int (*real)(int, const char *, struct stat *, int) = dlsym(RTLD_NEXT, "fstatat");
    if (real(AT_FDCWD, path, &state, 0) != 0 || !S_ISREG(state.st_mode)) return 0;
    clock_gettime(CLOCK_REALTIME, &now);
    const double age_ms = (now.tv_sec - state.st_ctim.tv_sec) * 1e3 +
                          (now.tv_nsec - state.st_ctim.tv_nsec) / 1e6;
    return age_ms >= 0 && age_ms < atof(late_ms) && !is_own(path);
}

#define HIDDEN(path)         \
    if (is_late(path)) {     \
        errno = ENOENT;      \
        return -1;           \
    }

int stat(const char *path, struct stat *state) {
    HIDDEN(path)
    return ((int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat"))(path, state);
}

int stat64(const char *path, struct stat64 *state) {
    HIDDEN(path)
    return ((int (*)(const char *, struct stat64 *))dlsym(RTLD_NEXT, "stat64"))(path, state);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    if ((flags & O_ACCMODE) == O_RDONLY) HIDDEN(path)
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    if ((flags & O_ACCMODE) == O_RDONLY) HIDDEN(path)
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64"))(path, flags, mode);
}

int rename(const char *from, const char *to) {
    const int done = ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
    if (done == 0) note_own(to);
    return done;
}
