import Foundation
import PipeWireRig
import TestAudio
import Testing

@Suite("audiosession outputs", .ownThread, .serialized)
struct OutputsTests {
    @Test func order_isWhatTheSessionManagerDoes() throws {
        let machine = try TestMachine()
        let hdmi = try machine.server.makeSink(
            name: "alsa_output.hdmi", description: "HDMI", formFactor: "hdmi", bus: "pci", priority: 700)
        #expect(try names(machine) == ["usb-headset", "alsa_output.hdmi", "speaker"])
        try machine.server.setDefault("speaker")
        #expect(try names(machine) == ["speaker", "usb-headset", "alsa_output.hdmi"])
        // WirePlumber 0.4 keeps the choices of before.
        let order = try names(machine, "--forget")
        try machine.server.waitUntilDefaultSink(is: try #require(order.first))
        machine.pullHeadset()
        let next = try #require(order.first { $0 != "usb-headset" })
        try machine.server.waitUntilDefaultSink(is: next)
        withExtendedLifetime(hdmi) {}
    }

    @Test func prefer_writesTheSettings_andResetTakesThemBack() throws {
        let machine = try TestMachine()
        let hdmi = try machine.server.makeSink(
            name: "alsa_output.hdmi", description: "HDMI", formFactor: "hdmi", bus: "pci", priority: 700)
        let run = try machine.run("outputs", "--prefer", "hdmi")
        #expect(try run.waitForEnd() == .exited(0), "\(run.errors)")
        #expect(run.lines.contains { $0.hasPrefix("1     HDMI") && $0.contains("preferred") }, "\(run.lines)")
        let folder = try #require(
            machine.environment["XDG_CONFIG_HOME"] ?? machine.environment["HOME"].map { $0 + "/.config" })
        func files() throws -> [String] {
            let all =
                FileManager.default.enumerator(atPath: folder + "/wireplumber")?.compactMap { $0 as? String } ?? []
            return all.filter { $0.contains("60-audiosession-outputs") }
        }
        #expect(try files().count == 1)
        #expect(try names(machine).first == "alsa_output.hdmi")
        let reset = try machine.run("outputs", "--reset", "--json")
        #expect(try reset.waitForEnd() == .exited(0), "\(reset.errors)")
        #expect(try files() == [])
        #expect(try names(machine).first == "usb-headset")
        withExtendedLifetime(hdmi) {}
    }

    private func names(_ machine: TestMachine, _ words: String...) throws -> [String] {
        let run = try ToolRun(["outputs", "--json"] + words, environment: machine.environment)
        #expect(try run.waitForEnd() == .exited(0), "\(run.errors)")
        let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        return (report?["order"] as? [[String: Any]] ?? []).compactMap { $0["sink"] as? String }
    }
}
