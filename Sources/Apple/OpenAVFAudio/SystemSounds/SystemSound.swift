import AudioFiles
import AudioRuntime
import CAudioTypes
public import Foundation
internal import OpenAudioSession
import SessionCore
import SessionRuntime
import Synchronization

// Short sounds of an app's interface. They follow the session's route, stop when the output leaves, and need no active
// session; other programs see a stream of the role Event.
//
// Source: SDK header AudioServices.h of AudioToolbox.

/// The number of a short sound.
public typealias SystemSoundID = UInt32
/// Toll-free bridging does not exist on Linux: a `URL` is one.
public typealias CFURL = URL

/// Success.
public let kAudioServicesNoError: OSStatus = 0
/// The file cannot be played.
public let kAudioServicesSystemSoundUnspecifiedError: OSStatus = -1500
/// The sound is longer than 30 s: use `AVAudioPlayer`.
public let kAudioServicesSystemSoundExceededMaximumDurationError: OSStatus = -1502
/// A desktop does not vibrate: nothing happens.
public let kSystemSoundID_Vibrate: SystemSoundID = 4095

/// Gives a file of at most 30 s a number to play it by.
///
/// - Parameters:
///   - inFileURL: of a file.
///   - outSystemSoundID: set on success.
/// - Returns: `kAudioServicesNoError`, or one of the errors above.
@discardableResult
public func AudioServicesCreateSystemSoundID(
    _ inFileURL: CFURL, _ outSystemSoundID: UnsafeMutablePointer<SystemSoundID>
) -> OSStatus {
    guard inFileURL.isFileURL,
        let info = try? AudioFileReader(path: inFileURL.path, outputSampleRate: nil).info
    else { return kAudioServicesSystemSoundUnspecifiedError }
    guard info.duration <= 30 else { return kAudioServicesSystemSoundExceededMaximumDurationError }
    outSystemSoundID.pointee = SystemSound.sounds.withLock { $0.add(inFileURL.path) }
    return kAudioServicesNoError
}

/// Takes the number of a file away; what plays is played to its end.
///
/// - Returns: `kAudioServicesSystemSoundUnspecifiedError` for a number that is not of a file.
@discardableResult
public func AudioServicesDisposeSystemSoundID(_ inSystemSoundID: SystemSoundID) -> OSStatus {
    SystemSound.sounds.withLock { $0.paths.removeValue(forKey: inSystemSoundID) } != nil
        ? kAudioServicesNoError : kAudioServicesSystemSoundUnspecifiedError
}

/// Plays a sound once, at the same time as others; does nothing where it cannot be played.
///
/// Waits for the disk and the session, not for the sound. Any thread.
///
/// - Parameter inSystemSoundID: of a file, or one of iOS's own between 1000 and 1350, for which a sound of the desktop's theme
///   that means the same is played where there is one.
public func AudioServicesPlaySystemSound(_ inSystemSoundID: SystemSoundID) { SystemSound.play(inSystemSoundID, nil) }

/// As `AudioServicesPlaySystemSound`: a desktop does not vibrate.
public func AudioServicesPlayAlertSound(_ inSystemSoundID: SystemSoundID) { SystemSound.play(inSystemSoundID, nil) }

/// Plays a sound, and calls a closure on the main thread once it has ended, or could not be played.
@preconcurrency
public func AudioServicesPlaySystemSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (@Sendable () -> Void)?
) { SystemSound.play(inSystemSoundID, inCompletionBlock) }

/// As `AudioServicesPlaySystemSoundWithCompletion`: a desktop does not vibrate.
@preconcurrency
public func AudioServicesPlayAlertSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (@Sendable () -> Void)?
) { SystemSound.play(inSystemSoundID, inCompletionBlock) }

/// A sound that plays, which holds its player until the end.
final class SystemSound: Sendable {
    struct Sounds {
        var paths: [SystemSoundID: String] = [:]
        // Above the numbers of iOS's own sounds.
        private var lastID: SystemSoundID = 4096

        mutating func add(_ path: String) -> SystemSoundID {
            lastID += 1
            paths[lastID] = path
            return lastID
        }
    }

    static let sounds = Mutex(Sounds())
    private static let playing = Mutex<[ObjectIdentifier: SystemSound]>([:])

    private let player = Mutex<FilePlayer?>(nil)
    private let notices: NoticeQueue
    private let completion: (@Sendable () -> Void)?

    private init(_ notices: NoticeQueue, _ completion: (@Sendable () -> Void)?) {
        (self.notices, self.completion) = (notices, completion)
    }

    fileprivate static func play(_ id: SystemSoundID, _ completion: (@Sendable () -> Void)?) {
        let runtime = AVAudioSession.sharedInstance().runtime
        let knownLosses = runtime.outputLosses
        let sound = SystemSound(runtime.notices, completion)
        playing.withLock { $0[ObjectIdentifier(sound)] = sound }
        guard let path = sounds.withLock({ $0.paths[id] }) ?? ThemeSound.path(of: id),
            let player = try? FilePlayer(
                path: path, runtime: runtime, policy: StreamPolicy(onInterruption: .ignore), role: "Event",
                onChange: { [weak sound] in sound?.follow($0) })
        else { return sound.end() }
        sound.player.withLock { $0 = player }
        do { try player.play(at: nil, knownLosses: knownLosses) } catch { sound.end() }
    }

    /// On the poster thread.
    private func follow(_ status: FilePlayer.Status) {
        switch status.state {
        case .ready, .playing: break
        // Where the output has left, a click of the past is of no use later.
        case .paused, .finished, .failed: end()
        }
    }

    private func end() {
        guard Self.playing.withLock({ $0.removeValue(forKey: ObjectIdentifier(self)) }) != nil else { return }
        let player = player.withLock { player in
            defer { player = nil }
            return player
        }
        // It waits for a fade, which the poster thread must not.
        if let player { DispatchQueue.global().async { player.close() } }
        if let completion { notices.enqueueOnMainThread(completion) }
    }
}

/// The sounds of the desktop's theme that mean what iOS's own mean.
///
/// Source: the freedesktop.org Sound Naming Specification 0.1 and Sound Theme Specification 0.8.
enum ThemeSound {
    /// iOS's numbers, and the names of a theme.
    static let names: [SystemSoundID: String] = [
        1000: "message-new-email", 1001: "message-sent-email", 1002: "message-new-instant",
        1003: "message-new-instant", 1004: "message-sent-instant", 1005: "alarm-clock-elapsed", 1006: "battery-low",
        1007: "message-new-instant", 1016: "message-sent-instant", 1057: "button-pressed", 1073: "dialog-error",
        1103: "button-pressed", 1104: "button-pressed", 1105: "button-pressed", 1106: "power-plug",
        1108: "camera-shutter", 1113: "message", 1114: "complete", 1151: "phone-incoming-call",
        1315: "message-new-instant", 1322: "bell", 1336: "bell",
    ]

    static func path(
        of id: SystemSoundID, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        guard let name = names[id] else { return nil }
        func value(_ key: String) -> String? { environment[key].flatMap { $0.isEmpty ? nil : $0 } }
        let own = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
        let shared = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
        for directory in [own].compactMap(\.self) + shared {
            for ending in ["oga", "ogg", "wav"] {
                let path = "\(directory)/sounds/freedesktop/stereo/\(name).\(ending)"
                if FileManager.default.isReadableFile(atPath: path) { return path }
            }
        }
        return nil
    }
}
