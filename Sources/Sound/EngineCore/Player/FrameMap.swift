/// Maps a player's frames to the renderer's frames and back, also if the ratio between the two changes.
///
/// Both count from 0. After the last change the ratio stays constant. Times beyond the range of `Int64` are clamped to
/// it.
package struct FrameMap: Hashable, Sendable {
    /// The mapping from a change on.
    private struct Piece: Hashable {
        var player: Double
        var renderer: Double
        /// Frames of the renderer for each of the player's.
        var ratio: Double
    }

    /// The pieces in order; never empty.
    private var pieces: [Piece]
    /// Keeps the last 256 rate changes; a query before the oldest uses the oldest.
    private static let mostPieces = 256
    /// More than the rounding error of sums and products over the frames of a day, and much less than a frame.
    private static let slack = 1e-5

    package init(ratio: Double) { pieces = [Piece(player: 0, renderer: 0, ratio: ratio)] }

    /// The renderer's frames for each frame of the player, after the last change.
    var ratio: Double { pieces[pieces.count - 1].ratio }

    /// Changes the ratio from a frame of the renderer on, or from the last change if that is later.
    package mutating func change(to ratio: Double, atRenderer frame: Int64) {
        guard ratio != self.ratio else { return }
        append(ratio, atRenderer: frame, leavingOut: 0)
    }

    /// Leaves out frames of the player at a frame of the renderer, or at the last change if that is later.
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

    /// Removes the changes after a frame of the renderer.
    mutating func truncate(toRenderer frame: Int64) {
        let kept = max(1, pieces.count { $0.renderer <= Double(frame) })
        pieces.removeSubrange(kept...)
    }

    /// The number of whole frames of the player before a frame of the renderer.
    package func playerFrames(atRenderer frame: Int64) -> Int64 {
        let piece = pieces.last { $0.renderer <= Double(frame) } ?? pieces[0]
        return Int64(
            nearest: (piece.player + (Double(frame) - piece.renderer) / piece.ratio + Self.slack).rounded(.down))
    }

    /// The frame of the renderer nearest to a frame of the player; for a frame that is left out, that of the next
    /// frame.
    func rendererFrames(atPlayer frame: Int64) -> Int64 {
        let index = pieces.lastIndex { $0.player <= Double(frame) } ?? 0
        let renderer = pieces[index].renderer + (Double(frame) - pieces[index].player) * pieces[index].ratio
        return Int64(nearest: index + 1 < pieces.count ? min(renderer, pieces[index + 1].renderer) : renderer)
    }
}
