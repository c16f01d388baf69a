internal import Foundation
public import SceneCore
internal import SceneRuntime
public import Testing

/// Gives a test the simulated machine of a scene, and turns what the scene expects into issues: `@Test(.scene("call-ends"))`.
///
/// The test makes the app's objects and calls ``AudioSimulator/performScene(playing:isolation:_:)``. Each expectation that is not met is an
/// issue at its line of the scene's file. The history and its picture are attached to a test that fails.
public struct SceneTrait: TestTrait, TestScoping {
    let load: @Sendable () throws -> (scene: AudioScene, path: String?)
    let strictness: AudioSimulator.Strictness
    let kind: SimulatorGate.Kind

    /// Creates the machine, runs the test with it, and records the issues; called by Swift Testing.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let (scene, path) = try load()
        try await SimulatorGate.shared.pass(kind, at: test.sourceLocation) {
            let history = try await AudioSimulator(scene).use(alone: kind == .process) { phone in
                phone.strictness = strictness
                try await function()
                return try phone.finishedHistory()
            }
            history.recordIssues(inFile: path, orAt: test.sourceLocation)
        }
    }
}

/// A case of `@Test(arguments: AudioScene.wellKnown)` has the title of its scene.
extension AudioScene: CustomTestStringConvertible {
    /// The title; the text of a scene without one.
    public var testDescription: String { title.isEmpty ? text : title }
}

extension Trait where Self == SceneTrait {
    /// The machine of a scene.
    ///
    /// - Parameters:
    ///   - name: the file `name.scene`, beside the test's source or in a folder `Scenes` beside it, or else one of
    ///     ``AudioScene/wellKnown``.
    ///   - strict: what the test also fails for; see ``AudioSimulator/Strictness``.
    ///   - alone: the machine is that of every thread and queue, and no other test with a machine runs.
    ///   - filePath: the test's source.
    public static func scene(
        _ name: String, strict: AudioSimulator.Strictness = false, alone: Bool = false, filePath: String = #filePath
    ) -> SceneTrait {
        SceneTrait(
            load: { try AudioScene.find(name, besideFile: filePath) }, strictness: strict,
            kind: alone ? .process : .ownMachine)
    }

    /// The machine of a scene that was made in code.
    public static func scene(
        _ scene: AudioScene, strict: AudioSimulator.Strictness = false, alone: Bool = false
    ) -> SceneTrait {
        SceneTrait(load: { (scene, nil) }, strictness: strict, kind: alone ? .process : .ownMachine)
    }
}

extension AudioScene {
    /// Reads a scene from a file, or makes it of a session's trace or of what `pw-dump --monitor` prints.
    ///
    /// - Throws: why the file cannot be read; ``SceneError`` where it is no scene.
    public init(contentsOfFile path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        self = try SceneImport.scene(text)
    }

    fileprivate static func find(_ name: String, besideFile file: String) throws -> (scene: AudioScene, path: String?) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        let files = [
            folder.appendingPathComponent("\(name).scene").path,
            folder.appendingPathComponent("Scenes/\(name).scene").path,
        ]
        if let path = files.first(where: FileManager.default.fileExists(atPath:)) {
            do {
                return (try AudioScene(contentsOfFile: path), path)
            } catch let error as SceneError {
                throw AudioSimulator.SceneFault(description: "\(path): \(error)")
            }
        }
        if let known = wellKnown(name) { return (known, nil) }
        let names = wellKnownNames.joined(separator: ", ")
        throw AudioSimulator.SceneFault(
            description: "There is no scene \"\(name)\": write \(files[0]), or name one of \(names).")
    }
}

extension SceneHistory {
    /// Records what was not met as issues of the current test, and attaches the history and its picture if there are any.
    ///
    /// - Parameters:
    ///   - file: the scene's file, whose lines the issues name; nil for a scene without one.
    ///   - location: where the issues are then.
    public func recordIssues(inFile file: String?, orAt location: SourceLocation) {
        guard !failures.isEmpty || !objections.isEmpty || !mistakes.isEmpty else { return }
        for failure in failures {
            Issue.record("\(failure)", sourceLocation: Self.place(failure.line, file) ?? location)
        }
        for text in objections + mistakes { Issue.record("\(text)", sourceLocation: location) }
        Attachment.record(text, named: "history.txt", sourceLocation: location)
        Attachment.record(scene.text, named: "repeat.scene", sourceLocation: location)
        Attachment.record(ScenePicture(self).html, named: "picture.html", sourceLocation: location)
    }

    private static func place(_ line: Int, _ file: String?) -> SourceLocation? {
        guard let file, line > 0 else { return nil }
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return SourceLocation(fileID: "Scenes/\(name)", filePath: file, line: line, column: 1)
    }
}
