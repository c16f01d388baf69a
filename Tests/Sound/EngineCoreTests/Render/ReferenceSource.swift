/// What a mono source must render, one frame at a time and in Double: slow, plain, and written from its
/// documentation, not from its code.
struct ReferenceSource {
    typealias Fact = SourceBench.Fact

    let ramp = 5
    private(set) var position = 0
    private(set) var events: [Fact] = []
    private(set) var underrunFrames = 0

    // What is wanted.
    private var isPlaying = false
    private var volume = 1.0
    private var isCut = false
    private var pausesAsked = 0
    private var target: Int?

    // What has been written since the last seek.
    private var frames: [Double] = []
    private var hasEnd = false

    // What sounds.
    private var base = 0
    private var next = 0
    private var level = 0
    private var last = 0.0
    private var tail: (value: Double, step: Int)?
    private var slide = (from: 1.0, to: 1.0, step: 5)
    private var isUnderrunning = false
    private var didEnd = false
    private var didDrain = false
    private var sinceEnd = 0
    private var drain = 0

    mutating func play() { isPlaying = true }

    mutating func pause() {
        isPlaying = false
        pausesAsked = 1
    }

    mutating func pauseAtOnce() {
        pause()
        isCut = true
    }

    mutating func setVolume(_ volume: Double) { self.volume = volume }
    mutating func setDrain(_ frames: Int) { drain = frames }

    mutating func write(_ samples: [Float], taken: Int) { frames += samples.prefix(taken).map(Double.init) }
    mutating func markEnd() { hasEnd = true }

    mutating func seek(to frame: Int) {
        target = frame
        position = frame
        frames = []
        hasEnd = false
    }

    mutating func takeEvents() -> [Fact] {
        defer { events = [] }
        return events
    }

    mutating func cycle(_ count: Int, isGated: Bool) -> [Double] {
        if isCut { hush() }
        isCut = false
        if let target {
            (base, next, isUnderrunning, didEnd, didDrain, sinceEnd) = (target, 0, false, false, false, 0)
            self.target = nil
            decay()
        }
        if volume != slide.to { slide = (slidden(slide.step), volume, 0) }
        if level == 0 { slide.step = ramp }
        var output: [Double] = []
        if isGated {
            hush()
            output = Array(repeating: 0, count: count)
        } else {
            for _ in 0..<count { output.append(frame()) }
            noteEnd()
        }
        if pausesAsked > 0, isPlaying { pausesAsked = 0 }
        if pausesAsked > 0, level == 0, tail == nil {
            events.append(.fadeEnded)
            pausesAsked = 0
        }
        position = base + next
        return output
    }

    private func slidden(_ step: Int) -> Double {
        slide.from + (slide.to - slide.from) * Double(step) / Double(ramp)
    }

    private mutating func hush() {
        (level, last, tail, slide.step) = (0, 0, nil, ramp)
    }

    private mutating func decay() {
        level = 0
        if tail == nil, last != 0 { tail = (last, 0) }
    }

    private mutating func frame() -> Double {
        if tail == nil, isPlaying || level > 0, next == frames.count {
            if hasEnd {
                hush()
                if isPlaying { sinceEnd += 1 }
                return 0
            }
            if isPlaying, next > 0, !isUnderrunning {
                isUnderrunning = true
            }
            decay()
            if tail == nil {
                if isUnderrunning { underrunFrames += 1 }
                return 0
            }
        }
        if var decaying = tail {
            decaying.step += 1
            let value = decaying.value * (1 - Double(decaying.step) / Double(ramp))
            tail = decaying.step == ramp ? nil : decaying
            if tail == nil { last = 0 }
            if isUnderrunning { underrunFrames += 1 }
            return value
        }
        guard isPlaying || level > 0 else { return 0 }
        isUnderrunning = false
        if isPlaying, base + next == 0 { level = ramp }
        level = isPlaying ? min(ramp, level + 1) : level - 1
        slide.step = min(ramp, slide.step + 1)
        last = frames[next] * slidden(slide.step) * Double(level) / Double(ramp)
        next += 1
        return last
    }

    private mutating func noteEnd() {
        let isAtEnd = hasEnd && next == frames.count
        if !didEnd {
            guard isAtEnd, isPlaying || next > 0 else { return }
            isUnderrunning = false
            didEnd = true
        }
        if isPlaying, !didDrain, sinceEnd >= drain {
            didDrain = true
            events.append(.drained)
        }
    }
}
