import Foundation
import PipeWireRig
import TestSupport
import Testing

/// The hardest cells of Coverage/focus.tsv with two real clients on a private server.
///
/// 15 are two processes with sessions, 15 are two programs under a guard. Calls without a role, which are not in the table, come after.
@Suite("audiosession table of focus", .ownThread, .serialized)
struct FocusTableTests {
    private static let cycleFrames = 2_048
    /// Of a sound that is over before others could be lowered.
    private static let shortFrames = 9_600
    /// In this time the guard would have held or lowered what plays.
    private static let guardFrames = 36_000
    private static let fullPeak: Float = 0.5

    private static let sessionCells = [
        ("Music", "Music"), ("Music", "Communication (VoIP)"), ("Communication (VoIP)", "Music"),
        ("Communication (VoIP)", "Communication (VoIP)"), ("Music", "Navigation"),
        ("Speech (podcast, audio book)", "Navigation"), ("Speech (podcast, audio book)", "Accessibility"),
        ("Navigation", "Music"), ("Game", "Communication (VoIP)"), ("Game", "Music"),
        ("records a microphone", "Music"), ("Music", "records a microphone"),
        ("records a microphone", "Communication (VoIP)"), ("Communication (VoIP)", "Navigation"),
        ("Accessibility", "Notification"),
    ]
    private static let programCells = [
        ("Music", "Communication (VoIP)"), ("Speech (podcast, audio book)", "Communication (VoIP)"),
        ("Navigation", "Communication (VoIP)"), ("Game", "Communication (VoIP)"),
        ("Communication (VoIP)", "Communication (VoIP)"), ("Communication (VoIP)", "Music"),
        ("Music", "Accessibility"), ("Music", "Navigation"), ("Music", "Assistant"), ("Music", "Alarm"),
        ("Music", "Notification"), ("Music", "System sound"), ("Music", "Ringtone"), ("Alarm", "Music"),
        ("Accessibility", "Movie"),
    ]

    private static func cells(_ names: [(String, String)]) throws -> [FocusTable.Cell] {
        let table = try FocusTable()
        return try names.map { playing, incoming in
            try #require(table.cells.first { $0.playing.name == playing && $0.incoming.name == incoming })
        }
    }

    /// The peak of each window, until two in a row are equal to a rounding.
    private func steadyPeak(_ machine: TestMachine) throws -> Float {
        var last: Float = -1
        for _ in 0..<200 {
            machine.headset.meter.mark()
            let peak = try machine.headset.meter.wait(frames: Self.cycleFrames).peak
            if abs(peak - last) < 1e-4 { return peak }
            last = peak
        }
        return last
    }

    // MARK: Sessions

    @Test func sessions() throws {
        let machine = try TestMachine()
        let microphone = try machine.server.makeSource(
            name: "mic", description: "Mic", formFactor: "microphone", bus: "usb", channels: ["MONO"])
        _ = try machine.tone(seconds: 60, named: "loud.wav", level: Self.fullPeak)
        _ = try machine.tone(seconds: 60, named: "quiet.wav", level: 0)
        for cell in try Self.cells(Self.sessionCells) {
            let outcome = try outcome(of: cell, machine)
            if let fault = cell.fault(outcome, of: "processes with sessions", expected: cell.sessions) {
                Issue.record("\(fault)")
            }
        }
        withExtendedLifetime(microphone) {}
    }

    private func start(_ kind: FocusTable.Kind, isLoud: Bool, _ machine: TestMachine) throws -> (
        ToolRun, begins: String
    ) {
        if kind.session[0] == "record" {
            let path = machine.directory.path("take.wav")
            return (try machine.run("record", path, "--overwrite", "--events", "json"), "recorder recording (user)")
        }
        let file = isLoud ? "loud.wav" : "quiet.wav"
        let options = kind.session[2] == "-" ? [] : ["--options", kind.session[2]]
        let words =
            ["play", machine.directory.path(file), "--category", kind.session[0], "--mode", kind.session[1]] + options
            + ["--events", "json"]
        return (try ToolRun(words, environment: machine.environment), "playing (user) \(file)")
    }

