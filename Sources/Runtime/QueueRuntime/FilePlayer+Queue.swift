package import AudioModel
package import AudioRuntime
package import EngineCore
package import SessionRuntime

/// What a queue, and the program that shows one, ask of the player of an item. Any thread but the session thread.
extension FilePlayer {
    /// The read-ahead where changes of the sound must be heard soon.
    package static var shortReadAheadSeconds: Double { FileSource.shortReadAheadSeconds }

    package var item: any PlayedItem { core.source.item }
    /// The frame of `item` that is rendered next, or where a seek goes.
    package var itemFrame: Int64 { core.source.player.itemFrame }
    /// The frame of a file at a time in seconds; nil where it has no number.
    package func frame(seconds: Double?) -> Int64? { core.source.frame(seconds: seconds) }
    /// At the output's sample rate.
    package var format: StreamFormat { core.source.format }
    package var streams: StreamController { core.streams }
    /// Stands while its output takes no sound, or its file gives none: how many of its frames have been rendered.
    package var renderedFrames: Int64 { core.source.player.source.positionFrames }
    /// Stands while its output takes no sound; nil before the first cycle.
    package var cycleTime: Int64? { core.source.engine.lastCycle?.sampleTime }

    /// `onTime` is called soon, if it plays.
    package func wakeClock() { core.reading.wake() }

    /// Has the sound go through these stages, one after the other, before the channels find their outputs.
    ///
    /// Before it plays. A changed setting is heard within 0.2 s; without stages the sound is bit by bit that of the file, and read
    /// farther ahead.
    package func setStages(_ stages: [any FrameConverter]) { core.source.setStages(stages) }

    /// The ports that it is linked to, and the peak of each of their channels since the last call, linear; for one caller.
    package func takePeaks() -> (ports: [AudioModel.Port], peaks: [Float]) { core.takePeaks() }

    /// Gives the channels of the outputs what `makeRouting` makes of the file and of what it is linked to; ramps over 5 ms.
    ///
    /// - Parameter makeRouting: called on the session thread; nil is the default.
    /// - Throws: what it throws; the routing stays what it was. `mediaServicesFailed` after the session has ended.
    package func setChannelRouting(
        _ makeRouting: @escaping @Sendable (FileOutputs) throws(SessionError) -> ChannelRouting?
    ) throws(SessionError) {
        let result = runtime.synchronously { [core] _ in
            Result { () throws(SessionError) in try core.setChannelRouting(makeRouting) }
        }
        guard let result else { throw SessionRuntime.ended }
        try result.get()
    }
}

/// What the player of a queue does on the session thread.
extension FilePlayer {
    /// - Parameter answer: called once, on the session thread: why it does not play, or nil.
    func play(_ context: inout SessionRuntime.SessionThread, _ answer: @escaping SessionRuntime.Answer) {
        if let refusal { return answer(refusal) }
        streams.play(.output, &context, answer)
    }

    func goTo(seconds: Double) { streams.goTo(seconds: seconds) }

    /// As `setEnd(atSeconds:ofFile:)`.
    func moveEnd(toSeconds seconds: Double?, ofFile file: UInt64) {
        setEnd(atSeconds: seconds, ofFile: file, seek: goTo)
    }
}
