#!/usr/bin/env python3
"""Makes a git repository with fifteen months of a small packet forwarder, whose changes of speed are known.

Usage: make-history.py DIR     (DIR must not exist)
Commits, dates and hashes are the same each time. Beside DIR, `truth.txt` lists the commits that change the speed.
The history has what the story saw: batches committed, backed out and committed again; stack protection; a debugging
aid switched on and off; reference counting. It also has what makes old revisions hard to build.
"""

import os
import pathlib
import subprocess
import sys

STATE = {"batch": 1, "poison": False, "counted": False, "words": False, "protector": False}
BUILD = {"stdint": False, "common": False, "half": False}
NOTES = []

TABLE_H = """/* The table of flows. */
#ifndef TABLE_H
#define TABLE_H
{stdint}
#define FLOWS 4096
struct flow {{ uint32_t key; uint64_t packets; }};
{common}
void table_fill(void);
struct flow *table_find(uint32_t key);
#endif
"""

TABLE_C = """#include <stddef.h>
#include "table.h"

static struct flow flows[FLOWS];
{definition}
void table_fill(void)
{{
    for (uint32_t at = 0; at < FLOWS; at++)
        flows[(at * 2654435761u) % FLOWS].key = at;
}}

struct flow *table_find(uint32_t key)
{{
    uint32_t at = (key * 2654435761u) % FLOWS;

    for (uint32_t tries = 0; tries < FLOWS; tries++, at = (at + 1) % FLOWS)
        if (flows[at].key == key)
            return &flows[at];
    return NULL;
}}
"""

PACKET_C = """#include <stdatomic.h>
#include <string.h>
#include "packet.h"

static struct packet pool[PACKETS];
static uint8_t wire[PACKETS][1024];
static unsigned next;

struct packet *packet_get(uint32_t key)
{{
    struct packet *packet = &pool[next++ % PACKETS];

    memcpy(packet->data, wire[key % PACKETS], sizeof packet->data);
    packet->key = key;
    packet->data[key % sizeof packet->data] = (uint8_t)key;
{get}    return packet;
}}

void packet_put(struct packet *packet)
{{
    memcpy(wire[(packet->key + 1) % PACKETS], packet->data, sizeof packet->data);
{put}}}

uint32_t packet_sum(const struct packet *packet)
{{
    uint64_t sum = 0;

{sum}    return (uint32_t)(sum ^ (sum >> 32));
}}
"""

PACKET_H = """/* Packets and where they come from. */
#ifndef PACKET_H
#define PACKET_H
#include <stdint.h>

#define PACKETS 64
struct packet {{ uint32_t key;{field} uint8_t data[1024]; }};
struct packet *packet_get(uint32_t key);
void packet_put(struct packet *packet);
uint32_t packet_sum(const struct packet *packet);
#endif
"""

BYTES = """    for (unsigned at = 0; at < 64; at++)
        sum += (uint64_t)packet->data[at] << (at % 8);
"""
WORDS = """    for (unsigned at = 0; at < 64; at += 4) {
        uint32_t word;

        memcpy(&word, packet->data + at, sizeof word);
        sum += word;
    }
"""

QUEUE_C = """#include <pthread.h>
#include "queue.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct packet *waiting[QUEUE];
static unsigned length;

unsigned queue_put(struct packet **packets, unsigned number)
{
    pthread_mutex_lock(&lock);
    for (unsigned at = 0; at < number && length < QUEUE; at++)
        waiting[length++] = packets[at];
    pthread_mutex_unlock(&lock);
    return number;
}

unsigned queue_take(struct packet **packets, unsigned most)
{
    unsigned number = 0;

    pthread_mutex_lock(&lock);
    while (number < most && length > 0)
        packets[number++] = waiting[--length];
    pthread_mutex_unlock(&lock);
    return number;
}
"""

QUEUE_H = """/* Packets between the receiving and the sending side. */
#ifndef QUEUE_H
#define QUEUE_H
#include "packet.h"

#define QUEUE 64
unsigned queue_put(struct packet **packets, unsigned number);
unsigned queue_take(struct packet **packets, unsigned most);
#endif
"""

