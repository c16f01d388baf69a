import AudioRuntime
import CPeer
import Foundation
import HostDiagnosis
import HostInterface
import HostPipeWire
import OpenAudioSession
import PipeWireRig
import SessionCore
import SessionRest
import SessionRuntime
import TestAudio

/// A private PipeWire, a player of this library on it in this process, and the instants at which each hears of a loss.
final class Stage {
    let server: PrivatePipeWire
    let runtime: SessionRuntime
    let player: FilePlayer

    /// The session thread has the host's event of the loss.
    let silenced = Moment()
    /// `onChange(.paused)` of the player.
    let paused = Moment()
    /// The observer of `routeChangeNotification`.
    let notified = Moment()

    private let host: PipeWireHost
    private let session: AVAudioSession
    private let observer: any NSObjectProtocol
    private let listener: OpaquePointer

    init(server: PrivatePipeWire, music: String, policy: StreamPolicy = StreamPolicy()) throws {
        self.server = server
        host = PipeWireHost(remote: server.socketPath)
        runtime = try SessionRuntime(host: host, recorders: [LossRecorder(silenced: silenced)])
        session = AVAudioSession(runtime: runtime)
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
        ) { [notified] _ in notified.note() }
        player = try FilePlayer(path: music, runtime: runtime, policy: policy) { [paused] status in
            if status.state == .paused { paused.note() }
        }
        guard let listener = cpeer_listener_open(server.socketPath) else {
            throw Failure("The peer could not connect to the private server.")
        }
        self.listener = listener
    }

    /// Forgets all instants; what comes next is the loss.
    func arm() {
        runtime.drain()
        for moment in [silenced, paused, notified] { moment.forget() }
        cpeer_listener_arm(listener)
    }

    /// When a bare client of the server heard of the loss.
    func heardByPeer() throws -> UInt64 {
        try wait(for: "the peer to hear of the loss") { cpeer_listener_first_news(listener) != 0 }
        return cpeer_listener_first_news(listener)
    }

    func waitForRoute(to uidPart: String) throws {
        try wait(for: "the route to \(uidPart)") {
            runtime.state.route.outputs.first?.uid.contains(uidPart) == true
        }
    }

    /// How the thread that renders is scheduled, in words.
    var dataThread: String {
        switch host.diagnosis?.realTime {
        case .granted(let priority): "PipeWire's data thread ran with real-time priority \(priority)."
        case .denied: "PipeWire's data thread ran without real-time priority."
        case .unknown, nil: "PipeWire's data thread has not run."
        }
    }

    func end() {
        player.close()
        NotificationCenter.default.removeObserver(observer)
        runtime.shutdown()
        cpeer_listener_close(listener)
    }

    /// A tone that is loud in every frame.
    static func music(seconds: Double, in directory: TemporaryDirectory) throws -> String {
        try TestFile.write(.quadrature(hertz: 1000), seconds: seconds, in: directory)
    }
}

extension PrivatePipeWire {
    /// Runs `body` on a private server whose speaker is the default, and ends both.
    static func withSpeaker<Result>(
        properties: [String: String] = [:], capturing: Duration = .zero,
        _ body: (PrivatePipeWire, VirtualSink) throws -> Result
    ) throws -> Result {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let speaker = try server.makeSink(
            name: "speaker", formFactor: "speaker", bus: "pci", priority: 500, properties: properties,
            capturing: capturing)
        defer { speaker.destroy() }
        try server.waitUntilDefaultSink(is: "speaker")
        return try body(server, speaker)
    }

    /// Plugs headphones in, and returns when the session manager prefers them.
    func plugHeadphones() throws -> VirtualSink {
        let headphones = try makeSink(name: "headphones", formFactor: "headphone", bus: "usb", priority: 1500)
        try waitUntilDefaultSink(is: "headphones")
        return headphones
    }
}

/// Notes when the session thread had the host's event of a loss.
private struct LossRecorder: SessionRecorder {
    let silenced: Moment

    func begin(on host: String, _ state: SessionState) {}

    func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState) {
        guard case .host(.inventoryChanged(_, let losses)) = event.fact, !losses.isEmpty else { return }
        silenced.note(at: event.time.nanoseconds)
    }

    func end() {}
}
