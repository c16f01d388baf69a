import Foundation
import SceneCore
import SceneRuntime
import SceneTestSupport
import Synchronization

/// How fast scenes run, and whether the same scene has the same history.
enum SceneSpeed {
    private static let hourLimit = 1.0
    private static let threeEventsLimit = 0.5
    private static let threads = 8

    private static let hour = """
        scene 1
        at 0s player plays
        at 600s call begins
        at 620s call ends, may resume
        at 1800s plug headphones
        at 2400s notification for 2s
        at 3600s end
        """
    private static let threeEvents = """
        scene 1
        at 0s plug headphones
        at 1ms call begins
        at 2ms unplug headphones
        at 3ms end
        """

    static func measure(_ rounds: Rounds) throws -> Report {
        var report = Report(
            title: "scenes: speed of the simulated machine",
            comparison: """
                `SceneFilePlayer` runs a scene of an hour in which a tone plays, and one of three events without sound. Then random \
                scenes run once on one thread and once on each of \(threads) threads at the same time; their histories are \
                compared byte by byte.
                """,
            columns: ["", "N", "median", "95 %", "greatest"])
        let scenes = try [hour, threeEvents].map { try AudioScene(text: $0) }
        var (hours, events): ([Double], [Double]) = ([], [])
        try rounds.run(5, of: "an hour") { _ in hours.append(try seconds { _ = try SceneFilePlayer().run(scenes[0]) }) }
        try rounds.run(1000, of: "three events") { _ in
            events.append(try seconds { _ = try SceneFilePlayer(files: nil).run(scenes[1]) } * 1000)
        }
        let random = (0..<(rounds.isQuick ? 100 : 1000)).map { seed in
            var random = SceneRandom(seed: UInt64(seed))
            return random.scene()
        }
        let differences = try differences(in: random)
        report.rows = [
            ["an hour of sound, s"] + Distribution(hours).cells, ["three events, ms"] + Distribution(events).cells,
            ["random scenes with another history", "\(random.count * threads)", "\(differences)", "", ""],
        ]
        report.notes = [
            "Wanted: an hour in less than \(hourLimit.text(0)) s, three events in less than \(threeEventsLimit.text(1)) ms, no difference."
        ]
        return report
    }

    private static func seconds(_ body: () throws -> Void) throws -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        try body()
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    }

    /// How many of the histories differ from the first one of their scene.
    private static func differences(in scenes: [AudioScene]) throws -> Int {
        let first = try scenes.map { try SceneFilePlayer().run($0).text }
        let results = Mutex<[Int?]>([])
        for _ in 0..<threads {
            Thread {
                let differing = try? zip(scenes, first).count { try SceneFilePlayer().run($0).text != $1 }
                results.withLock { $0.append(differing) }
            }.start()
        }
        // Notices of the sessions are delivered on the main thread.
        while results.withLock({ $0.count }) < threads { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01)) }
        return results.withLock { $0.reduce(0) { $0 + ($1 ?? scenes.count) } }
    }
}