FORWARD_C = """/* Forwards packets: forward NUMBER. Prints the number and a checksum of all. */
#include <stdio.h>
#include <stdlib.h>
#include "queue.h"
#include "table.h"

#define BATCH {batch}

int main(int argc, char **argv)
{{
    unsigned long number = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    unsigned long sent = 0;
    uint32_t sum = 0;
    struct packet *in[BATCH], *out[BATCH];

    table_fill();
{half}    while (sent < number) {{
        for (unsigned at = 0; at < BATCH; at++)
            in[at] = packet_get((uint32_t)(sent + at) % FLOWS);
        queue_put(in, BATCH);
        unsigned taken = queue_take(out, BATCH);
        for (unsigned at = 0; at < taken; at++) {{
            struct flow *flow = table_find(out[at]->key);

            if (flow != NULL)
                flow->packets++;
            sum ^= packet_sum(out[at]);
            packet_put(out[at]);
        }}
        sent += taken;
    }}
    printf("packets: %lu\\n", sent);
    return sum == 1;
}}
"""

MAKEFILE = """CC ?= cc
CFLAGS ?= -O2
LDFLAGS ?=
OBJECTS = forward.o packet.o queue.o table.o

forward: $(OBJECTS)
	$(CC) $(LDFLAGS) -o $@ $(OBJECTS) -lpthread

%.o: %.c
	$(CC) -std=gnu11 -Wall -ffunction-sections{protector} $(CFLAGS) $(EXTRA) -c -o $@ $<

clean:
	rm -f forward $(OBJECTS)
"""


def sources():
    """All files of the present state."""
    counted, poison = STATE["counted"], STATE["poison"]
    get = "    atomic_fetch_add(&packet->references, 1);\n" if counted else ""
    put = "    if (atomic_fetch_sub(&packet->references, 1) != 1)\n        return;\n" if counted else ""
    put += "    memset(packet->data, 0xdb, sizeof packet->data);\n" if poison else ""
    return {
        "Makefile": MAKEFILE.format(protector=" -fstack-protector-all" if STATE["protector"] else ""),
        "table.h": TABLE_H.format(
            stdint="#include <stdint.h>" if BUILD["stdint"] else "",
            common="struct flow *last_flow;" if BUILD["common"] else "",
        ),
        "table.c": TABLE_C.format(definition=""),
        "packet.h": PACKET_H.format(field=" _Atomic uint32_t references;" if counted else ""),
        "packet.c": PACKET_C.format(
            get=get, put=put, sum=WORDS if STATE["words"] else BYTES
        ),
        "queue.h": QUEUE_H,
        "queue.c": QUEUE_C,
        "forward.c": FORWARD_C.format(
            batch=STATE["batch"], half="    table_forget_old();\n" if BUILD["half"] else ""
        ),
        "NOTES": "".join(note + "\n" for note in NOTES),
        ".gitignore": "/forward\n*.o\n",
    }


class History:
    """The repository that is made."""

    def __init__(self, folder):
        self.folder = folder
        self.truth = []
        os.makedirs(folder)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words, date=None):
        """Calls git without the configuration of this machine, which would decide about hashes."""
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Study",
            "GIT_AUTHOR_EMAIL": "study@example.org",
            "GIT_COMMITTER_NAME": "Study",
            "GIT_COMMITTER_EMAIL": "study@example.org",
        }
        if date:
            environment |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        done = subprocess.run(["git", "-C", self.folder, *words], env=environment, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, day, subject, changes_speed=False):
        """Commits the present state at noon of a day."""
        for name, text in sources().items():
            (pathlib.Path(self.folder) / name).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject, date=f"{day} 12:00:00 +0000")
        if changes_speed:
            self.truth.append(f"{self.git('rev-parse', 'HEAD')[:12]} {day} {subject}")

    def note(self, day, text):
        """A commit that changes no program."""
        NOTES.append(f"{day} {text}")
        self.commit(day, f"notes: {text}")


