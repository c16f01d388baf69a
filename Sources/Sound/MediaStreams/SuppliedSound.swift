package import AudioFiles
internal import Threading

/// A sound whose bytes an app gives, a piece at a time.
///
/// One thread at a time; waits for the app.
package final class SuppliedSound: SoundSource {
    /// What the app has told with the first piece.
    package struct Facts: Sendable {
        /// In bytes; below 1: not known.
        package var byteCount: Int64
        /// Whether it gives pieces from any place.
        package var hasPieces: Bool

        package init(byteCount: Int64, hasPieces: Bool) {
            (self.byteCount, self.hasPieces) = (byteCount, hasPieces)
        }
    }

    private let ask: @Sendable (SuppliedPiece) -> Void
    private let limits: ServerLimits
    private let cancellation: Cancellation
    /// What was asked for last.
    private var piece: SuppliedPiece?

    /// Memory is bounded by this where the app gives pieces.
    static let pieceBytes: Int64 = 1 << 20
    /// What the first piece has: the facts come with it.
    private static let firstBytes: Int64 = 2

    /// Asks for the first piece, and waits for its end.
    ///
    /// - Parameters:
    ///   - name: what messages call it.
    ///   - ask: has the app begin to give the bytes of a piece, and tell its facts at the end of the first one; called on the
    ///     thread that reads.
    ///   - facts: what it has told.
    /// - Throws: `unreachable` where the app ends it with an error, `cancelled`.
    package init(
        named name: String, limits: ServerLimits = ServerLimits(), cancellation: Cancellation, facts: () -> Facts,
        ask: @escaping @Sendable (SuppliedPiece) -> Void
    ) throws(AudioFileError) {
        (self.ask, self.limits, self.cancellation) = (ask, limits, cancellation)
        let first = SuppliedPiece(offset: 0, byteCount: Self.firstBytes, isToTheEnd: false)
        ask(first)
        do throws(ServerFault) {
            try first.waitForEnd(limits, cancellation)
        } catch {
            first.drop()
            throw error.error(address: name)
        }
        let told = facts()
        let size = told.byteCount > 0 ? told.byteCount : nil
        super.init(size: size, isLive: false, isSeekable: told.hasPieces && size != nil, StreamTraffic())
        traffic.countRequest()
    }

    deinit { piece?.drop() }

    override func bytes(at offset: Int64, into room: UnsafeMutableRawBufferPointer) throws(ServerFault) -> Int {
        var emptyPieces = 0
        while true {
            let piece = try piece(at: offset)
            let got = try piece.read(at: offset, into: room, limits, cancellation)
            if got > 0 || !isSeekable { return got }
            // The piece ended before its length; the next one begins here.
            emptyPieces += 1
            if emptyPieces > 1 { return 0 }
            self.piece = nil
        }
    }

    private func piece(at offset: Int64) throws(ServerFault) -> SuppliedPiece {
        if let piece, piece.contains(offset) { return piece }
        if piece != nil, !isSeekable { throw .withoutParts }
        piece?.drop()
        let rest = (size ?? .max) - offset
        let count = isSeekable ? min(Self.pieceBytes, rest) : rest
        let piece = SuppliedPiece(offset: isSeekable ? offset : 0, byteCount: count, isToTheEnd: count == rest)
        self.piece = piece
        traffic.countRequest()
        ask(piece)
        return piece
    }
}

/// A part of a sound that an app was asked for.
///
/// Any thread gives bytes; one reads them in their order, and they are kept no longer.
package final class SuppliedPiece: Sendable {
    package let offset: Int64
    package let byteCount: Int64
    /// Whether nothing of the sound follows.
    package let isToTheEnd: Bool

    private enum Ending {
        case complete
        /// The app's words.
        case failed(String)
    }

    private struct State {
        var bytes: [UInt8] = []
        /// Of those in `bytes`.
        var taken = 0
        /// Of all that were given.
        var given: Int64 = 0
        var ending: Ending?
        var onDrop: (@Sendable () -> Void)?

        var left: Int { bytes.count - taken }
    }

    private let state = Monitor(State())

    /// Of bytes that were given.
    package var givenCount: Int64 { state.withLock { $0.given } }

    init(offset: Int64, byteCount: Int64, isToTheEnd: Bool) {
        (self.offset, self.byteCount, self.isToTheEnd) = (offset, byteCount, isToTheEnd)
    }

    /// Called when no more bytes are wanted before the app has ended it; at once where that was so before.
    package func onDrop(_ onDrop: @escaping @Sendable () -> Void) { state.withLock { $0.onDrop = onDrop } }

    /// The next bytes; those that are too many are dropped, and the piece with them.
    package func append(_ bytes: some Collection<UInt8>) {
        let isTooMuch = state.update { state in
            let room = Int(clamping: byteCount - state.given)
            guard state.ending == nil else { return false }
            state.bytes.append(contentsOf: bytes.prefix(room))
            state.given += Int64(min(bytes.count, room))
            return bytes.count > room
        }
        if isTooMuch { cancel() }
    }

    /// - Parameter failure: the app's words; nil: all was given.
    package func end(failure: String? = nil) {
        state.update { state in
            if state.ending == nil { state.ending = failure.map(Ending.failed) ?? .complete }
            state.onDrop = nil
        }
    }

    /// Nothing more is read from it; where all was given, the app need not know.
    func drop() {
        if givenCount < byteCount { cancel() } else { end() }
    }

    private func cancel() {
        let onDrop = state.update { state in
            if state.ending == nil { state.ending = .complete }
            return state.onDrop.take()
        }
        onDrop?()
    }

    /// Whether the byte at a place may still be read from it.
    func contains(_ place: Int64) -> Bool {
        state.withLock { place >= offset + $0.given - Int64($0.left) && place - offset < byteCount }
    }

    func waitForEnd(_ limits: ServerLimits, _ cancellation: Cancellation) throws(ServerFault) {
        try wait(limits, cancellation) { $0.ending == nil }
        if case .failed(let words)? = state.withLock({ $0.ending }) { throw .refused(words) }
    }

    /// Bytes from a place that it contains, at least 1; 0: the app has given no more.
    func read(
        at place: Int64, into room: UnsafeMutableRawBufferPointer, _ limits: ServerLimits, _ cancellation: Cancellation
    ) throws(ServerFault) -> Int {
        try wait(limits, cancellation) { $0.ending == nil && self.offset + $0.given <= place }
        let (got, ending) = state.withLock { state -> (Int, Ending?) in
            let first = offset + state.given - Int64(state.left)
            state.taken += Int(min(place - first, Int64(state.left)))
            let count = min(room.count, state.left)
            room.copyBytes(from: state.bytes[state.taken..<state.taken + count])
            state.taken += count
            if state.left == 0 { (state.bytes, state.taken) = ([], 0) }
            return (count, state.ending)
        }
        if got == 0, case .failed(let words)? = ending { throw .refused(words) }
        return got
    }

    /// Until the condition is false, or no byte has come for as long as an opening may take.
    private func wait(
        _ limits: ServerLimits, _ cancellation: Cancellation, while isWaiting: (State) -> Bool
    ) throws(ServerFault) {
        var seen: Int64 = -1
        var limit: WaitLimit?
        while !state.wait(atMostSeconds: 0.1, while: isWaiting) {
            let given = state.withLock { $0.given }
            if given != seen || limit == nil {
                let seconds = limits.openingSeconds
                (seen, limit) = (given, WaitLimit(seconds: seconds, .timedOut(seconds: seconds), cancellation))
            }
            try limit?.check()
        }
    }
}
