internal import Synchronization

/// What is set on a time effect.
package struct TimeEffectSettings: Hashable, Sendable {
    /// Of playback; 1 changes nothing.
    package var rate: Float = 1
    /// In cents, hundredths of a semitone; 0 changes nothing.
    package var pitch: Float = 0
    /// Milliseconds that pieces of stretched sound fade into each other.
    package var overlap: Float = 8
    package var isBypassed = false

    package init() {}

    /// Frames out for each frame in.
    package var ratio: Double { isBypassed ? 1 : 1 / Double(rate) }
}

/// A library that changes sound as a time effect's settings say.
///
/// One thread at a time: the one that feeds.
package protocol TimeEffectTool: AnyObject {
    /// Whether it can go over to these settings in the middle of a sound; else it is to be emptied first.
    func canGoOver(to settings: TimeEffectSettings) -> Bool

    /// From the next frames on.
    ///
    /// - Returns: what becomes of the length of what it holds, besides the change of rate, as a factor.
    @discardableResult
    func apply(_ settings: TimeEffectSettings) -> Double

    /// Takes interleaved frames, [frame][channel], and gives what is ready; at the end nothing but silence is taken.
    func convert(
        _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int)

    /// Forgets the sound so far.
    func clear()
}

/// The library that makes the tools of time pitches: speed and pitch, each by itself.
///
/// All members: any thread but the render thread.
package protocol TimePitchLibrary: Sendable {
    /// Whether it is installed; the first call loads it.
    var isInstalled: Bool { get }

    /// How many channels it takes.
    var channels: ClosedRange<Int> { get }

    /// Hertz.
    var highestRate: Double { get }

    /// - Returns: nil for sound beyond these limits, where it is not installed, and without memory.
    func makeTool(_ format: StreamFormat) -> (any TimeEffectTool)?
}

/// The library of time pitches that this program registered.
///
/// Any thread.
package enum TimePitchLibraries {
    private static let library = Mutex<(any TimePitchLibrary)?>(nil)

    package static func register(_ library: any TimePitchLibrary) { self.library.withLock { $0 = library } }

    /// Nil where there is none: sound then passes a time pitch as it is.
    package static var registered: (any TimePitchLibrary)? { library.withLock { $0 } }
}
