// A stand-in for systemd-logind on a private bus, for tests: the inhibitors and the announcements of sleep.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct mock_login;

/// Takes the name org.freedesktop.login1 on a bus; NULL where that fails (no libsystemd, no header for it, no bus).
struct mock_login *_Nullable mock_login_start(const char *_Nonnull bus_address);
/// Leaves the bus, as a crash does; inhibitors that were handed out are forgotten.
void mock_login_stop(struct mock_login *_Nonnull login);

/// Signals PrepareForSleep; with logind's own words for it, "true" before sleep and "false" after it.
void mock_login_prepare_for_sleep(struct mock_login *_Nonnull login, bool before);

/// Waits until exactly so many inhibitors are held. False: not within the time.
bool mock_login_wait_for_inhibitors(struct mock_login *_Nonnull login, int count, uint64_t timeout_ms);

/// How many are held now.
int mock_login_inhibitors(struct mock_login *_Nonnull login);

/// The arguments of the newest Inhibit, "what who why mode"; empty before the first. Valid until the next.
const char *_Nonnull mock_login_newest(struct mock_login *_Nonnull login);
