import ArgumentParser
import AudioFiles
import Foundation
import TestAudio
import TestSupport

/// Checks the reading of sound files that other programs made: dev/make format-table and dev/test --lane damaged-files use it.
@main
struct CheckFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-files", abstract: "Check how sound files of other programs are read.",
        subcommands: [Table.self, Damaged.self, Encode.self])

    struct Encode: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Write a short sound in every format.")

        @Argument(help: "The directory for the files.")
        var directory: String

        func run() throws { _ = try Encoder.encodeAll(in: directory, seconds: 0.5) }
    }

    struct Table: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the table of docs/formats.md.")

        func run() throws {
            let directory = try TemporaryDirectory()
            print("| file | written by | plays | seeks | length | gapless | recorded |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
            for (encoder, source, path) in try Encoder.encodeAll(in: directory.path("."), seconds: 5) {
                let verdict = Verdict(encoder, source, path)
                let columns = [
                    "\(encoder.name) (.\(encoder.ending))", encoder.program, verdict.plays, verdict.seeks,
                    verdict.length,
                    verdict.gapless, verdict.isRecorded ? "yes" : "no",
                ]
                print("| \(columns.joined(separator: " | ")) |")
            }
            withExtendedLifetime(directory) {}
        }
    }

    struct Damaged: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Open damaged files, in turn of every format.")

        @Option(help: "How many files.")
        var count = 10_000
        @Option(help: "Chooses the damage.")
        var seed: UInt64 = 1
        @Option(help: "The first file; those before it are left out.")
        var first = 0
        @Option(help: "Where the number of the present file is written.")
        var progress: String?
        @Option(help: "Where a damaged file is written; it stays after a crash.")
        var file = "/tmp/check-files-damaged"

        /// Of memory, in kB, between the first tenth and the end.
        private static let growthLimit = 48_000
        /// A file that takes so many seconds hangs: the system ends the program then.
        private static let secondsLimit: UInt32 = 60

        func run() throws {
            let directory = try TemporaryDirectory()
            let wholes = try Encoder.encodeAll(in: directory.path("."), seconds: 0.5).map {
                [UInt8](try Data(contentsOf: URL(filePath: $0.path)))
            }
            var (opened, faults, firstMemory, firstDescriptors) = (0, 0, 0, 0)
            for number in first..<count {
                try progress.map { try Data("\(number)\n".utf8).write(to: URL(filePath: $0)) }
                alarm(Self.secondsLimit)
                let turn = number / wholes.count
                // Each file can be made again alone.
                var random = Seeded(seed: seed &* 1_000_003 &+ UInt64(number))
                let bytes = FileDamage.damage(
                    wholes[number % wholes.count], number: turn, random: &random)
                try Data(bytes).write(to: URL(filePath: file))
                let outcome = FileDamage.exercise(file, number: number, random: &random)
                if outcome.isOpened { opened += 1 }
                // Encoding takes longer than reading.
                let exported =
                    number % 20 == 0
                    ? AssetExercise.export(file, to: file + ".m4a", number: turn, random: &random) : []
                for fault in outcome.faults + AssetExercise.read(file, number: turn, random: &random) + exported {
                    faults += 1
                    print("file \(number): \(fault)")
                }
                if number == first + (count - first) / 10 {
                    firstMemory = Self.residentKilobytes()
                    firstDescriptors = Self.openDescriptors()
                }
            }
            alarm(0)
            let growth = Self.residentKilobytes() - firstMemory
            let leaked = Self.openDescriptors() - firstDescriptors
            print(
                "\(count - first) damaged files: \(opened) opened, \(faults) faults, memory grew by \(growth) kB, "
                    + "descriptors by \(leaked)")
            try? FileManager.default.removeItem(atPath: file)
            withExtendedLifetime(directory) {}
            guard faults == 0, growth < Self.growthLimit, leaked <= 0 else { throw ExitCode.failure }
        }

        private static func residentKilobytes() -> Int {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }

        private static func openDescriptors() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
        }
    }
}
