import Foundation
import TestAudio
import Testing

@Suite("audiosession simulate", .ownThread, .serialized)
struct SimulateTests {
    private func write(_ scene: String, in machine: MachineWithoutServer) throws -> String {
        let path = machine.directory.path("my.scene")
        try scene.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func scene_asExpected_writesEveryOutput() throws {
        let machine = try MachineWithoutServer()
        let song = try TestFile.write(.quadrature(hertz: 440), seconds: 8, in: machine.directory)
        let files = ["--report", "--svg", "--wav-dir"].map { ($0, machine.directory.path("out\($0)")) }
        let run = try machine.run(["simulate", "headphones-leave", song] + files.flatMap { [$0.0, $0.1] })
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.lines.last == "All 7 expectations were met.", "\(run.output)")
        #expect(run.errors == "")
        let page = try String(contentsOfFile: files[0].1, encoding: .utf8)
        #expect(
            page.hasPrefix("<!doctype html>")
                && page.contains("paused because headphones left; will not resume by itself"))
        #expect(try String(contentsOfFile: files[1].1, encoding: .utf8).hasPrefix("<svg xmlns="))
        let wav = try Data(contentsOf: URL(fileURLWithPath: files[2].1 + "/headphones.wav"))
        #expect(wav.count > 44 + 3 * 48000 * 8)
    }

    @Test(arguments: ["--report", "--svg", "--wav-dir"])
    func outputThatCannotBeWritten_isNamedWithItsPathAndExitsWith1(option: String) throws {
        let machine = try MachineWithoutServer()
        let path = try write("scene 1\nat 1s end\n", in: machine)
        let run = try machine.run("simulate", path, option, path + (option == "--wav-dir" ? "" : "/picture"))
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.errors.hasPrefix("audiosession: cannot write '\(path)"), "\(run.errors)")
        #expect(run.errors.contains("; name a") && !run.errors.contains("NSCocoa"))
    }

    @Test func expectation_notMet_isNamedWithItsLineAndExitsWith1() throws {
        let machine = try MachineWithoutServer()
        let path = try write("scene 1\nat 0s player plays\nexpect speaker silent from 1s to 2s\n", in: machine)
        let run = try machine.run("simulate", path)
        #expect(try run.waitForEnd() == .exited(1))
        #expect(run.lines.contains("failed: line 3: expected speaker silent from 1s to 2s, but speaker played from 1s"))
        #expect(run.lines.last == "The expectation was not met.")
    }

    @Test func position_isThatOfTheFile() throws {
        let machine = try MachineWithoutServer()
        let song = try TestFile.write(.noise, seconds: 8, in: machine.directory)
        for (seek, status) in [("", 0), ("at 3s player seeks to 0s\n", 1)] as [(String, Int32)] {
            let path = try write(
                "scene 1\nat 0s player plays\nat 2s player pauses\n\(seek)at 4s player plays\nexpect position continues\nat 5s end",
                in: machine)
            let run = try machine.run("simulate", path, song)
            #expect(try run.waitForEnd() == .exited(status), "\(run.output)")
        }
    }

    @Test func fileThatIsNoScene_isNamedWithItsPlaceAndExitsWith2() throws {
        let machine = try MachineWithoutServer()
        let path = try write("scene 1\nat 2s unplug hedphones\n", in: machine)
        for arguments in [[path], ["no-such-scene"]] {
            let run = try machine.run(["simulate"] + arguments)
            #expect(try run.waitForEnd() == .exited(2))
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(run.errors.contains("headphones"))
            #expect(run.output == "")
        }
    }

    @Test func json_isOneObjectALine() throws {
        let run = try MachineWithoutServer().run("simulate", "call", "--json")
        #expect(try run.waitForEnd() == .exited(0))
        for line in run.lines {
            #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
        }
        #expect(run.output.contains("\"notice\": \"interruption began\""))
    }

    @Test func print_givesTheSceneThatIsRunAgain() throws {
        let machine = try MachineWithoutServer()
        let printed = try machine.run("simulate", "takeover", "--print")
        #expect(try printed.waitForEnd() == .exited(0))
        let path = try write(printed.output, in: machine)
        let run = try machine.run("simulate", path)
        #expect(try run.waitForEnd() == .exited(0))
    }

    @Test func formsThatAreGone_areNamedWithWhatToUse() throws {
        let machine = try MachineWithoutServer()
        let path = try write("{\"scene\": 1, \"lines\": []}\n", in: machine)
        let cases: [(arguments: [String], message: String)] = [
            ([path], "line 1, column 1: JSON is not a form of scenes; use lines of text"),
            (["call", "--print", "--json"], "JSON is not a form of scenes; use --print without --json"),
            (["call", "--perfetto", "out.json"], "Perfetto is not a form of pictures any more; use --report or --svg"),
        ]
        for (arguments, message) in cases {
            let run = try machine.run(["simulate"] + arguments)
            #expect(try run.waitForEnd() == .exited(2))
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.output == "")
        }
    }
}
