package import AudioFiles
package import AudioModel
package import AudioRuntime
internal import HostInterface
package import SessionCore
package import SessionRuntime

/// Players of several files, one after the other; as the members of `FilePlayer`, unless one says otherwise.
extension FilePlayer {
    /// Opens a stream for a file that is open, and that others can follow.
    ///
    /// - Parameters:
    ///   - reader: at its beginning, at the host's sample rate.
    ///   - filter: changes its frames; not retained.
    ///   - onTime: as of the initializer with an item.
    ///   - onNextFile: called on the same thread when a file that `setNext` joined is the one that is rendered.
    /// - Throws: `SessionError` when the host refuses a stream.
    package convenience init(
        reader: sending AudioFileReader, filter: (any FrameFilter)? = nil, runtime: SessionRuntime,
        policy: StreamPolicy, role: String? = "Music", volume: Float, onChange: @escaping @Sendable (Status) -> Void,
        onChannelMapReset: @escaping @Sendable (ChannelMapReset) -> Void = { _ in },
        onTime: @escaping @Sendable (Double) -> Double = { _ in .infinity },
        onNextFile: @escaping @Sendable (UInt64) -> Void
    ) throws(SessionError) {
        let info = reader.info
        let files = FileSequence(
            reader, filter: filter, isStalled: { [host = runtime.host] in host.itemsAreStalled }, onNextFile: onNextFile
        )
        try self.init(
            item: files, info, runtime: runtime, policy: policy, role: role, volume: volume, onChange: onChange,
            onChannelMapReset: onChannelMapReset, onTime: onTime)
    }

    /// Nil for a player of one file.
    private var files: FileSequence? { item as? FileSequence }

    /// Of a sound that comes while it is played; nil for a file.
    package var stream: (any SoundStream)? { files?.part(at: itemFrame).stream }

    /// It has a present only, as a radio station has: no seek leads anywhere.
    package var isLive: Bool { stream?.isLive == true }

    /// Joins a file to the one that plays, without a frame between them, until that has been rendered to its end.
    ///
    /// - Parameters:
    ///   - reader: where the file is to begin, at the host's sample rate; nil takes the joined file away again.
    ///   - filter: changes its frames; not retained.
    ///   - endSeconds: as of `setEnd(atSeconds:ofFile:)`.
    /// - Returns: the number that `onNextFile` is called with; nil where the file has other channels, or where the player
    ///   plays one file only.
    @discardableResult
    package func setNext(
        _ reader: sending AudioFileReader?, filter: (any FrameFilter)? = nil, endSeconds: Double? = nil
    ) -> UInt64? {
        guard let files else { return nil }
        if let info = reader?.info, !files.canJoin(info) { return nil }
        let (id, seekSeconds) = follow(files, by: reader, filter, endSeconds: endSeconds)
        if let seekSeconds { seek(toSeconds: seekSeconds) }
        return id
    }

    /// As `setNext(nil)`.
    ///
    /// Session thread.
    package func takeNextAway() {
        guard let files else { return }
        if let seekSeconds = follow(files, by: nil, nil, endSeconds: nil).seekSeconds { goTo(seconds: seekSeconds) }
    }

    /// - Returns: its number, and where to seek to, so that what was fed of the file that was taken away is not heard.
    private func follow(
        _ files: FileSequence, by reader: sending AudioFileReader?, _ filter: (any FrameFilter)?, endSeconds: Double?
    ) -> (id: UInt64, seekSeconds: Double?) {
        let (position, frame) = (status.position, itemFrame)
        let (id, mustFeedAgain) = files.setNext(
            reader, filter: filter, end: self.frame(seconds: endSeconds), currentFrame: frame)
        wakeClock()
        return (id, mustFeedAgain ? position : nil)
    }
}
