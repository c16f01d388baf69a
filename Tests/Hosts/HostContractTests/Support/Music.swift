import TestAudio

/// A minute of a tone that is loud in every frame, in a file that goes with the value.
final class Music: Sendable {
    private let directory: TemporaryDirectory
    let path: String

    init(seconds: Double = 60) throws {
        directory = try TemporaryDirectory()
        path = try TestFile.write(.quadrature(hertz: 1000), seconds: seconds, in: directory)
    }
}
