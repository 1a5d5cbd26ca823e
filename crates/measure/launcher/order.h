/*
 * What the launcher is told and what it answers, as `src/process/order.rs` and `answer.rs` write
 * and read it.
 */
/* Which conditions are set, which files come, and how the child is made. */
enum {
	SET_NICE = 1 << 0,
	SET_SCHEDULING = 1 << 1,
	SET_CPUS = 1 << 2,
	SET_RANDOM_ADDRESSES = 1 << 3,
	OWN_MEMORY = 1 << 4, /* it shares no memory with us: the kernel may kill it for want of some */
	USAGE_COMES = 1 << 5, /* a file with the processor time that its control group has used */
	KILL_COMES = 1 << 6, /* a file that kills its control group */
	AHEAD = 1 << 7, /* it is to follow the one that is executed, or to be forgotten */
	NO_HUGE_PAGES = 1 << 8, /* with OWN_MEMORY: what is said of memory that we share holds for us */
};

/* What to execute. With it come the three files that become the standard ones, `groups` files that make who writes
 * 0 to them a member of a control group, and those that the flags name. Then these strings, each
 * ended by a zero: the folder, `candidates` paths to try in turn, `arguments` words and `variables`
 * NAME=VALUE. Without a candidate the child takes its conditions upon itself and ends. */
struct order {
	int64_t limit; /* nanoseconds that it may take */
	int64_t grace; /* nanoseconds between asking it to end and killing it */
	int64_t patience; /* nanoseconds that it may take to be gone once it was killed: it may have much memory to give back */
	int64_t due; /* when the other side looks at the host again, on the monotonic clock: who ends later is told of where it was */
	int64_t cpu_limit; /* nanoseconds of processor time that it may use */
	uint64_t cpu_seconds, address_space; /* what each of its processes may have, or no limit */
	uint64_t flags;
	int64_t nice, policy, priority, random_addresses;
	uint64_t cpus[16]; /* a bit each */
	uint64_t cpus_usable; /* how many it can use at once */
	uint64_t groups;
	uint64_t bytes; /* of all strings */
	uint64_t candidates, arguments, variables;
};

enum { NOT_CUT, CUT_BY_LIMIT, CUT_BY_ORDER, CUT_BY_CPU_TIME };

/* What a child was doing when it could not go on. */
enum { STARTING, JOINING, SCHEDULING, NICING, PINNING, RANDOMISING, LIMITING };

/* What came of it. All but the last are numbers of 64 bits, which is what `struct kernel_usage` consists of. */
struct answer {
	int64_t error; /* why it could not be started, or 0 */
	int64_t step; /* what it was doing then */
	int64_t status; /* as wait4 has it */
	int64_t cut; /* why we ended it */
	int64_t left; /* how many processes of it were alive after it had ended */
	/* whether something of it is alive still, although it was killed: this launcher ends */
	int64_t stuck;
	/* nanoseconds from before it was made until it had ended, without those for its conditions */
	int64_t wall;
	int64_t last_cpu; /* the processor that it used last, or -1: not asked for, or not known */
	int64_t stopped; /* the signal that had stopped it when its time was over, or 0 */
	/* nanoseconds of processor time of its control group, all ended, or -1: there is none that says */
	int64_t group_cpu;
	/* whether it ignored the ends of its children when it ended, as far as that was asked */
	int64_t ignores;
	/* nanoseconds of its schedstat that its conditions took */
	int64_t prepared_running, prepared_waiting;
	int64_t began; /* nanoseconds since 1970, when it was started */
	int64_t due; /* whether it ended when the other side was to look at the host */
	int64_t followed; /* whether the order that was sent ahead is executed by now */
	int64_t migrations; /* how often it was moved to another processor, or -1, as last_cpu */
	/* its own, that of its descendants that were waited for, and of all orphans */
	struct kernel_usage usage;
	char schedstat[64]; /* its /proc/PID/schedstat after it had ended, zeroes behind */
};
_Static_assert(sizeof(struct answer) == (17 + 18) * 8 + 64, "numbers of 64 bits");
