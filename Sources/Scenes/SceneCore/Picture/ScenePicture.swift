/// A history as a picture: lanes of what was the case, under one axis of time.
///
/// Everything is placed in percent of the width, so that a page zooms by giving the picture another width.
public struct ScenePicture: Sendable {
    /// What is drawn in a lane at most, and listed twice as often; the page says what is left out.
    static let maximumEvents = 800
    /// The most points of one output's wave.
    static let maximumPoints = 3000

    let history: SceneHistory
    let lanes: [Lane]
    /// What the scene was run from and by, for the foot of an SVG.
    let caption: String

    /// Creates the picture of a history.
    ///
    /// - Parameter caption: which file, and which version of the program or of the kit; in small at the foot of an SVG.
    public init(_ history: SceneHistory, caption: String = "") {
        self.history = history
        self.caption = caption
        lanes = LaneBuilder(history).lanes
    }

    /// A row of the picture.
    struct Lane: Hashable, Sendable {
        struct Segment: Hashable, Sendable {
            var start: AudioScene.Time
            var end: AudioScene.Time
            var style: Style
            var length: AudioScene.Time { .init(microseconds: end.microseconds - start.microseconds) }
            /// In the segment, or below it where it is longer.
            var label: String
        }

        var name: String
        /// Neither segments nor a sound: the name says all.
        var segments: [Segment] = []
        /// Set for an output that sounded.
        var sound: OutputSound?
    }

    enum Style: String, CaseIterable, Sendable {
        case event, route, active, inactive, interrupted, ducked, playing, paused, waiting, other, met, unmet, many
    }

    var seconds: Double { max(history.duration.seconds, 1e-6) }

    /// A place on the axis, in percent with three digits.
    func percent(_ time: AudioScene.Time) -> String {
        let thousandths = Int((time.seconds / seconds * 100_000).rounded())
        let fraction = String(thousandths % 1000 + 1000).dropFirst()
        return "\(thousandths / 1000).\(fraction)%"
    }

    /// All that was not as it should be, a sentence each.
    var faults: [String] { history.failures.map(\.description) + history.objections + history.mistakes }

    /// Why the sound stopped: one sentence each.
    var reasons: [(time: AudioScene.Time, text: String)] {
        history.entries.compactMap { entry in
            guard case .player(_, _, let state, let cause) = entry.what else { return nil }
            guard state != .playing, cause != .none else { return nil }
            return (entry.time, "\(entry.what.lane) \(entry.what.words)")
        }
    }
}

/// Makes the lanes of a history.
private struct LaneBuilder {
    private let history: SceneHistory

    init(_ history: SceneHistory) { self.history = history }

    private typealias Lane = ScenePicture.Lane

    var lanes: [ScenePicture.Lane] {
        var lanes = [events, route, session, faults]
        for name in playerNames { lanes.append(player(name)) }
        lanes += others
        lanes.removeAll { $0.segments.isEmpty }
        for sound in history.sounds where sound.frames > 0 {
            lanes.append(Lane(name: "\(sound.name): sound", sound: sound))
        }
        let silent = history.sounds.filter { $0.frames == 0 }.map(\.name)
        if !silent.isEmpty { lanes.append(Lane(name: "silent all the time: \(silent.joined(separator: ", "))")) }
        lanes += expectations
        return lanes.map(folding).map { lane in
            let rest = lane.segments.dropFirst(ScenePicture.maximumEvents)
            guard let first = rest.first, let last = rest.last else { return lane }
            var lane = lane
            lane.segments.removeLast(rest.count)
            lane.segments.append(
                .init(
                    start: first.start, end: last.end, style: .inactive, label: "\(rest.count) more, too many to draw"))
            return lane
        }
    }

    private var end: AudioScene.Time { history.duration }

    /// As many short segments in a row are one, with their number.
    private static let foldedCount = 6
    /// Of the scene: a segment that is narrower has no room for a word.
    private static let shortShare = 0.02

    /// What flaps is one bar.
    private func folding(_ lane: ScenePicture.Lane) -> ScenePicture.Lane {
        var lane = lane
        var run: [Lane.Segment] = []
        let segments = lane.segments
        lane.segments = []
        func finish() {
            defer { run = [] }
            guard run.count >= Self.foldedCount, let first = run.first, let last = run.last else {
                return lane.segments += run
            }
            let length = AudioScene.Time(microseconds: last.end.microseconds - first.start.microseconds)
            var labels: [String] = []
            for segment in run where !labels.contains(segment.label) { labels.append(segment.label) }
            let shown = labels.prefix(2).joined(separator: " / ") + (labels.count > 2 ? " and others" : "")
            lane.segments.append(
                .init(
                    start: first.start, end: last.end, style: .many,
                    label: "\(run.count) changes in \(length.spelling): \(shown)"))
        }
        for segment in segments {
            // An expectation is never one of many.
            if segment.length.seconds < end.seconds * Self.shortShare, segment.style != .unmet, segment.style != .met {
                run.append(segment)
            } else {
                finish()
                lane.segments.append(segment)
            }
        }
        finish()
        return lane
    }

    /// Each lasts until the next one.
    ///
    /// - Parameter joins: whether those of one time are one segment; if not, the last one counts.
    private func states(
        _ name: String, joins: Bool = false, _ pick: (SceneHistory.What) -> (ScenePicture.Style, String)?
    ) -> ScenePicture.Lane {
        var lane = Lane(name: name)
        for entry in history.entries {
            guard let (style, label) = pick(entry.what) else { continue }
            if let last = lane.segments.indices.last {
                if joins, lane.segments[last].start == entry.time {
                    lane.segments[last].label += ", " + label
                    continue
                }
                lane.segments[last].end = entry.time
                if lane.segments[last].start == entry.time { lane.segments.remove(at: last) }
            }
            lane.segments.append(.init(start: entry.time, end: end, style: style, label: label))
        }
        return lane
    }

