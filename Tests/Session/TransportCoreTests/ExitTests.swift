import AudioModel
import Testing

@testable import TransportCore

/// The exits of every state, legal and illegal, in tables: a row for each state, a column for each event.
///
/// A cell holds the state that the event leads to; a dot: it stays as it is.
struct ExitTests {
    // Source: the behaviour of the file player, the file recorder and the engine before decision 0013.
    private static let player = """
                  | ready   | playing  | fade user | fade sup  | fade closed | sup int  | sup route | paused user | finished | failed
        opened    | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        closed    | .       | p user   | p user    | p int     | p user      | p int    | p route   | .           | .        | .
        started   | playing | .        | playing   | playing   | .           | playing  | playing   | playing     | playing  | .
        user      | .       | f user   | .         | f user    | f user      | p user   | p user    | .           | .        | .
        loss      | .       | p loss   | p user    | p loss    | p loss      | p loss   | p loss    | .           | .        | .
        route     | .       | p route  | p user    | p route   | p route     | p route  | p route   | .           | .        | .
        int       | .       | f int    | f int     | f int     | f int       | p int    | p int     | p int       | .        | .
        deact     | .       | f deact  | .         | f deact   | f deact     | p deact  | p deact   | .           | .        | .
        refusal   | p ref   | f ref    | f ref     | f ref     | f ref       | p ref    | p ref     | p ref       | .        | .
        sup int   | s int   | f sup    | f sup     | .         | f sup       | .        | s int     | s int       | s int    | .
        sup route | s route | s route  | s route   | s route   | s route     | s route  | .         | s route     | s route  | .
        fail      | failed  | failed   | failed    | failed    | failed      | failed   | failed    | failed      | failed   | .
        server    | failed  | failed   | failed    | failed    | failed      | failed   | failed    | failed      | failed   | .
        shape     | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        faded     | .       | .        | p user    | s int     | .           | .        | .         | .           | .        | .
        end       | .       | finished | .         | .         | finished    | .        | .         | .           | .        | .
        stale end | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        broken    | .       | failed   | .         | .         | failed      | .        | .         | .           | .        | .
        file      | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        play      | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        refused   | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        seek      | .       | .        | .         | .         | .           | .        | .         | .           | p user   | .
        close     | .       | f closed | .         | .         | .           | .        | .         | .           | .        | .
        stop      | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        manual    | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        unheard   | .       | .        | .         | .         | .           | .        | .         | .           | .        | .
        """

    private static let recorder = """
                  | ready   | playing | sup int | paused user | ending   | breaking | finished | failed
        opened    | .       | .       | .       | .           | .        | .        | .        | .
        closed    | e user  | e user  | e user  | e user      | .        | .        | .        | .
        started   | playing | .       | playing | playing     | .        | .        | .        | .
        user      | .       | p user  | p user  | .           | .        | .        | .        | .
        loss      | .       | e loss  | e loss  | .           | .        | .        | .        | .
        arrival   | .       | e new   | e new   | .           | .        | .        | .        | .
        route     | .       | e route | e route | .           | .        | .        | .        | .
        int       | .       | p int   | p int   | .           | .        | .        | .        | .
        deact     | .       | e deact | e deact | .           | .        | .        | .        | .
        refusal   | .       | p ref   | p ref   | .           | .        | .        | .        | .
        sup int   | s int   | s int   | .       | s int       | .        | .        | .        | .
        sup route | s route | s route | s route | s route     | .        | .        | .        | .
        fail      | broken  | broken  | broken  | broken      | .        | .        | .        | .
        server    | broken  | broken  | broken  | broken      | .        | .        | .        | .
        shape     | .       | .       | .       | .           | .        | .        | .        | .
        faded     | .       | .       | .       | .           | .        | .        | .        | .
        end       | e end   | e end   | e end   | e end       | .        | .        | .        | .
        broken    | broken  | broken  | broken  | broken      | .        | .        | .        | .
        file      | .       | .       | .       | .           | finished | failed   | .        | .
        bad file  | .       | .       | .       | .           | failed   | failed   | .        | .
        play      | .       | .       | .       | .           | .        | .        | .        | .
        refused   | .       | .       | .       | .           | .        | .        | .        | .
        seek      | .       | .       | .       | .           | .        | .        | .        | .
        close     | e user  | e user  | e user  | e user      | .        | .        | .        | .
        stop      | .       | .       | .       | .           | .        | .        | .        | .
        manual    | .       | .       | .       | .           | .        | .        | .        | .
        unheard   | .       | .       | .       | .           | .        | .        | .        | .
        """

