public import CAudioTypes
internal import Foundation

extension AVAudioUnit {
    /// Creates the unit of this description; does not wait.
    ///
    /// Only the units of this library exist: the time pitch and the varispeed.
    ///
    /// - Parameters:
    ///   - audioComponentDescription: of a time pitch or a varispeed.
    ///   - options: without effect.
    ///   - completionHandler: called once, on its own thread: with the unit, or with an `NSError` of
    ///     `NSOSStatusErrorDomain` with the code -3000 (invalid component).
    public class func instantiate(
        with audioComponentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = [],
        completionHandler: @escaping @Sendable (AVAudioUnit?, (any Error)?) -> Void
    ) {
        Thread.detachNewThread {
            do { completionHandler(try make(audioComponentDescription), nil) } catch { completionHandler(nil, error) }
        }
    }

    /// Creates the unit of this description.
    ///
    /// - Throws: as `instantiate(with:options:completionHandler:)`.
    public class func instantiate(
        with audioComponentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) async throws -> sending AVAudioUnit {
        try make(audioComponentDescription)
    }

    private static func make(_ description: AudioComponentDescription) throws -> sending AVAudioUnit {
        switch AVAudioUnitTimeEffect.UnitKind(description) {
        case .timePitch: return AVAudioUnitTimePitch()
        case .varispeed: return AVAudioUnitVarispeed()
        case nil:
            throw NSError(
                domain: NSOSStatusErrorDomain, code: -3000,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "There is no audio unit for \(description). Use AVAudioUnitTimePitch or AVAudioUnitVarispeed."
                ])
        }
    }
}

/// How a unit is loaded; without effect, because every unit is part of this library.
///
/// Source: SDK header AudioComponent.h.
public struct AudioComponentInstantiationOptions: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Without effect: every unit is part of this library and runs in the app's process.
    public static let loadOutOfProcess = AudioComponentInstantiationOptions(rawValue: 1)
    /// Without effect: every unit is part of this library and runs in the app's process.
    public static let loadInProcess = AudioComponentInstantiationOptions(rawValue: 2)
}