    private var events: ScenePicture.Lane {
        states("what happens", joins: true) { what in
            if case .event = what { (.event, what.words) } else { nil }
        }
    }

    private var route: ScenePicture.Lane {
        states("route") { what in
            switch what {
            case .startRoute(let route): (.route, route.text)
            case .routeChange(_, _, let route): (.route, route.text)
            default: nil
            }
        }
    }

    private var session: ScenePicture.Lane {
        var lane = states("session") { what in
            guard case .session(let state) = what else { return nil }
            return (ScenePicture.Style(rawValue: state.rawValue) ?? .inactive, state.rawValue)
        }
        for index in lane.segments.indices where lane.segments[index].style == .interrupted {
            let time = lane.segments[index].start
            let began = history.entries.first { entry in
                if case .interruptionBegins = entry.what { entry.time == time } else { false }
            }
            if let began { lane.segments[index].label = began.what.words }
        }
        return lane
    }

    /// What the app could not do, and what iOS punishes.
    private var faults: ScenePicture.Lane {
        states("app") { what in
            switch what {
            case .appFailed, .mistake: (.unmet, what.words)
            default: nil
            }
        }
    }

    private var playerNames: [String] {
        var names: [String] = []
        for entry in history.entries {
            if case .player = entry.what, !names.contains(entry.what.lane) { names.append(entry.what.lane) }
        }
        return names
    }

    private func player(_ name: String) -> ScenePicture.Lane {
        states(name) { what in
            guard case .player(_, _, let state, _) = what, what.lane == name else { return nil }
            return (ScenePicture.Style(rawValue: state.rawValue) ?? .paused, what.words)
        }
    }

    /// Other apps, programs and calls.
    private var others: [ScenePicture.Lane] {
        var lanes: [ScenePicture.Lane] = []
        func begin(_ name: String, _ label: String, _ time: AudioScene.Time) {
            finish(name, time)
            if !lanes.contains(where: { $0.name == name }) { lanes.append(Lane(name: name)) }
            guard let lane = lanes.firstIndex(where: { $0.name == name }) else { return }
            lanes[lane].segments.append(.init(start: time, end: end, style: .other, label: label))
        }
        func finish(_ name: String, _ time: AudioScene.Time) {
            guard let lane = lanes.firstIndex(where: { $0.name == name }), let last = lanes[lane].segments.indices.last,
                lanes[lane].segments[last].end == end
            else { return }
            lanes[lane].segments[last].end = time
        }
        for entry in history.entries {
            guard case .event(let actions) = entry.what else { continue }
            for action in actions {
                switch action {
                case .callBegins: begin("call", "a call", entry.time)
                case .callEnds: finish("call", entry.time)
                case .alarm(let length), .notification(let length):
                    begin("sounds", action.text, entry.time)
                    finish("sounds", min(end, entry.time + length))
                case .programPlays(let name, let role): begin(name, role.map { "plays \($0)" } ?? "plays", entry.time)
                case .programStops(let name): finish(name, entry.time)
                case .programHeld(let name): begin(name, "held", entry.time)
                case .programReleased(let name): begin(name, "plays", entry.time)
                case .appTakes(let name, let claim): begin(name, claim.category, entry.time)
                case .appWaits(let name): begin(name, "waits", entry.time)
                case .appLeaves(let name, _), .appKilled(let name): finish(name, entry.time)
                case .serverCrashes:
                    for lane in lanes { finish(lane.name, entry.time) }
                    begin("sound server", "down", entry.time)
                case .serverReturns: finish("sound server", entry.time)
                case .sleep: begin("machine", "sleeps", entry.time)
                case .wake: finish("machine", entry.time)
                case .stall(let length):
                    begin("sound server", "stalls", entry.time)
                    finish("sound server", min(end, entry.time + length))
                case .activationTakes(.zero): finish("activations", entry.time)
                case .activationTakes(let length): begin("activations", "take \(length.spelling)", entry.time)
                case .itemsOpen(in: .zero): finish("server of songs", entry.time)
                case .itemsOpen: begin("server of songs", "slow", entry.time)
                case .itemsStall(let length):
                    begin("server of songs", "stalls", entry.time)
                    finish("server of songs", min(end, entry.time + length))
                default: break
                }
            }
        }
        return lanes
    }

    /// Those that overlap are below each other.
    private var expectations: [ScenePicture.Lane] {
        var lanes: [ScenePicture.Lane] = []
        var anchor = AudioScene.Time.zero
        for line in history.scene.lines {
            switch line.statement {
            case .event(let time, _): anchor = time
            case .expectation(let expectation):
                let failure = history.failures.first {
                    $0.line == line.number && $0.expectation == expectation.text
                }
                let start = if case .during(let start, _) = expectation.window { start } else { anchor }
                let last = expectation.window == .scene ? end : expectation.window.end(after: anchor)
                let segment = Lane.Segment(
                    start: min(start, end), end: min(max(last, start), end), style: failure == nil ? .met : .unmet,
                    label: expectation.text + (failure.map { ": \($0.message)" } ?? ""))
                let row = lanes.firstIndex { $0.segments.allSatisfy { $0.end <= segment.start } } ?? lanes.count
                guard row < Self.maximumRows else { continue }
                if row == lanes.count { lanes.append(Lane(name: row == 0 ? "expected" : "")) }
                lanes[row].segments.append(segment)
            }
        }
        return lanes
    }

    /// More expectations at one time are in the text only.
    private static let maximumRows = 12
}
