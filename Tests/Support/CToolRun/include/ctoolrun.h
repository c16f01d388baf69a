// What tests of a program need of glibc and Swift's Glibc module does not show: spawning that leaks no descriptor into
// the child, and pseudo-terminals.
#pragma once

#include <stddef.h>
#include <sys/types.h>

// A pipe whose ends no other child inherits. 0, or a negative errno.
int oav_tool_pipe(int ends[2]);

// Starts `file` with these descriptors as its standard ones and no others, no signal blocked or ignored.
// With a terminal's path, that terminal is all three, and the child is the leader of its session.
// Returns the process id, or a negative errno.
pid_t oav_tool_spawn(
    const char *file, char *const arguments[], char *const environment[], const int descriptors[3],
    const char *terminal);

// From now on this process may have so many files open; those that are open stay so. 0, or a negative errno.
int oav_tool_limit_files(pid_t process, unsigned count);

// Has the kernel send this process a signal when any process reads a file of the directory for the first time.
// The descriptor that keeps this so, or a negative errno.
int oav_tool_signal_at_read(const char *directory, pid_t process, int signal);

// A new pseudo-terminal: returns the primary side's descriptor and the secondary side's path, or a negative errno.
int oav_tool_open_terminal(char *path, size_t path_size);
