/// Which of a player's frames is which of the renderer's, where the ratio between the two changes on the way.
///
/// Both count from 0; beyond the last change the ratio stays as it is. Times that are beyond all counting are the ends of
/// the range.
package struct FrameMap: Hashable, Sendable {
    /// From a change on.
    private struct Piece: Hashable {
        var player: Double
        var renderer: Double
        /// Frames of the renderer for each of the player's.
        var ratio: Double
    }

    /// In order, never empty.
    private var pieces: [Piece]
    /// A hand on a slider makes a change at each block; who asks for a time before so many goes by the oldest kept.
    private static let mostPieces = 256
    /// The error of sums and products of a day's frames, and far below a frame.
    private static let slack = 1e-5

    package init(ratio: Double) { pieces = [Piece(player: 0, renderer: 0, ratio: ratio)] }

    /// Frames of the renderer for each of the player's, at the end.
    var ratio: Double { pieces[pieces.count - 1].ratio }

    /// The ratio is another from a frame of the renderer on, or from the change before if that is later.
    package mutating func change(to ratio: Double, atRenderer frame: Int64) {
        guard ratio != self.ratio else { return }
        append(ratio, atRenderer: frame, leavingOut: 0)
    }

    /// Frames of the player are left out at a frame of the renderer, or at the change before if that is later.
    mutating func leaveOut(_ frames: Int64, atRenderer frame: Int64) {
        guard frames > 0 else { return }
        append(ratio, atRenderer: frame, leavingOut: frames)
    }

    private mutating func append(_ ratio: Double, atRenderer frame: Int64, leavingOut frames: Int64) {
        let last = pieces[pieces.count - 1]
        let renderer = max(Double(frame), last.renderer)
        let player = last.player + (renderer - last.renderer) / last.ratio + Double(frames)
        if renderer == last.renderer { pieces.removeLast() }
        pieces.append(Piece(player: player, renderer: renderer, ratio: ratio))
        if pieces.count > Self.mostPieces { pieces.removeFirst() }
    }

    /// Forgets the changes after a frame of the renderer.
    mutating func truncate(toRenderer frame: Int64) {
        let kept = max(1, pieces.count { $0.renderer <= Double(frame) })
        pieces.removeSubrange(kept...)
    }

    /// Whole frames of the player before a frame of the renderer.
    package func playerFrames(atRenderer frame: Int64) -> Int64 {
        let piece = pieces.last { $0.renderer <= Double(frame) } ?? pieces[0]
        return Int64(
            nearest: (piece.player + (Double(frame) - piece.renderer) / piece.ratio + Self.slack).rounded(.down))
    }

    /// The frame of the renderer next to a frame of the player; of one that is left out, that of the next one.
    func rendererFrames(atPlayer frame: Int64) -> Int64 {
        let index = pieces.lastIndex { $0.player <= Double(frame) } ?? 0
        let renderer = pieces[index].renderer + (Double(frame) - pieces[index].player) * pieces[index].ratio
        return Int64(nearest: index + 1 < pieces.count ? min(renderer, pieces[index + 1].renderer) : renderer)
    }
}