    private func outcome(of cell: FocusTable.Cell, _ machine: TestMachine) throws -> String {
        var runs: [ToolRun] = []
        let outcome = try outcome(of: cell, machine, &runs)
        for run in runs { run.send(SIGKILL) }
        for run in runs { _ = try run.waitForEnd() }
        try machine.server.waitUntil("no claim is left") { !$0.nodes.contains { $0.name == "audiosession.claim" } }
        return outcome
    }

    private func outcome(of cell: FocusTable.Cell, _ machine: TestMachine, _ runs: inout [ToolRun]) throws -> String {
        // One of the two is heard: the one whose level the cell is about.
        let isExistingLoud = cell.sessions != "duck incoming" && !cell.playing.isCapture
        let (first, firstBegins) = try start(cell.playing, isLoud: isExistingLoud, machine)
        runs.append(first)
        try first.wait(for: firstBegins)
        let (second, secondBegins) = try start(cell.incoming, isLoud: !isExistingLoud, machine)
        runs.append(second)
        try second.wait(forLine: "its beginning or its refusal") { _ in
            second.story.contains(secondBegins) || second.story.contains("error insufficientPriority")
        }
        if second.story.contains("error insufficientPriority") { return "deny" }
        let begun = first.story.count { $0 == firstBegins }
        if cell.sessions == "pause existing" { try first.wait(for: RoundActor.began) }
        if first.story.contains(RoundActor.began) {
            let isBack = first.story.count { $0 == firstBegins } > begun
            return isBack ? "back again" : "pause existing"
        }
        // Fades are over when two windows are equal; a loud one that is low plays at a fifth.
        var peak: Float = 0
        for _ in 0..<20 {
            peak = try steadyPeak(machine)
            let wanted = cell.sessions.hasPrefix("duck") ? Self.fullPeak / 5 : Self.fullPeak
            if abs(peak - wanted) < 0.01 { break }
        }
        if abs(peak - Self.fullPeak) < 0.01 { return "mix" }
        guard abs(peak - Self.fullPeak / 5) < 0.01 else { return "a peak of \(peak)" }
        return isExistingLoud ? "duck existing" : "duck incoming"
    }

    // MARK: Programs

    /// Plays until it is stopped; the guard may move it as soon as it is linked.
    private func play(
        _ name: String, _ kind: FocusTable.Kind, process: Int, _ scene: GuardScene
    ) throws -> ToneGenerator {
        var properties = ["application.name": name, "application.process.id": String(process)]
        properties["media.role"] = kind.role
        let tone = try scene.machine.server.makeTone(name: name, properties: properties)
        tone.play(frames: nil)
        try scene.machine.server.waitUntil("\(name) plays") { !$0.targets(of: name).isEmpty }
        return tone
    }

    private func wait(frames: Int, _ scene: GuardScene) throws {
        scene.machine.headset.meter.mark()
        try scene.machine.headset.meter.wait(frames: frames)
    }

    private func isMoved(_ name: String, to sink: String, _ scene: GuardScene) throws -> Bool {
        try scene.machine.server.graph.targets(of: name).contains { $0.hasPrefix("audiosession.guard.\(sink)") }
    }

    @Test func programs() throws {
        let scene = try GuardScene()
        for (number, cell) in try Self.cells(Self.programCells).enumerated() {
            let (old, new) = ("Old\(number)", "New\(number)")
            let existing = try play(old, cell.playing, process: 100 + 2 * number, scene)
            // What plays has begun before the other one; an alert has lasted.
            try wait(frames: cell.programs == "duck incoming" ? Self.guardFrames : Self.shortFrames, scene)
            let incoming = try play(new, cell.incoming, process: 101 + 2 * number, scene)
            if cell.incoming.isShort {
                try wait(frames: Self.shortFrames, scene)
                incoming.stop()
            }
            let outcome = try outcome(of: cell, old, new, scene)
            if let fault = cell.fault(outcome, of: "programs under a guard", expected: cell.programs) {
                Issue.record("\(fault)")
            }
            existing.stop()
            if !cell.incoming.isShort { incoming.stop() }
        }
    }

