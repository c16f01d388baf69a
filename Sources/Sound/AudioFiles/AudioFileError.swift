/// Why a file cannot be played.
///
/// `message` names the file, what is wrong and what to do next; it is safe for a terminal.
package struct AudioFileError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case notFound, isDirectory, notReadable, notAudio, truncated, readFailed
        /// A server does not answer, or the app no longer wants its answer.
        case unreachable, cancelled
    }

    package var kind: Kind
    package var message: String
    /// libsndfile does not know the file, which FFmpeg may.
    var isUnknownToLibsndfile = false

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    func unknownToLibsndfile() -> AudioFileError {
        var copy = self
        copy.isUnknownToLibsndfile = true
        return copy
    }
}
