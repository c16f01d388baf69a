import AVFoundation
import AudioToolbox
import MediaPlayer

// A class of Swift 5 code that uses its own members in every handler of the library, as apps do.

@MainActor final class MainActorPlayer {
    let player = AVPlayer()
    let session = AVAudioSession.sharedInstance()
    private(set) var heard: [String] = []
    private var tokens: [Any] = []
    private var observations: [NSKeyValueObservation] = []

    func note(_ event: String) { heard.append(event) }

    func seek(_ item: AVPlayerItem) {
        player.seek(to: .zero) { _ in self.note("seek") }
        player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero) { [weak self] _ in self?.note("seek") }
        item.seek(to: .zero) { _ in self.note("item") }
        item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero) { _ in self.note("item") }
    }

    func observe() {
        let second = CMTime(seconds: 1, preferredTimescale: 1)
        tokens.append(
            player.addPeriodicTimeObserver(forInterval: second, queue: .main) { [weak self] time in
                self?.note("\(time.seconds)")
            })
        tokens.append(
            player.addBoundaryTimeObserver(forTimes: [NSValue(time: second)], queue: .main) { [weak self] in
                self?.note("boundary")
            })
        observations.append(player.observe(\.rate) { [weak self] _, _ in self?.note("rate") })
    }

    func askForTheMicrophone() {
        session.requestRecordPermission { self.note("session \($0)") }
        AVAudioApplication.requestRecordPermission { self.note("application \($0)") }
        AVCaptureDevice.requestAccess(for: .audio) { self.note("device \($0)") }
        session.activate(options: []) { isActive, _ in self.note("active \(isActive)") }
        session.prepareRouteSelectionForPlayback { isRight, _ in self.note("route \(isRight)") }
        AVSpeechSynthesizer.requestPersonalVoiceAuthorization { _ in self.note("voice") }
    }

    func load(_ asset: AVAsset) {
        asset.loadValuesAsynchronously(forKeys: ["duration"]) { self.note("loaded") }
        asset.metadata.first?.loadValuesAsynchronously(forKeys: ["value"]) { self.note("value") }
        asset.loadTracks(withMediaType: .audio) { tracks, _ in self.note("\(tracks?.count ?? 0)") }
        AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetAppleM4A)?.exportAsynchronously {
            self.note("exported")
        }
    }

    func makeUnits(_ description: AudioComponentDescription) {
        AVAudioUnit.instantiate(with: description) { _, _ in self.note("unit") }
        AUAudioUnit.instantiate(with: description, options: []) { _, _ in self.note("unit") }
    }

    func ring(_ sound: SystemSoundID) {
        AudioServicesPlaySystemSoundWithCompletion(sound) { self.note("rung") }
        AudioServicesPlayAlertSoundWithCompletion(sound) { self.note("rung") }
    }

    var artwork: MPMediaItemArtwork {
        MPMediaItemArtwork(boundsSize: CGSize(width: 1, height: 1)) { _ in
            self.note("artwork")
            return Data()
        }
    }
}

/// Overrides as Swift 5 code writes them: without @Sendable.
final class RecordingPlayer: AVPlayer, @unchecked Sendable {
    private(set) var soughtTo: [CMTime] = []

    override func seek(to time: CMTime, completionHandler: @escaping (Bool) -> Void) {
        soughtTo.append(time)
        completionHandler(true)
    }
}
