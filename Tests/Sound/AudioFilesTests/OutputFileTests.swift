import Foundation
import TestAudio
import Testing

@testable import AudioFiles

/// A file that takes its name with the first frame, on file systems with and without files that have no name.
@Suite(.serialized) struct OutputFileTests {
    let directory: TemporaryDirectory
    private let old = Array("the old recording".utf8)

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String, replacing: Bool = true, hasNamelessFiles: Bool) throws -> OutputFile {
        try OutputFile(
            path: directory.path(name), naming: .atFirstFrame(replacing: replacing), hasNamelessFiles: hasNamelessFiles)
    }

    private func bytes(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: directory.path(name)).map(Array.init)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    private func message(_ body: () throws -> Void) -> String? {
        let error = #expect(throws: AudioFileWriteError.self) { try body() }
        return error?.message
    }

    @Test(arguments: [true, false])
    func file_thatIsThere_staysUntilTheNewOneTakesItsName(hasNamelessFiles: Bool) throws {
        _ = try TestFile.write(bytes: old, named: "a.wav", in: directory)
        let file = try open("a.wav", hasNamelessFiles: hasNamelessFiles)
        #expect(write(file.descriptor, "new", 3) == 3)
        #expect(bytes("a.wav") == old)
        try file.takeName()
        try file.takeName()
        #expect(bytes("a.wav") == Array("new".utf8))
        #expect(file.close() == nil)
        #expect(try names == ["a.wav"])
    }

    @Test(arguments: [true, false])
    func file_thatTakesNoName_leavesNothing(hasNamelessFiles: Bool) throws {
        _ = try TestFile.write(bytes: old, named: "a.wav", in: directory)
        #expect(
            try open("a.wav", hasNamelessFiles: hasNamelessFiles).discard() == "the file of this name was not changed")
        #expect(try open("b.wav", hasNamelessFiles: hasNamelessFiles).discard() == "no file was written")
        #expect(try open("c.wav", hasNamelessFiles: hasNamelessFiles).close() == nil)
        _ = try open("d.wav", hasNamelessFiles: hasNamelessFiles)
        #expect(try names == ["a.wav"])
        #expect(bytes("a.wav") == old)
    }

    @Test(arguments: [true, false])
    func symbolicLink_stays_andItsTargetIsReplaced(hasNamelessFiles: Bool) throws {
        try FileManager.default.createDirectory(atPath: directory.path("far"), withIntermediateDirectories: true)
        for (link, target) in [("a.wav", "b.wav"), ("b.wav", "far/c.wav")] {
            try FileManager.default.createSymbolicLink(atPath: directory.path(link), withDestinationPath: target)
        }
        for isThere in [false, true] {
            let file = try open("a.wav", hasNamelessFiles: hasNamelessFiles)
            #expect(write(file.descriptor, isThere ? "2" : "1", 1) == 1)
            try file.takeName()
            #expect(bytes("far/c.wav") == Array((isThere ? "2" : "1").utf8))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: directory.path("a.wav")) == "b.wav")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: directory.path("b.wav")) == "far/c.wav")
        }
        #expect(try names == ["a.wav", "b.wav", "far"])
    }

    @Test(arguments: [true, false])
    func permissions_areThoseOfTheOldFile(hasNamelessFiles: Bool) throws {
        let path = try TestFile.write(bytes: old, named: "a.wav", in: directory)
        #expect(chmod(path, 0o4640) == 0)
        let file = try open("a.wav", hasNamelessFiles: hasNamelessFiles)
        try file.takeName()
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o640)
    }

    @Test(arguments: [true, false])
    func fileThatMayNotBeReplaced_isLeftAlone_alsoIfItComesLater(hasNamelessFiles: Bool) throws {
        let file = try open("a.wav", replacing: false, hasNamelessFiles: hasNamelessFiles)
        _ = try TestFile.write(bytes: old, named: "a.wav", in: directory)
        for body in [{ try file.takeName() }, { _ = try open("a.wav", replacing: false, hasNamelessFiles: true) }] {
            #expect(message(body)?.hasSuffix("a.wav\" already exists; give another path.") == true)
        }
        #expect(file.close() == nil)
        #expect(bytes("a.wav") == old)
        #expect(try names == ["a.wav"])
    }

    @Test func placeForNoFile_isNamedBeforeAnyFrame() throws {
        #expect(
            message { _ = try open("none/a.wav", hasNamelessFiles: true) }?.contains(
                "cannot be created (No such file or directory)") == true)
        #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
        #expect(
            message { _ = try open("pipe", hasNamelessFiles: true) }?.contains("is not a regular file") == true)
    }

    @Test func placeThatMayNotBeWritten_isNamedBeforeAnyFrame() throws {
        let file = try TestFile.write(bytes: old, named: "a.wav", in: directory)
        #expect(chmod(directory.path, 0o555) == 0)
        #expect(chmod(file, 0o666) == 0)
        withoutRights {
            #expect(
                message { _ = try open("a.wav", hasNamelessFiles: true) }?.contains(
                    "cannot be replaced: no file can be made in its directory (Permission denied)") == true)
            #expect(
                message { _ = try open("b.wav", hasNamelessFiles: true) }?.contains(
                    "cannot be created (Permission denied)") == true)
        }
        #expect(chmod(directory.path, 0o777) == 0)
        #expect(chmod(file, 0o444) == 0)
        withoutRights {
            #expect(
                message { _ = try open("a.wav", hasNamelessFiles: true) }?.contains(
                    "cannot be replaced (Permission denied); check its permissions") == true)
        }
        #expect(bytes("a.wav") == old)
    }

    /// Root may write everywhere; `setfsuid` takes that from the calling thread only.
    private func withoutRights(_ body: () -> Void) {
        typealias SetUser = @convention(c) (uid_t) -> Int32
        let setUser = unsafeBitCast(dlsym(nil, "setfsuid"), to: SetUser.self)
        guard geteuid() == 0 else { return body() }
        _ = setUser(65_534)
        body()
        _ = setUser(0)
    }
}
