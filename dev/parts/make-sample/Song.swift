import Glibc

/// "First Light": arpeggios of plucked strings over a soft electric piano and a bass, 96 beats a minute.
struct Song {
    static let sampleRate = 48_000
    static let lengths = 2...600
    /// -3 dBFS.
    static let peak: Float = 0.7079

    private static let secondsPerBeat = 60.0 / 96
    private static let beatsPerBar = 4

    var seconds: Int

    /// A chord: the bass note, and the tones of the arpeggio upwards, as MIDI note numbers.
    private struct Chord {
        var bass: Int
        var tones: [Int]
    }

    /// Am9, Fmaj9, Cmaj9, Gsus4 to G; then the same way home by Dm9.
    private static let chords = [
        Chord(bass: 33, tones: [57, 60, 64, 67, 71]),
        Chord(bass: 29, tones: [57, 60, 64, 65, 67]),
        Chord(bass: 36, tones: [55, 59, 62, 64, 67]),
        Chord(bass: 31, tones: [55, 59, 60, 62, 67]),
        Chord(bass: 33, tones: [57, 60, 64, 67, 72]),
        Chord(bass: 29, tones: [57, 60, 65, 67, 72]),
        Chord(bass: 38, tones: [57, 60, 62, 65, 69]),
        Chord(bass: 31, tones: [55, 59, 62, 65, 69]),
    ]

    /// Which tone of the chord each eighth note plays, and how hard: two bars, so that it does not tick like a clock.
    private static let figure: [(tone: Int, force: Double)] = [
        (0, 1.0), (2, 0.7), (4, 0.8), (3, 0.6), (1, 0.8), (2, 0.6), (4, 0.9), (2, 0.6),
        (0, 1.0), (3, 0.7), (2, 0.7), (4, 0.9), (1, 0.7), (3, 0.6), (2, 0.8), (4, 0.5),
    ]

    /// Interleaved stereo frames, peak at -3 dBFS.
    func render() -> [Float] {
        var track = StereoTrack(frames: seconds * Self.sampleRate, sampleRate: Double(Self.sampleRate))
        let barSeconds = Self.secondsPerBeat * Double(Self.beatsPerBar)
        var bar = 0
        while Double(bar) * barSeconds < Double(seconds) {
            play(Self.chords[bar % Self.chords.count], bar: bar, at: Double(bar) * barSeconds, on: &track)
            bar += 1
        }
        track.addEcho(delaySeconds: Self.secondsPerBeat * 0.75, level: 0.28)
        track.removeOffset(belowHertz: 20)
        track.fade(inSeconds: 0.01, outSeconds: min(5, Double(seconds) / 3))
        track.normalise(toPeak: Self.peak)
        return track.frames
    }

    private func play(_ chord: Chord, bar: Int, at start: Double, on track: inout StereoTrack) {
        let eighth = Self.secondsPerBeat / 2
        for step in 0..<8 {
            let note = Self.figure[(bar % 2) * 8 + step]
            let place = start + Double(step) * eighth
            // One slow walk from side to side in eight bars, a little of it in each note.
            let pan = 0.6 * sin(2 * .pi * place / (Self.secondsPerBeat * 32)) + (step.isMultiple(of: 2) ? -0.2 : 0.2)
            track.add(
                Voice.pluck(note: chord.tones[note.tone] + 12, force: note.force, seed: UInt64(bar * 8 + step)),
                at: place, level: 0.34, pan: pan)
        }
        // The piano comes in with the second pair of bars.
        if bar >= 2 {
            for (index, tone) in chord.tones.prefix(4).enumerated() {
                track.add(
                    Voice.piano(note: tone, seconds: 2.4), at: start + 0.012 * Double(index), level: 0.10,
                    pan: -0.4 + 0.27 * Double(index))
            }
        }
        if bar >= 1 {
            track.add(Voice.bass(note: chord.bass + 12, seconds: 1.15), at: start, level: 0.30, pan: 0)
            track.add(
                Voice.bass(note: chord.bass + 12, seconds: 0.5), at: start + 2.5 * Self.secondsPerBeat, level: 0.22,
                pan: 0)
            track.add(
                Voice.bass(note: chord.bass + 19, seconds: 0.5), at: start + 3 * Self.secondsPerBeat, level: 0.18,
                pan: 0)
        }
    }
}