    private func outcome(of cell: FocusTable.Cell, _ old: String, _ new: String, _ scene: GuardScene) throws -> String {
        func outcome() throws -> String {
            if try isMoved(old, to: "hold", scene) { return "pause existing" }
            if try isMoved(new, to: "hold", scene) { return "pause incoming" }
            switch (try isMoved(old, to: "duck", scene), try isMoved(new, to: "duck", scene)) {
            case (true, true): return "both lowered"
            case (true, false): return "duck existing"
            case (false, true): return "duck incoming"
            case (false, false): return "mix"
            }
        }
        if cell.programs == "mix" {
            // Nothing comes of it: its frames are the clock.
            try wait(frames: Self.guardFrames, scene)
            return try outcome()
        }
        for _ in 0..<200 where try outcome() == "mix" {
            try wait(frames: Self.cycleFrames, scene)
        }
        return try outcome()
    }

    /// The level itself, what 'guard status' says of it, and the way out.
    @Test func alert_lowersBy14Decibels_isNamed_andCanBeExcluded() throws {
        let scene = try GuardScene()
        let music = try scene.play("Music", process: 11)
        let full = try steadyPeak(scene.machine)
        // The alert itself is so quiet that the music's level is the meter's.
        let alarm = try scene.play("Evil", process: 12, role: "Accessibility", amplitude: 0.001)
        try wait(untilPeakIs: full * 0.19...full * 0.21, scene)
        let status = try scene.ask("status")
        #expect(
            status.contains { $0.hasPrefix("Evil (Accessibility) has the others go 14 dB lower. It began ") },
            "\(status)")
        _ = try scene.ask("exclude", "Evil")
        try wait(untilPeakIs: full * 0.98...full * 1.02, scene)
        #expect(try !scene.ask("status").contains { $0.contains("Evil") })
        withExtendedLifetime((music, alarm)) {}
    }

    private func wait(untilPeakIs wanted: ClosedRange<Float>, _ scene: GuardScene) throws {
        var last: Float = -1
        for _ in 0..<200 {
            scene.machine.headset.meter.mark()
            last = try scene.machine.headset.meter.wait(frames: Self.cycleFrames).peak
            if wanted.contains(last) { return }
        }
        Issue.record("the level stayed at \(last), and not in \(wanted)")
    }

    // MARK: Calls without a role

    private func record(process: Int, _ target: String, _ scene: GuardScene) throws -> Process {
        let isSink = target == scene.machine.headset.name
        let recorder = try scene.machine.server.spawn([
            "pw-record", "--target", target, "-P",
            "{ application.process.id=\(process)\(isSink ? " stream.capture.sink=true" : "") }",
            scene.machine.directory.path("take-\(target)-\(process).wav"),
        ])
        try scene.machine.server.waitUntil("the program records \(target)") { !$0.targets(of: target).isEmpty }
        return recorder
    }

    @Test func programWithoutARole_thatPlaysAndRecords_hasACall_andARecorderOfTheDesktopHasNone() throws {
        let scene = try GuardScene()
        let microphone = try scene.machine.server.makeSource(
            name: "mic", description: "Mic", formFactor: "microphone", bus: "usb", channels: ["MONO"])
        let music = try scene.play("Music", process: 11)
        // Hears the desktop, and so is a recorder, with a monitor.
        let recorders = [
            try record(process: 21, scene.machine.headset.name, scene), try record(process: 21, "mic", scene),
        ]
        // The rig's own role is Music.
        let monitor = try scene.play("Monitor", process: 21, role: "", amplitude: 0.01)
        try wait(frames: 2 * Self.guardFrames, scene)
        #expect(try !isMoved("Music", to: "hold", scene))
        for recorder in recorders { recorder.terminate() }
        monitor.stop()
        let capture = try record(process: 31, "mic", scene)
        let call = try scene.play("Phone", process: 31, role: "")
        try scene.waitUntilHeld("Music")
        #expect(try scene.ask("status").contains { $0.hasPrefix("Held by guard: Music, Phone began a call") })
        call.stop()
        try scene.run.wait(forOutput: "Continued Music: the call is over.")
        capture.terminate()
        withExtendedLifetime((microphone, music)) {}
    }
}