def build(history):
    """Fifteen months. A part changes the build, a part the speed, the rest only the notes."""
    set_speed, set_build = STATE.update, BUILD.update
    set_build({"stdint": False})
    history.commit("2024-01-02", "Forward packets through a table of flows")
    history.git("tag", "6.0")
    for day in ["2024-01-09", "2024-01-17", "2024-01-25", "2024-01-31", "2024-02-07", "2024-02-14"]:
        history.note(day, "what was seen this week")
    set_build({"stdint": True})
    history.commit("2024-02-20", "table: include what is used")
    for day in ["2024-02-27", "2024-03-05", "2024-03-12", "2024-03-19"]:
        history.note(day, "what was seen this week")
    set_speed({"batch": 32})
    history.commit("2024-03-26", "forward: hand packets on in batches", True)
    history.note("2024-03-29", "batches lose packets under load")
    set_speed({"batch": 1})
    history.commit("2024-04-03", "Back out batches, they lose packets under load", True)
    history.git("tag", "6.1")
    for day in ["2024-04-10", "2024-04-16", "2024-04-24", "2024-04-30", "2024-05-08", "2024-05-14"]:
        history.note(day, "what was seen this week")
    set_speed({"words": True})
    history.commit("2024-05-21", "packet: sum words instead of bytes", True)
    for day in ["2024-05-28", "2024-06-04", "2024-06-11"]:
        history.note(day, "what was seen this week")
    set_build({"common": True})
    history.commit("2024-06-18", "table: remember the last flow")
    for day in ["2024-06-25", "2024-07-02"]:
        history.note(day, "what was seen this week")
    set_build({"common": False})
    history.commit("2024-07-09", "table: forget the last flow")
    history.note("2024-07-16", "what was seen this week")
    set_speed({"poison": True})
    history.commit("2024-07-23", "packet: overwrite what was freed, to find uses after it", True)
    for day in ["2024-07-30", "2024-08-06", "2024-08-13", "2024-08-20", "2024-08-27", "2024-09-03"]:
        history.note(day, "what was seen this week")
    set_speed({"poison": False})
    history.commit("2024-09-10", "packet: do not overwrite what was freed in releases", True)
    for day in ["2024-09-17", "2024-09-24"]:
        history.note(day, "what was seen this week")
    history.git("tag", "6.2")
    set_build({"half": True})
    history.commit("2024-10-01", "forward: forget old flows")
    set_build({"half": False})
    history.commit("2024-10-02", "forward: do not forget old flows, the table cannot")
    for day in ["2024-10-08", "2024-10-15", "2024-10-22", "2024-10-29", "2024-11-05"]:
        history.note(day, "what was seen this week")
    set_speed({"counted": True})
    history.commit("2024-11-12", "packet: count references", True)
    for day in ["2024-11-19", "2024-11-26", "2024-12-03", "2024-12-10", "2024-12-17", "2025-01-07"]:
        history.note(day, "what was seen this week")
    set_speed({"batch": 32})
    history.commit("2025-01-14", "forward: hand packets on in batches again", True)
    for day in ["2025-01-21", "2025-01-28", "2025-02-04", "2025-02-11", "2025-02-18", "2025-02-25"]:
        history.note(day, "what was seen this week")
    set_speed({"protector": True})
    history.commit("2025-03-04", "Protect the stack of each function", True)
    for day in ["2025-03-11", "2025-03-18", "2025-03-25", "2025-04-01"]:
        history.note(day, "what was seen this week")
    history.git("tag", "6.3")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    if folder.exists():
        sys.exit(f"error: `{folder}` exists already")
    history = History(str(folder))
    build(history)
    (folder.parent / "truth.txt").write_text("".join(line + "\n" for line in history.truth))
    print(f"{history.git('rev-list', '--count', 'HEAD')} commits in {folder}: {history.git('rev-parse', '--short=12', 'HEAD')}")


main()
