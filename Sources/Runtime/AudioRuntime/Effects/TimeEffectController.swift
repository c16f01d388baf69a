package import EngineCore
import Synchronization

/// A time effect below the public API: what is set on it, and the stages that do it.
///
/// Any thread.
package final class TimeEffectController: Sendable {
    package enum Kind: Hashable, Sendable { case timePitch, varispeed }

    package let kind: Kind
    private let stored = Mutex(TimeEffectSettings())
    private let resetCount = Atomic<UInt32>(0)

    package init(_ kind: Kind) { self.kind = kind }

    package var settings: TimeEffectSettings { stored.withLock { $0 } }

    /// How often the effect was asked to forget its sound.
    var resets: UInt32 { resetCount.load(ordering: .acquiring) }

    /// Forgets the sound that its stages hold, before they are fed again.
    package func reset() { resetCount.add(1, ordering: .releasing) }

    package func change(_ body: (inout TimeEffectSettings) -> Void) { stored.withLock { body(&$0) } }

    /// Whether the settings change sound at all.
    ///
    /// A converter that begins in the middle of a sound would click, so a varispeed is at work from the first frame on; a
    /// stretcher begins with what comes in, as it is.
    func isNeeded(for settings: TimeEffectSettings) -> Bool {
        if settings.isBypassed { return false }
        return kind == .varispeed || settings.rate != 1 || settings.pitch != 0
    }

    /// Throws why sound of a format cannot go through the effect.
    package func check(_ format: StreamFormat, title: String) throws(GraphError) {
        guard kind == .timePitch, let library = TimePitchLibraries.registered else { return }
        guard library.channels.contains(format.channels.count), format.sampleRate <= library.highestRate else {
            throw .timeEffectFormat(
                effect: title, format, channels: library.channels, highestRate: library.highestRate)
        }
    }

    /// For one source; nil for what `check` refuses, and without memory.
    func makeStage(_ format: StreamFormat) -> TimeEffectStage? {
        let tool: (any TimeEffectTool)? =
            switch kind {
            case .timePitch: TimePitchLibraries.registered?.makeTool(format)
            case .varispeed: VarispeedTool(format)
            }
        return tool.map { TimeEffectStage(self, $0, channels: format.channels.count) }
    }
}
