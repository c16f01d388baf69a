public import Foundation
internal import SceneRuntime

extension AudioSimulator {
    /// A file to play in tests: a quiet tone of 11 s that is unlike itself everywhere and loops without a seam.
    ///
    /// One channel at 48 kHz, -17 dBFS. It ends with the process.
    ///
    /// - Throws: where the directory for temporary files has no room.
    public static var song: URL { get throws { URL(fileURLWithPath: try ToneFile.path()) } }

    /// The samples of ``song``, for ``performScene(playing:isolation:_:)`` with scenes that `expect position continues`.
    public static var songSamples: [Float] { ToneFile.original }
}
