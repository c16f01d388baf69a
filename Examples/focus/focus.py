#!/usr/bin/python3
"""Holds (pause) or lowers (duck) what other programs play while a command runs: ./focus.py pause arecord -d 5 memo.wav"""
import os, subprocess, sys
import dbus

NAME, PATH = "org.openavfaudio.Focus1", "/org/openavfaudio/Focus1"


class Focus:
    """In a `with` block the others hold; a crash ends that too. If nothing can be held, the block runs all the same."""

    def __init__(self, kind, **options):
        self.kind, self.options, self.file = kind, options, None

    def __enter__(self):
        try:
            words = (self.kind, dbus.Dictionary(self.options, "sv"))
            self.file = dbus.SessionBus().call_blocking(NAME, PATH, NAME, "Acquire", "sa{sv}", words, timeout=3)[0].take()
            os.set_inheritable(self.file, False)
        except dbus.DBusException as error:
            print("focus: the others play on:", error.get_dbus_message(), file=sys.stderr)

    def __exit__(self, *_):
        if self.file is not None:
            os.close(self.file)


with Focus(sys.argv[1], reason="example"):
    status = subprocess.run(sys.argv[2:]).returncode
sys.exit(status)
