import AudioRuntime
import CPeer
import PipeWireRig
import SessionRest
import SessionRuntime
import TestAudio

/// From the loss of the headphones to the program's knowing of it.
enum PauseLatency {
    private static let rounds = 100
    /// So much of the tone has been heard before each loss, in frames.
    private static let playedFrames = 4800

    private struct Samples {
        var heardByPeer: [(from: UInt64, to: UInt64)] = []
        var silenced: [(from: UInt64, to: UInt64)] = []
        var paused: [(from: UInt64, to: UInt64)] = []
        var notified: [(from: UInt64, to: UInt64)] = []
        var dataThread = ""

        mutating func add(_ stage: Stage, lossAt start: UInt64) throws {
            paused.append((start, try stage.paused.wait(for: "the player to pause")))
            notified.append((start, try stage.notified.wait(for: "the route change")))
            silenced.append((start, try stage.silenced.wait(for: "the stream to be silenced")))
            heardByPeer.append((start, try stage.heardByPeer()))
        }

        func rows(_ what: String) -> [[String]] {
            let peer = Distribution(millisecondsOf: heardByPeer)
            return [
                ("peer: a bare C client hears of it", heardByPeer), ("the session hears of it", silenced),
                ("the player's `paused` is delivered", paused), ("the route change is delivered", notified),
            ].map { name, spans in
                let figures = Distribution(millisecondsOf: spans)
                return ["\(what): \(name)"] + figures.cells + [(figures.median / peer.median).text(2)]
            }
        }
    }

    static func measure(_ rounds: Rounds) throws -> Report {
        try withTemporaryDirectory { directory in
            let music = try Stage.music(seconds: 120, in: directory)
            var report = Report(
                title: "pause-latency: the headphones go, the player pauses",
                comparison: """
                    Milliseconds from the call that takes the headphones away (a sink destroyed; a jack pulled out of \
                    a card) until the program knows. The times of the server itself are in all rows. The peer is a C \
                    client of one screen that does nothing but listen to the same server at the same time: its row is \
                    the server's event, and the last column is the ratio of the medians to it.
                    """,
                columns: ["ms since the loss", "N", "median", "95 %", "max", "ours / peer"])
            let unplugs = try unplugs(rounds, music)
            let pulls = try pulls(rounds, music)
            report.rows = unplugs.rows("unplug") + pulls.rows("jack")
            report.notes = [("unplug", unplugs), ("jack", pulls)].map { what, samples in
                let own = zip(samples.heardByPeer, samples.paused).map { (from: $0.to, to: $1.to) }
                let figures = Distribution(millisecondsOf: own)
                return """
                    \(what), from the server's event (the peer's row) to `paused`: median \(figures.median.text(2)) ms, \
                    95 % \(figures.quantile(0.95).text(2)) ms, max \(figures.max.text(2)) ms. Wanted: a median under \
                    5 ms.
                    """
            }
            report.notes.append(unplugs.dataThread)
            return report
        }
    }

    private static func unplugs(_ rounds: Rounds, _ music: String) throws -> Samples {
        try PrivatePipeWire.withSpeaker { server, _ in
            let stage = try Stage(server: server, music: music)
            defer { stage.end() }
            var samples = Samples()
            try rounds.run(Self.rounds, of: "unplugs") { _ in
                let headphones = try server.plugHeadphones()
                try stage.waitForRoute(to: "headphones")
                try stage.player.play()
                try headphones.meter.wait(loudFrames: playedFrames)
                stage.arm()
                try samples.add(stage, lossAt: headphones.destroy())
                headphones.meter.stop()
                try server.waitUntilDefaultSink(is: "speaker")
            }
            samples.dataThread = stage.dataThread
            return samples
        }
    }

    /// What begins between one unplug and the observer's call, in a build of dev/make walk.
    static func listCalls(to path: String) throws {
        try withTemporaryDirectory { directory in
            try PrivatePipeWire.withSpeaker { server, _ in
                let stage = try Stage(server: server, music: Stage.music(seconds: 120, in: directory))
                defer { stage.end() }
                let headphones = try server.plugHeadphones()
                try stage.waitForRoute(to: "headphones")
                try stage.player.play()
                try headphones.meter.wait(loudFrames: playedFrames)
                stage.arm()
                guard cpeer_calls_begin() else { throw Failure("There is no memory for the list of calls.") }
                _ = headphones.destroy()
                _ = try stage.notified.wait(for: "the route change")
                guard cpeer_calls_end(path) else { throw Failure("No call was listed; run dev/make walk.") }
                headphones.meter.stop()
            }
        }
    }

    private static func pulls(_ rounds: Rounds, _ music: String) throws -> Samples {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let card = try server.makeCard()
        try card.waitUntilActive(.headphones)
        let stage = try Stage(server: server, music: music)
        defer { stage.end() }
        var samples = Samples()
        try rounds.run(Self.rounds, of: "jack pulls") { _ in
            try stage.waitForRoute(to: "headphones")
            card.mark()
            try stage.player.play()
            while card.headphonesFrames < playedFrames { try card.wait(frames: card.reading.frames + 256) }
            stage.arm()
            try samples.add(stage, lossAt: card.unplugHeadphones())
            try card.waitUntilActive(.speaker)
            // Only then is the paused stream linked again; headphones that arrive before would cross with that.
            try stage.waitForRoute(to: "speaker")
            stage.runtime.drain()
            card.plugHeadphones()
            try card.waitUntilActive(.headphones)
        }
        return samples
    }
}