    private static let engine = """
                  | ready  | asked   | playing | fade user | fade asked | paused user | listening | manual | failed
        opened    | .      | .       | .       | .         | .          | .           | .         | .      | .
        closed    | .      | .       | .       | p user    | p user     | .           | .         | .      | .
        in closed | .      | .       | .       | .         | .          | .           | .         | .      | .
        started   | .      | playing | .       | .         | playing    | .           | .         | .      | .
        in start  | .      | .       | .       | .         | .          | .           | .         | .      | .
        user      | .      | .       | f user  | .         | .          | .           | p user    | p user | .
        loss      | .      | .       | .       | p user    | p user     | .           | .         | .      | .
        route     | .      | .       | p route | p user    | p user     | .           | p route   | p route | .
        int       | .      | .       | f int   | .         | .          | .           | p int     | p int  | .
        deact     | .      | .       | f deact | .         | .          | .           | p deact   | p deact | .
        refusal   | .      | .       | f ref   | .         | .          | .           | p ref     | p ref  | .
        sup int   | .      | .       | f int   | .         | .          | .           | p int     | p int  | .
        sup route | .      | .       | p route | p user    | p user     | .           | p route   | p route | .
        fail      | .      | .       | ready   | ready     | ready      | ready       | ready     | ready  | .
        server    | failed | failed  | failed  | failed    | failed     | failed      | failed    | failed | .
        shape     | .      | .       | p loss  | p user    | p user     | .           | p loss    | p loss | .
        faded     | .      | .       | .       | p user    | p user     | .           | .         | .      | .
        end       | .      | .       | .       | .         | .          | .           | .         | .      | .
        broken    | .      | .       | .       | .         | .          | .           | .         | .      | .
        file      | .      | .       | .       | .         | .          | .           | .         | .      | .
        play      | .      | .       | .       | .         | .          | .           | .         | .      | .
        refused   | .      | .       | .       | .         | .          | .           | .         | .      | .
        seek      | .      | .       | .       | .         | .          | .           | .         | .      | .
        close     | .      | .       | .       | .         | .          | .           | .         | .      | .
        stop      | .      | .       | ready   | ready     | ready      | ready       | ready     | ready  | .
        manual    | .      | .       | .       | .         | .          | .           | .         | .      | .
        by hand   | .      | .       | .       | .         | .          | .           | .         | p user | .
        unheard   | .      | .       | .       | .         | .          | .           | .         | .      | .
        """

    @Test func player_onEveryEvent_takesOnlyItsExits() {
        check(
            Self.player,
            [
                "ready": .player(),
                "playing": .player(.playRequested(), .started(.output)),
                "fade user": .player(.started(.output), .paused(.output, .user)),
                "fade sup": .player(.started(.output), .suppressed(.output, .interruption)),
                "fade closed": .player(.started(.output), .closeRequested),
                "sup int": .player(.suppressed(.output, .interruption)),
                "sup route": .player(.suppressed(.output, .noSuitableRoute)),
                "paused user": .player(.started(.output), .paused(.output, .user), .fadeFinished),
                "finished": .player(.started(.output), .sourceEnded(.complete, generation: 0)),
                "failed": .player(.failed(Bench.deviceFailed)),
            ])
    }

    @Test func recorder_onEveryEvent_takesOnlyItsExits() {
        check(
            Self.recorder,
            [
                "ready": .recorder(),
                "playing": .recorder(.playRequested(), .started(.input)),
                "sup int": .recorder(.started(.input), .suppressed(.input, .interruption)),
                "paused user": .recorder(.started(.input), .paused(.input, .user)),
                "ending": .recorder(.closeRequested),
                "breaking": .recorder(.failed(Bench.deviceFailed)),
                "finished": .recorder(.closeRequested, .fileClosed(failure: nil)),
                "failed": .recorder(.closeRequested, .fileClosed(failure: "full")),
            ])
    }

