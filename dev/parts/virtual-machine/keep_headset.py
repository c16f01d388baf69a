"""The scenario `headset`: programs record and call while a Bluetooth headset plays music.

It counts how often the session manager takes the headset from music (A2DP) to calls (HFP)."""
import json
import statistics
import sys

#: The times are from the start of the program.
RECORDING_HEAD = [
    "guard", "what begins", "times", "switches to HFP", "HFP after, ms: median / most",
    "other microphone after, ms: median / most", "silence at the start, ms: median / most", "silent after it, ms: most"]
#: The name of the recorder and the options of pw-record.
RECORDING, CALL = "recorder --media-role Production", "call --media-role Communication"
FRAMES_PER_MS = 48


def headset(guest, rounds):
    """The rows of the table, as they are measured."""
    few = max(1, rounds // 10)
    guest.run("rm -f /tmp/quiet; (as-listener watch-headset >/tmp/watch 2>/tmp/watch.errors) & true")
    reconnect(guest)
    guest.run("as-listener audiosession guard --headset keep >/tmp/guard 2>&1 & "
              "for i in $(seq 99); do grep -q 'is running' /tmp/guard && exit; sleep 0.2; done; cat /tmp/guard; exit 1")
    microphone = guest.run("as-listener pw-dump | grep -o 'alsa_input[^\"]*' | head -1").strip()
    yield row(guest, "headset = keep", "a recording", RECORDING, rounds)
    yield row(guest, "headset = keep", "a recording of the other microphone",
              f"direct --media-role Production --target {microphone}", few)
    yield row(guest, "headset = keep", "a call (Communication)", CALL, few)
    print(guest.run("cat /tmp/guard"), file=sys.stderr)
    guest.run("as-listener audiosession guard stop")
    yield row(guest, "none", "a recording", RECORDING, few)
    yield row(guest, "none", "a call (Communication)", CALL, few)
    guest.run("touch /tmp/quiet; pkill -x -f '/usr/bin/python3 /usr/local/bin/watch-headset'; true")


def reconnect(guest):
    """PipeWire 1.4.2 may not go back to A2DP: the headset connects again. Then music plays on it."""
    guest.run("touch /tmp/quiet; pkill -KILL -u listener -x pw-play; pkill -KILL -x btvirt; sleep 1; true")
    guest.use_headset()
    guest.run("rm /tmp/quiet; as-listener bash -c 'until [ -e /tmp/quiet ]; do pw-play /usr/share/vm/tone.wav; done' "
              ">/dev/null 2>&1 & sleep 3")
    source = guest.run("as-listener wpctl inspect @DEFAULT_AUDIO_SOURCE@ | sed -n 's/.*node.name = //p'").strip()
    print(f"headset: the default microphone is {source}", file=sys.stderr)


def row(guest, guard, what, recorder, count):
    results = []
    for _ in range(count):
        if not guest.run("as-listener use-profile").split()[1].startswith("a2dp"):
            reconnect(guest)
        results.append(json.loads(guest.run(f"as-listener record-beside {recorder}")))
        print(f"headset, guard {guard}, {what}: {results[-1]}", file=sys.stderr)
    switches = [moments(result, "profile", "headset-head-unit") for result in results]
    others = [moments(result, "link", "alsa_input") for result in results]
    return [
        guard, what, str(count), str(sum(map(len, switches))), numbers([times[0] for times in switches if times]),
        numbers([times[0] for times in others if times]),
        numbers([result["silence"] / FRAMES_PER_MS for result in results]),
        f"{max(result['gaps'] for result in results) / FRAMES_PER_MS:.0f}"]


def moments(result, key, beginning):
    """Milliseconds from the start of the program to each event that names what begins so."""
    return [(event["time"] - result["moment"]) * 1000 for event in result["events"]
            if (event.get(key) or "").startswith(beginning)]


def numbers(times):
    return f"{statistics.median(times):.0f} / {max(times):.0f}" if times else "–"
