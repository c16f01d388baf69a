import AudioModel
import AudioRuntime
import CAudioTypes
import EngineCore
import SessionCore

/// What an engine's input stream captures into, and what the session tells that stream.
///
/// It and the engine's control hold each other until the stream is closed.
final class EngineCapture: Sendable {
    /// How long nobody may look for captured frames before some are lost.
    private static let ringSeconds = 2.0

    let feed: CaptureFeed
    /// Of the device that the stream was opened for.
    let format: StreamFormat
    private let control: EngineController

    init(control: EngineController, format: StreamFormat) {
        self.control = control
        self.format = format
        feed = CaptureFeed(
            channels: format.channels.count, maximumFrames: EngineController.maximumFrames,
            sampleRate: format.sampleRate,
            seconds: Self.ringSeconds)
    }

    func isFor(_ other: StreamFormat?) -> Bool {
        other.map { format.hasShape(of: $0) } ?? false
    }
}

// Session thread.
extension EngineCapture: StreamOwner {
    func willLink(to ports: [AudioModel.Port]) {
        if !isFor(control.inputDevice(of: ports)) { control.stopItself() }
    }

    func start() { control.startCapturing() }

    func pause(_ cause: PauseCause) {
        switch cause {
        case .oldDeviceUnavailable, .noSuitableRoute, .newDeviceAvailable: control.stopItself()
        case .user, .interruption, .deactivation, .refusal: control.stopCapturing()
        }
    }

    func suppress(_ suppression: Suppression) {
        switch suppression {
        case .interruption:
            control.stopCapturing()
            control.suppress(.interruption)
        case .noSuitableRoute:
            control.stopItself()
            control.refuse(SessionError(.resourceNotAvailable, EngineController.noInputMessage))
        }
    }

    func setGain(_ gain: Float) {}

    func fail(_ error: SessionError) { control.fail(error) }

    /// The route's input may have another rate under links that stay, or none after a change of the category.
    func eventApplied(isInventory: Bool) {
        if control.isRunning, !isFor(control.inputDevice(of: control.runtime.state.route.inputs)) {
            control.stopItself()
        }
        control.tellNews(isInventory: isInventory)
    }
}