    @Test func engine_onEveryEvent_takesOnlyItsExits() {
        check(
            Self.engine,
            [
                "ready": .engine(),
                "asked": .engine(.playRequested(), .started(.input)),
                "playing": .playingEngine(),
                "fade user": .playingEngine(.paused(.output, .user)),
                "fade asked": .playingEngine(.paused(.output, .user), .playRequested()),
                "paused user": .playingEngine(.paused(.output, .user), .fadeFinished),
                "listening": .engine(.outputUseChanged(.unheard), .playRequested(), .started(.input)),
                "manual": Bench(.engine, [.manualRenderingStarted]),
                "failed": .engine(.failed(Bench.serverLost)),
            ])
    }

    // MARK: Reading the tables

    private func check(_ table: String, _ starts: [String: Bench], sourceLocation: SourceLocation = #_sourceLocation) {
        let rows = table.split(separator: "\n").map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).map(\.trimmed)
        }
        let states = rows[0].dropFirst()
        #expect(Set(states) == Set(starts.keys), sourceLocation: sourceLocation)
        for row in rows.dropFirst() {
            for (name, expected) in zip(states, row.dropFirst()) {
                guard let start = starts[name], let event = event(row[0], start) else {
                    Issue.record("unknown: \(name), \(row[0])", sourceLocation: sourceLocation)
                    continue
                }
                var bench = start
                bench.feed(event)
                let found = bench.state == start.state ? "." : bench.state.short
                #expect(found == expected, "\(name), \(row[0])", sourceLocation: sourceLocation)
            }
        }
        #expect(rows.count > 20)
    }

    private func event(_ name: String, _ bench: Bench) -> TransportEvent? {
        let direction: PortDirection = bench.machine.kind == .recorder ? .input : .output
        let generation = bench.machine.seekGeneration
        return switch name {
        case "opened": .streamOpened(direction)
        case "closed": .streamClosed(direction)
        case "in closed": .streamClosed(.input)
        case "started": .started(direction)
        case "in start": .started(.input)
        case "user": .paused(direction, .user)
        case "loss": .paused(direction, .oldDeviceUnavailable)
        case "arrival": .paused(direction, .newDeviceAvailable)
        case "route": .paused(direction, .noSuitableRoute)
        case "int": .paused(direction, .interruption)
        case "deact": .paused(direction, .deactivation)
        case "refusal": .paused(direction, .refusal)
        case "sup int": .suppressed(direction, .interruption)
        case "sup route": .suppressed(direction, .noSuitableRoute)
        case "fail": .failed(Bench.deviceFailed)
        case "server": .failed(Bench.serverLost)
        case "shape": .deviceShapeChanged
        case "faded": .fadeFinished
        case "end": .sourceEnded(.complete, generation: generation)
        case "stale end": .sourceEnded(.complete, generation: generation &- 1)
        case "broken": .sourceEnded(.failed("damaged"), generation: generation)
        case "file": .fileClosed(failure: nil)
        case "bad file": .fileClosed(failure: "The disk is full.")
        case "play": .playRequested()
        case "refused": .playRefused
        case "seek": .seekRequested(toSeconds: 1)
        case "close": .closeRequested
        case "stop": .stopped
        case "manual": .manualRenderingStarted
        case "by hand": .manualRenderingPaused
        case "unheard": .outputUseChanged(.unheard)
        default: nil
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension TransportState {
    fileprivate var short: String {
        switch self {
        case .ready: "ready"
        case .playing: "playing"
        case .fading(.paused(let cause)): "f \(cause.short)"
        case .fading(.suppressed): "f sup"
        case .fading(.closed): "f closed"
        case .suppressed(.interruption): "s int"
        case .suppressed(.noSuitableRoute): "s route"
        case .paused(let cause): "p \(cause.short)"
        case .finishing(.finished(.endOfFile)): "e end"
        case .finishing(.finished(.stopped(let cause))): "e \(cause.short)"
        case .finishing(.failed): "broken"
        case .finished: "finished"
        case .failed: "failed"
        }
    }
}

extension PauseCause {
    fileprivate var short: String {
        switch self {
        case .oldDeviceUnavailable: "loss"
        case .newDeviceAvailable: "new"
        case .noSuitableRoute: "route"
        case .user: "user"
        case .interruption: "int"
        case .deactivation: "deact"
        case .refusal: "ref"
        }
    }
}
