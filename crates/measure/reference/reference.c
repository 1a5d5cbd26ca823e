// The reference: six small programs whose work is the same for ever. What they take is the machine's
// doing alone. Each takes about 50 ms on a machine of 2020.
//
//     reference i|b|l|r|s|f      integers, bandwidth, latency, branches, system, files
//     reference n                nothing: what `s` starts
//
// Never change this file: each edit begins new series of the reference on all machines. It stands
// alone, without a library, so that nothing else changes what is executed.

typedef unsigned long word;

#define INTEGERS 20000000UL
#define BRANCHES 7500000UL
#define MEMORY (32UL << 20)
#define PASSES 32
#define STEPS 230000UL
#define CALLS 240000
#define STARTS 150
#define FILE_SIZE (2UL << 20)
#define READ 65536UL
#define READINGS 1000

#if defined(__x86_64__) && defined(__LP64__)

enum { EXECVE = 59, EXIT = 231, FORK = 56, GETPPID = 110, MMAP = 9, OPENAT = 257, PREAD = 17, WAIT4 = 61, WRITE = 1 };
#define TMPFILE 020200000

static long call(long number, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-64, %rsp\n\tcall begin\n");

#elif defined(__aarch64__) && defined(__LP64__)

enum { EXECVE = 221, EXIT = 94, FORK = 220, GETPPID = 173, MMAP = 222, OPENAT = 56, PREAD = 67, WAIT4 = 260, WRITE = 64 };
#define TMPFILE 020040000

static long call(long number, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tmov x0, sp\n\tbl begin\n");

#else
#error "the reference needs x86_64 or aarch64"
#endif

static volatile word sink;

__attribute__((noreturn)) static void end(int status) {
    for (;;) call(EXIT, status, 0, 0, 0, 0, 0);
}

static word *memory(void) {
    // Private and anonymous, to be read and written.
    long address = call(MMAP, 0, MEMORY, 3, 0x22, -1, 0);
    if (address < 0 && address > -4096) end(2);
    return (word *)address;
}

static word next(word x) {
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

// Each step needs the one before.
static void integers(void) {
    word x = 88172645463325252UL;
    for (word i = 0; i < INTEGERS; i++) x = next(x) * 0x9e3779b97f4a7c15UL + i;
    sink = x;
}

// Reads more than most caches hold, in order.
static void bandwidth(void) {
    word *from = memory(), n = MEMORY / sizeof(word);
    for (word i = 0; i < n; i++) from[i] = i;
    word a = 0, b = 0, c = 0, d = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        for (word i = 0; i < n; i += 4) {
            a += from[i];
            b += from[i + 1];
            c += from[i + 2];
            d += from[i + 3];
            __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
        }
    }
    sink = a + b + c + d;
}

// Reads the same memory out of order, where each address is known only from the one before.
static void latency(void) {
    word *table = memory(), n = MEMORY / sizeof(word), at = 0;
    // A cycle through all places (Hull & Dobell 1962).
    for (word i = 0; i < n; i++) table[i] = (i * 2862933555777941757UL + 3037000493UL) & (n - 1);
    for (word i = 0; i < STEPS; i++) at = table[at];
    sink = at;
}

// Two branches that nothing predicts.
static void branches(void) {
    word x = 88172645463325252UL, a = 0, b = 0;
    for (word i = 0; i < BRANCHES; i++) {
        x = next(x);
        if (x & 1)
            __asm__ volatile("" : "+r"(a) : "r"(x));
        else
            __asm__ volatile("" : "+r"(b) : "r"(x));
        if (x & 0x10000) {
            a++;
            __asm__ volatile("" : "+r"(a));
        } else {
            b++;
            __asm__ volatile("" : "+r"(b));
        }
    }
    sink = a + b;
}

// System calls, and processes that end at once.
static void system_calls(void) {
    static char path[] = "/proc/self/exe", nothing[] = "n";
    static char *arguments[] = {path, nothing, 0}, *environment[] = {0};
    for (int i = 0; i < CALLS; i++) call(GETPPID, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < STARTS; i++) {
        int status = 0;
        // As fork: a copy that says when it has ended (SIGCHLD).
        long child = call(FORK, 17, 0, 0, 0, 0, 0);
        if (child == 0) {
            call(EXECVE, (long)path, (long)arguments, (long)environment, 0, 0, 0);
            end(3);
        }
        if (child < 0 || call(WAIT4, child, (long)&status, 0, 0, 0, 0) != child || status != 0) end(3);
    }
}

// Reads a file that has no name from the system's cache.
static void files(void) {
    word *bytes = memory();
    // Here, to be read and written.
    long file = call(OPENAT, -100, (long)".", TMPFILE | 2, 0600, 0, 0);
    if (file < 0) end(4);
    for (word i = 0; i < READ / sizeof(word); i++) bytes[i] = i;
    for (word at = 0; at < FILE_SIZE; at += READ)
        if (call(WRITE, file, (long)bytes, READ, 0, 0, 0) != (long)READ) end(4);
    for (int i = 0; i < READINGS; i++)
        for (word at = 0; at < FILE_SIZE; at += READ)
            if (call(PREAD, file, (long)bytes, READ, at, 0, 0) != (long)READ) end(4);
}

__attribute__((used, noreturn)) static void begin(const word *stack) {
    const char *const *arguments = (const char *const *)(stack + 1);
    switch (stack[0] == 2 ? arguments[1][0] : 0) {
    case 'i': integers(); break;
    case 'b': bandwidth(); break;
    case 'l': latency(); break;
    case 'r': branches(); break;
    case 's': system_calls(); break;
    case 'f': files(); break;
    case 'n': break;
    default: end(1);
    }
    end(0);
}
