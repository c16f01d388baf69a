#!/bin/sh
# Has other programs hold (pause) or go quieter (duck) while this script runs.
#   ./focus.sh pause arecord -d 5 memo.wav
# busctl and gdbus cannot do this: they close the file of Acquire when they end. `audiosession focus` keeps it, also without a guard.
# This line begins the script once more, under the focus. It is left out where audiosession is not installed: the others play on.
[ -n "${FOCUSED-}" ] || ! command -v audiosession >/dev/null ||
    FOCUSED=yes exec audiosession focus "--${1:?pause or duck}" --reason example -- "$0" "$@"

shift
"$@"
