#!/usr/bin/env python3
"""Holds and lowers programs of all kinds, ROUNDS times, and measures what is heard of each: dev/bench guard focus.

Each program plays a tone of its own frequency; the level of each is measured in what reaches the output. Runs in the environment that
dev/parts/bench-guard has made: arguments are the tool, a folder, and the rounds.
"""
import json, os, socket, subprocess, sys, threading, time, wave
import numpy

tool, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
RATE, WINDOW, AMPLITUDE = 48_000, 4_800, 0.1
TIMEOUT = 10


def tone(name, hertz, seconds=900):
    """A file of one tone; both channels."""
    path = os.path.join(folder, name + ".wav")
    second = (AMPLITUDE * 32767 * numpy.sin(2 * numpy.pi * hertz * numpy.arange(RATE) / RATE)).astype("<i2")
    with wave.open(path, "wb") as file:
        file.setnchannels(2), file.setsampwidth(2), file.setframerate(RATE)
        for _ in range(seconds):
            file.writeframes(numpy.repeat(second, 2).tobytes())
    return path


class Meter(threading.Thread):
    """The last 0.1 s of what reaches the output, without a break."""

    def __init__(self):
        super().__init__(daemon=True)
        words = ["parec", "-d", "headphones.monitor", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=2", "--latency-msec=20"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE)
        self.samples = numpy.zeros(WINDOW)
        self.start()

    def run(self):
        while block := self.process.stdout.read(960 * 4):
            left = numpy.frombuffer(block, "<i2")[::2] / 32768
            self.samples = numpy.concatenate([self.samples, left])[-WINDOW:]

    def level(self, hertz):
        """In dB against the tone as it is played."""
        angle = 2 * numpy.pi * hertz * numpy.arange(WINDOW) / RATE
        amplitude = 2 * abs(numpy.dot(self.samples, numpy.exp(-1j * angle))) / WINDOW
        return 20 * numpy.log10(max(amplitude, 1e-6) / AMPLITUDE)


class Mpv:
    def __init__(self, name, hertz):
        self.path = os.path.join(folder, name + ".sock")
        self.process = subprocess.Popen(
            ["mpv", "--no-video", "--really-quiet", "--ao=pipewire", f"--input-ipc-server={self.path}", tone(name, hertz)])

    def position(self):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.path)
            client.sendall(b'{"command":["get_property","audio-pts"],"request_id":1}\n')
            for line in client.makefile():
                answer = json.loads(line)
                if answer.get("request_id") == 1:
                    return answer.get("data") or 0


def start(name, words, hertz, **environment):
    return subprocess.Popen(
        [word.replace("FILE", tone(name, hertz)) for word in words], env=os.environ | environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


hertz = {"mpv-1": 500, "mpv-2": 700, "pw-play": 900, "chromium": 1100, "ffplay": 1300, "session": 1700}
mpv = [Mpv("mpv-1", 500), Mpv("mpv-2", 700)]
page = os.path.join(folder, "focus.html")
with open(page, "w") as file:
    file.write('<audio autoplay loop src="chromium.wav"></audio>')
processes = [
    start("pw-play", ["pw-play", "FILE"], 900),
    start("ffplay", ["ffplay", "-nodisp", "-loop", "0", "FILE"], 1300, SDL_AUDIODRIVER="pulseaudio", SDL_VIDEODRIVER="dummy"),
    start("session", [tool, "play", "FILE"], 1700),
]
tone("chromium", 1100, 60)
processes.append(start("none", [
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required",
    f"--user-data-dir={folder}/chromium", "--remote-debugging-port=0", f"file://{page}"], 1))
meter = Meter()


def wait(what, levels, timeout=TIMEOUT):
    """Until every program has a level that `levels` accepts; returns the seconds, or None."""
    begun = time.monotonic()
    while time.monotonic() - begun < timeout:
        heard = {name: meter.level(value) for name, value in hertz.items()}
        if all(levels(value) for value in heard.values()):
            return time.monotonic() - begun
        time.sleep(0.01)
    print(f"{what}: not in {timeout} s:", {name: round(float(value), 1) for name, value in heard.items()}, flush=True)
    return None


def volumes():
    """Of all streams, by their names."""
    found = {}
    for item in json.loads(subprocess.run(["pw-dump"], capture_output=True, check=True).stdout):
        info = item.get("info") or {}
        if info.get("props", {}).get("media.class") == "Stream/Output/Audio":
            props = (info.get("params", {}).get("Props") or [{}])[0]
            found[info["props"].get("node.name"), item["id"]] = (props.get("channelVolumes"), props.get("mute"))
    return found


def targets():
    text = subprocess.run(["pw-metadata"], capture_output=True, text=True).stdout
    return [line for line in text.splitlines() if "target.object" in line]


def stored():
    """What the session manager has stored, without the guard's own sinks."""
    found = {}
    for root, _, names in os.walk(os.path.join(os.environ["XDG_STATE_HOME"], "wireplumber")):
        for name in names:
            with open(os.path.join(root, name)) as file:
                found[name] = sorted(line for line in file if "audiosession" not in line)
    return found


full, silent, lower = (lambda value: abs(value) < 1), (lambda value: value < -50), (lambda value: -20 < value < -10)
if wait("all programs play", full, 60) is None:
    sys.exit(1)
time.sleep(2)
before, before_stored = volumes(), stored()
stuck, moved, back, worst = 0, 0, 0, {"pause": 0, "duck": 0, "release": 0}
for number in range(rounds):
    kind = "pause" if number % 2 == 0 else "duck"
    words = [tool, "focus"] + (["--duck"] if kind == "duck" else [])
    positions = [player.position() for player in mpv]
    # Two holders at once in every fifth round, which end in turn.
    holders = [subprocess.Popen(words, stdin=subprocess.PIPE) for _ in range(2 if number % 5 == 4 else 1)]
    seconds = wait(f"round {number + 1}, {kind}", silent if kind == "pause" else lower)
    stuck += seconds is None
    worst[kind] = max(worst[kind], seconds or 0)
    if kind == "pause":
        held = [player.position() for player in mpv]
        time.sleep(0.1)
        moved += any(abs(player.position() - was) > 0.03 for player, was in zip(mpv, held))
    for holder in holders:
        holder.stdin.close()
        holder.wait()
    seconds = wait(f"round {number + 1}, back", full)
    stuck += seconds is None
    worst["release"] = max(worst["release"], seconds or 0)
    back += any(player.position() < was for player, was in zip(mpv, positions))
    if (number + 1) % 50 == 0:
        print(f"{number + 1}: stuck {stuck}, moved while held {moved}, went back {back}", flush=True)
time.sleep(2)
print("seconds at most, of the whole window of 0.1 s:", {name: round(value, 2) for name, value in worst.items()})
print("targets left:", len(targets()))
print("volumes changed:", sum(before[name] != value for name, value in volumes().items() if name in before), "of", len(before))
after = stored()
print("stored state changed:", [name for name in set(before_stored) | set(after) if before_stored.get(name) != after.get(name)] or "nothing")
for process in processes + [player.process for player in mpv] + [meter.process]:
    process.kill()
