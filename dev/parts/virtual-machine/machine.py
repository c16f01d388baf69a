"""QEMU's control socket, and what its cards have played."""
import array
import json
import os
import socket
import time

BYTES_PER_FRAME = 4
HEADER_BYTES = 44
#: -60 dBFS of 16 bits.
LOUD = 32


class Failure(Exception):
    pass


class Recording:
    """What QEMU's card has played, as a WAV file that grows."""

    def __init__(self, path):
        self.path = path

    @property
    def frames(self):
        size = os.path.getsize(self.path) if os.path.exists(self.path) else 0
        return max(0, size - HEADER_BYTES) // BYTES_PER_FRAME

    def levels(self, start):
        """The amplitudes on the left and on the right of each frame from `start` on."""
        if not os.path.exists(self.path):
            return [], []
        with open(self.path, "rb") as file:
            file.seek(HEADER_BYTES + start * BYTES_PER_FRAME)
            data = file.read()
        samples = array.array("h", data[: len(data) // BYTES_PER_FRAME * BYTES_PER_FRAME])
        return [abs(sample) for sample in samples[::2]], [abs(sample) for sample in samples[1::2]]

    def loud_frames(self, start):
        """How many of those from `start` on are above -60 dBFS."""
        return count_loud(*self.levels(start))


def count_loud(left, right):
    return sum(max(pair) > LOUD for pair in zip(left, right))


class Monitor:
    """QEMU's control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw")
        self.events = []
        self.file.readline()
        self("qmp_capabilities")

    def __call__(self, command, **arguments):
        self.file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.file.flush()
        while True:
            message = json.loads(self.file.readline())
            if "return" in message:
                return message["return"]
            if "error" in message:
                raise Failure(f"{command}: {message['error']['desc']}")
            self.events.append(message)

    def wait(self, name, seconds, device=None):
        self.socket.settimeout(seconds)
        while True:
            for message in self.events:
                if message["event"] == name and device in (None, message.get("data", {}).get("device")):
                    self.events.remove(message)
                    return
            try:
                self.events.append(json.loads(self.file.readline()))
            except TimeoutError:
                raise Failure(f"no {name} in {seconds} s") from None


def until(condition, what, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"waited {seconds} s for {what}")
        time.sleep(0.05)
