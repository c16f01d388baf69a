public import AVFoundation
public import Foundation
import Synchronization

/// Players whose sound the desktop's media controls show and control, one session at a time.
///
/// The first session of a process is active until another one becomes it. The desktop shows what the active session's
/// `nowPlayingInfoCenter` has, and asks its `remoteCommandCenter`; without a session, those of the process.
///
/// Any thread.
///
/// Source: Apple documentation (MPNowPlayingSession).
open class MPNowPlayingSession: NSObject, @unchecked Sendable {
    // @unchecked: constants, and Mutexes; subclasses have to keep to that.
    private static let active = Mutex(Active())

    private struct Active {
        weak var session: MPNowPlayingSession?
    }

    private let state = Mutex(State())
    private let export = NowPlayingExport.shared
    /// What the app shows of its players.
    public let nowPlayingInfoCenter = MPNowPlayingInfoCenter()
    /// What the desktop asks of its players.
    public let remoteCommandCenter = MPRemoteCommandCenter()

    private struct State {
        var players: [AVPlayer] = []
        var observations: [NSKeyValueObservation] = []
        var publishes = false
        var listener = Listener()
    }

    /// Rule: it is called by the caller of `becomeActiveIfPossible` only.
    private struct Listener: @unchecked Sendable {
        weak var delegate: (any MPNowPlayingSessionDelegate)?
    }

    /// A session of players.
    ///
    /// - Parameter players: the first one is what is published.
    public init(players: [AVPlayer]) {
        super.init()
        state.withLock { $0.players = players }
        for player in players { observe(player) }
        if Self.active.withLock({ $0.session }) == nil { becomeActiveIfPossible() }
    }

    deinit {
        remoteCommandCenter.attach(to: nil)
        if Self.active.withLock({ $0.session }) == nil {
            MPRemoteCommandCenter.shared().attach(to: export)
            MPNowPlayingInfoCenter.default().attach(to: export)
        }
    }

    /// Those of the session.
    open var players: [AVPlayer] { state.withLock { $0.players } }

    /// Adds a player.
    open func addPlayer(_ player: AVPlayer) {
        state.withLock { $0.players.append(player) }
        observe(player)
        publish()
    }

    /// Takes a player away.
    open func removePlayer(_ player: AVPlayer) {
        // Players are released without the lock.
        let before = state.withLock { state in
            defer { state.players.removeAll { $0 === player } }
            return state.players
        }
        withExtendedLifetime(before) {}
        publish()
    }

    /// Hears of the session; it is not kept.
    open weak var delegate: (any MPNowPlayingSessionDelegate)? {
        get { state.withLock { $0.listener }.delegate }
        set {
            let listener = Listener(delegate: newValue)
            state.withLock { $0.listener = listener }
        }
    }

    /// Whether the info center has what the first player's item says in `nowPlayingInfo`, with its length, position and rate;
    /// false at first.
    open var automaticallyPublishesNowPlayingInfo: Bool {
        get { state.withLock { $0.publishes } }
        set {
            state.withLock { $0.publishes = newValue }
            publish()
        }
    }

    /// True: the desktop refuses no session.
    open var canBecomeActive: Bool { true }

    /// Whether the desktop shows it.
    open var isActive: Bool { Self.active.withLock { $0.session } === self }

    /// Has the desktop show this session in place of the others of the process.
    ///
    /// - Parameter completion: called at once, with true.
    open func becomeActiveIfPossible(completion: ((Bool) -> Void)? = nil) {
        let before = Self.active.withLock { active in
            defer { active.session = self }
            return active.session
        }
        if before !== self {
            before?.nowPlayingInfoCenter.attach(to: nil)
            before?.remoteCommandCenter.attach(to: nil)
            nowPlayingInfoCenter.attach(to: export)
            remoteCommandCenter.attach(to: export)
            for session in [before, self].compactMap(\.self) {
                session.delegate?.nowPlayingSessionDidChangeActive(session)
            }
        }
        completion?(true)
    }

    private func observe(_ player: AVPlayer) {
        let observations = [
            player.observe(\.rate) { [weak self] _, _ in self?.publish() },
            player.observe(\.timeControlStatus) { [weak self] _, _ in self?.publish() },
            player.observe(\.currentItem) { [weak self] _, _ in self?.publish() },
        ]
        state.withLock { $0.observations += observations }
    }

    /// Of a player that has gone from the session, the observers say nothing new.
    fileprivate func publish() {
        let (player, publishes) = state.withLock { ($0.players.first, $0.publishes) }
        guard publishes else { return }
        guard let player, let item = player.currentItem else {
            nowPlayingInfoCenter.nowPlayingInfo = nil
            return
        }
        var info = item.nowPlayingInfo ?? [:]
        if info[MPMediaItemPropertyPlaybackDuration] == nil, item.duration.isNumeric {
            info[MPMediaItemPropertyPlaybackDuration] = item.duration.seconds
        }
        info[MPNowPlayingInfoPropertyElapsedPlaybackTime] = max(0, item.currentTime().seconds)
        let rate: Double = player.timeControlStatus == .playing ? Double(player.rate) : 0
        info[MPNowPlayingInfoPropertyPlaybackRate] = rate
        nowPlayingInfoCenter.nowPlayingInfo = info
    }

    fileprivate static func itemChanged(_ item: AVPlayerItem) {
        let session = active.withLock { $0.session }
        if session?.players.first?.currentItem === item { session?.publish() }
    }
}

/// Hears of a session.
///
/// Source: Apple documentation (MPNowPlayingSessionDelegate).
public protocol MPNowPlayingSessionDelegate: NSObjectProtocol {
    /// The desktop shows the session, or another one in its place; called where `becomeActiveIfPossible` was.
    func nowPlayingSessionDidChangeActive(_ nowPlayingSession: MPNowPlayingSession)
    /// Never called: a session can always become active.
    func nowPlayingSessionDidChangeCanBecomeActive(_ nowPlayingSession: MPNowPlayingSession)
}

extension MPNowPlayingSessionDelegate {
    /// Does nothing.
    public func nowPlayingSessionDidChangeActive(_ nowPlayingSession: MPNowPlayingSession) {}
    /// Does nothing.
    public func nowPlayingSessionDidChangeCanBecomeActive(_ nowPlayingSession: MPNowPlayingSession) {}
}

extension AVPlayerItem {
    /// What a session that publishes shows of the item, by the keys of `MPNowPlayingInfoCenter`; nil at first.
    ///
    /// Source: Apple documentation, "nowPlayingInfo" of AVPlayerItem.
    public var nowPlayingInfo: [String: Any]? {
        get { nowPlayingValues }
        set {
            nowPlayingValues = newValue
            MPNowPlayingSession.itemChanged(self)
        }
    }
}
