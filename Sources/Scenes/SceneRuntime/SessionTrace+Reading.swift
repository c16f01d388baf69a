internal import Foundation
internal import SessionCore
internal import SessionRuntime

extension SessionTrace {
    private struct Line: Decodable {
        let event: SessionEvent?
    }

    /// - Returns: nil for a line of another kind.
    /// - Throws: where it is no line of a trace that this version of the library writes.
    static func event(ofLine line: some StringProtocol) throws -> SessionEvent? {
        try TraceEncoder.decoder.decode(Line.self, from: Data(line.utf8)).event
    }
}
