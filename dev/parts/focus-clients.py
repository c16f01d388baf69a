#!/usr/bin/env python3
"""Runs and kills the clients of Examples/focus: dev/test --lane focus-clients.

Runs in the environment that dev/parts/private-server has made. Arguments: the program, a folder, the kills of each client and kind of
hold together, a seed, the processes of the guard and of the music, then NAME=COMMAND of each client, whose words are separated by blanks.
"""
import json, os, random, signal, subprocess, sys, threading, time
import numpy

tool, folder = sys.argv[1:3]
kills, seed, guard, music = map(int, sys.argv[3:7])
clients = dict(word.split("=", 1) for word in sys.argv[7:])
# A block is ten periods of the tone, so its phase is the same in all blocks of a wave without a break.
RATE, BLOCK, BLOCKS, LONG, HERTZ, TONE = 48_000, 480, 10, 50, 1_000, 16_000
# Only a wait that fails takes so long.
TIMEOUT = 20


class Meter(threading.Thread):
    """The amplitude of the tone in the last 0.1 s of what reaches the output, against the tone as it is played."""

    def __init__(self):
        super().__init__(daemon=True)
        self.process = subprocess.Popen(
            ["parec", "-d", "speaker.monitor", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=2", "--latency-msec=20"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.amplitudes = numpy.zeros(LONG, complex)
        self.wave = 2 / BLOCK / TONE * numpy.exp(-2j * numpy.pi * HERTZ * numpy.arange(BLOCK) / RATE)
        self.start()

    def run(self):
        while len(block := self.process.stdout.read(BLOCK * 4)) == BLOCK * 4:
            left = numpy.frombuffer(block, "<i2")[::2]
            self.amplitudes = numpy.append(self.amplitudes[1:], numpy.dot(left, self.wave))

    @property
    def level(self):
        return abs(self.amplitudes[-BLOCKS:].mean())

    @property
    def wholeness(self):
        """1 for half a second of a wave without a break. Frames that are lost or come twice have the right peak, and break it."""
        return abs(self.amplitudes.mean()) / max(abs(self.amplitudes).mean(), 1e-6)

    def is_(self, state):
        low, high = {"full": (0.97, 1.03), "pause": (0, 0.001), "duck": (0.19, 0.21)}[state]
        return low <= self.level <= high


def out(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def left():
    """What of a hold is still there; empty if nothing is."""
    status = json.loads(out(tool, "guard", "status", "--json"))
    found = [f"{key}: {status[key]}" for key in ("focus", "held") if status[key]]
    found += [line for line in out("pw-metadata").splitlines() if "target.object" in line and line.startswith("update")]
    if not meter.is_("full"):
        found.append(f"level {meter.level:.3f}")
    if "pw-play:output" not in out("pw-link", "-l"):
        found.append(UNLINKED)
    try:
        graph = json.loads(out("pw-dump"))
    except ValueError:
        # It prints a second list if something changes meanwhile.
        return found + ["the graph changes"]
    for item in graph:
        info = item.get("info") or {}
        if info.get("props", {}).get("media.class") == "Stream/Output/Audio" and info["props"].get("node.name") == "pw-play":
            props = (info.get("params", {}).get("Props") or [{}])[0]
            if props.get("mute") or any(volume != 1 for volume in props.get("channelVolumes") or []):
                found.append(f"the volume was written: {props}")
    return found


def wait(what, condition):
    """Returns the seconds that it took."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > TIMEOUT:
            sys.exit(f"focus-clients: {what}: not within {TIMEOUT} s; level {meter.level:.3f}, wholeness {meter.wholeness:.2f}; left: {left()}")
        time.sleep(0.005)
    return time.monotonic() - begun


UNLINKED = "the music is linked to no output"
unlinked = 0


def is_unlinked():
    """A known fault of WirePlumber 0.5 (docs/guard-reference.md, Limits): nothing is held, and it does not link the music again."""
    return "wireplumber 0.5" in version and left() == ["level 0.000", UNLINKED]


def back(what):
    """Until nothing of the hold is left. Returns the seconds that it took."""
    global music, unlinked
    begun, seconds, is_lost = time.monotonic(), 0, False

    def is_back():
        nonlocal seconds, is_lost
        seconds = time.monotonic() - begun
        is_lost = seconds > 5 and is_unlinked()
        return is_lost or meter.is_("full") and not left()

    wait(f"{what}: all is as before", is_back)
    if not is_lost:
        return seconds
    print(f"known: {what}: WirePlumber did not link the music again", flush=True)
    unlinked += 1
    os.kill(music, signal.SIGKILL)
    music = subprocess.Popen(["pw-play", os.path.join(folder, "tone.wav")]).pid
    wait(f"{what}: new music plays", lambda: not left())
    return 0


def start(client, kind, *work, **options):
    return subprocess.Popen(clients[client].split() + [kind, *work], start_new_session=True, **options)


def end(process):
    """Ends what the client has started, which outlives it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def descriptors():
    return len(os.listdir(f"/proc/{guard}/fd"))


def works_and_gives_back(client):
    """Each kind once, to its end. Returns the seconds until the others held, by kind."""
    seconds = {}
    for kind in ("pause", "duck"):
        go = os.path.join(folder, "go")
        process = start(client, kind, "sh", "-c", f"until [ -e {go} ]; do sleep 0.02; done; exit 3")
        seconds[kind] = wait(f"{client} {kind}", lambda: meter.is_(kind))
        if kind == "duck":
            wait(f"{client}: the lowered music is whole", lambda: meter.is_(kind) and meter.wholeness > 0.9)
        holders = json.loads(out(tool, "guard", "status", "--json"))["focus"]
        assert [holder["reason"] for holder in holders] == ["example"], f"{client}: the guard has the holders {holders}"
        open(go, "w").close()
        status = process.wait()
        os.unlink(go)
        assert status == 3, f"{client} {kind}: the exit status was {status} and not its command's, 3"
        back(f"{client} {kind}, ended")
    return seconds


def kill_at_any_moment(client, seconds):
    moments = random.Random(f"{seed} {client}")
    caught, worst = 0, 0
    before = descriptors()
    for number in range(kills):
        kind = ("pause", "duck")[number % 2]
        # From before its first instruction until long after the others hold; half of them while it asks, or soon after.
        moment = moments.uniform(0, (2 * seconds[kind], seconds[kind] - 0.07)[number // 2 % 2])
        process = start(client, kind, "sleep", "600", stderr=subprocess.DEVNULL)
        time.sleep(moment)
        caught += not meter.is_("full")
        process.kill()
        process.wait()
        worst = max(worst, back(f"{client} {kind}, killed after {moment:.3f} s (kill {number + 1})"))
        end(process)
    wait(f"{client}: the guard has as many descriptors as before, {before}", lambda: descriptors() <= before)
    # A loop that killed all of them before they held would show nothing.
    assert caught > kills // 8, f"{client}: only {caught} of {kills} had begun to hold"
    return caught, worst


def check_can_fail():
    """A client whose child has the file: after a kill the others still hold, and the check sees it."""
    leak = (
        "import dbus, os, subprocess; n = 'org.openavfaudio.Focus1'; "
        "f = dbus.SessionBus().call_blocking(n, '/org/openavfaudio/Focus1', n, 'Acquire', 'sa{sv}', ('pause', {}))[0].take(); "
        "subprocess.run(['sleep', '600'], pass_fds=[f])")
    process = subprocess.Popen([sys.executable, "-c", leak], start_new_session=True)
    wait("the client with a leak", lambda: meter.is_("pause"))
    process.kill()
    process.wait()
    # The meter's whole window after the kill.
    time.sleep(0.3)
    assert len(left()) >= 2, "the check cannot fail: it did not see a hold that a child of a killed client has kept"
    end(process)
    back("the client with a leak, and its child, ended")


version = " ".join(out("wireplumber", "--version").split()).replace("libwireplumber", "wireplumber")
meter = Meter()
wait("the music plays", lambda: not left())
check_can_fail()
print(f"seed {seed}", flush=True)
for client in clients:
    seconds = works_and_gives_back(client)
    caught, worst = kill_at_any_moment(client, seconds)
    print(
        f"{client}: held after {seconds['pause']:.2f} s, lowered after {seconds['duck']:.2f} s; {kills} killed, {caught} of them while "
        f"others held, 0 left; all was as before after {worst:.2f} s at most", flush=True)
if unlinked:
    print(f"known: {unlinked} times of {kills * len(clients)} WirePlumber did not link the music again")
os.kill(music, signal.SIGKILL)
meter.process.kill()
