import OpenAVFAudio
import SessionCore

/// Plays files and tells the story to a display.
///
/// The verb's thread; it never waits but for the session.
final class PlayRunner {
    /// What reaches a run from outside.
    enum Input: Sendable {
        /// News of a player, by the number of its making.
        case player(Int, PlayerNews, time: Double)
        case studio(StudioEvent, time: Double)
        case key(Key)
        case signal(Signals.Event)
    }

    let studio: any Studio
    let plan: PlayPlan
    let stopwatch: Stopwatch
    let deliver: @Sendable (Input) -> Void
    private let display: any Display

    private(set) lazy var lanes = plan.lanes.map { Lane(items: $0, run: self) }
    private var playerCount = 0
    private var hasShownLoss = false
    /// The time of the newest line.
    private var lastTime = 0.0
    /// Between two looks at the levels there is a cycle at least (8192 frames at 96 kHz take 85 ms).
    private static let levelSeconds = 0.09
    /// By the output's uid.
    private var levels: [String: [Float]] = [:]
    private var levelTime = -Double.infinity

    var volume: Float
    /// As long as it fits the output, and nobody has chosen another under multiRoute.
    var channelMap: [Int]?
    /// The simulated telephone rings.
    var isInCall = false
    /// While the person looks at the outputs.
    var picker: DevicePicker?
    /// What the chosen output is called while it is away.
    var chosenName = ""

    /// The last file has ended, or someone wants to leave.
    private(set) var isDone = false
    /// A file could not be played to its end.
    private(set) var hasFailed = false

    /// - Parameter deliver: called on other threads; brings the input to `handle` on the verb's thread.
    init(
        studio: any Studio, plan: PlayPlan, display: any Display, stopwatch: Stopwatch,
        deliver: @escaping @Sendable (Input) -> Void
    ) {
        self.studio = studio
        self.plan = plan
        self.display = display
        self.stopwatch = stopwatch
        self.deliver = deliver
        volume = plan.volume
        channelMap = plan.channelMap
    }

    func begin() {
        studio.observe { [stopwatch, deliver] event in deliver(.studio(event, time: stopwatch.seconds)) }
        let start = Event.Start(
            version: Version.current, host: studio.hostName, clock: stopwatch.zero, files: plan.items.map(\.name),
            currentRoute: studio.currentRoute)
        display.show(Event(time: 0, fact: .started(start)))
        if plan.choice != .automatic { showChoice() }
        for lane in lanes { lane.playNext() }
        endIfAllHaveEnded()
    }

    func handle(_ input: Input) {
        guard !isDone else { return }
        switch input {
        case .player(let number, let news, let time):
            if let lane = lanes.first(where: { $0.number == number && !$0.isDone }) { follow(news, of: lane, time) }
        case .studio(let event, let time): follow(event, time)
        case .key(let key): press(key)
        case .signal(.leave): isDone = true
        case .signal(.resize), .signal(.stop), .signal(.continue): break
        }
        endIfAllHaveEnded()
        if display.isClosed { isDone = true }
    }

    func leave() { isDone = true }

    /// Pauses for as long as the process is stopped; `release` takes it back.
    func hold() { for lane in lanes { lane.hold() } }

    func release() { for lane in lanes { lane.release() } }

    /// Fades out, frees the players, and lets those go on that were interrupted.
    ///
    /// Waits for the fades.
    func close() {
        isDone = true
        for lane in lanes { lane.close() }
        studio.deactivate()
    }

    private func endIfAllHaveEnded() {
        if lanes.allSatisfy(\.isDone) { isDone = true }
    }

    // MARK: News

    private func follow(_ news: PlayerNews, of lane: Lane, _ time: Double) {
        let file = lane.fileName ?? ""
        switch news {
        case .status(let status):
            if status.state == .ready { return }
            show(.player(status, file: file), time: time)
            lane.follow(status)
        case .channelMapReset(let reset):
            channelMap = nil
            show(.channelMapReset(reset, file: file), time: time)
        }
    }

    private func follow(_ event: StudioEvent, _ time: Double) {
        show(event.fact, time: time)
        switch event {
        case .mediaServicesLost:
            hasShownLoss = true
            endIfLost()
        case .mediaServicesReset: for lane in lanes { lane.resumeAfterLoss() }
        case .routeChanged, .availableInputsChanged, .interruptionBegan, .interruptionEnded, .secondaryAudioHint: break
        }
    }

    func laneWasLost(_ lane: Lane, _ error: StudioError) {
        switch plan.serverLoss {
        case .quit:
            show(error, of: lane, isFailure: true)
            endIfLost()
        case .wait: break
        case .resume: lane.resumeAfterLoss()
        }
    }

    /// Nothing more comes, once the loss and the end of each player were told.
    private func endIfLost() {
        if plan.serverLoss == .quit, hasShownLoss, lanes.allSatisfy({ $0.isLost || $0.isDone }) { isDone = true }
    }

    func nextPlayerNumber() -> Int {
        playerCount += 1
        return playerCount
    }

    // MARK: The picture

    /// Whether the picture changes by itself.
    var isMoving: Bool { picker != nil || lanes.contains(where: \.isPlaying) }

    /// How loud each output was since the last look; only while somebody looks.
    func readLevels() {
        guard picker != nil else {
            levelTime = -.infinity
            return
        }
        let now = stopwatch.seconds
        guard now - levelTime >= Self.levelSeconds else { return }
        levelTime = now
        levels = [:]
        for player in lanes.compactMap(\.player) { levels.merge(player.takeLevels(), uniquingKeysWith: Self.loudest) }
    }

    private static func loudest(_ one: [Float], _ other: [Float]) -> [Float] {
        (0..<max(one.count, other.count)).map { index in
            max(index < one.count ? one[index] : 0, index < other.count ? other[index] : 0)
        }
    }

    /// What a moving display shows now; nil between files.
    var nowPlaying: NowPlaying? {
        let tracks = lanes.compactMap(\.track)
        guard !tracks.isEmpty else { return nil }
        return NowPlaying(
            tracks: tracks, volume: volume, route: studio.currentRoute, isSimulated: studio.phone != nil,
            hindrance: lanes.lazy.compactMap(\.hindrance).first,
            picker: picker?.picture(
                of: outputs, levels: levels, awayName: chosenName,
                isMultiRoute: plan.configuration.category == .multiRoute, canChoose: plan.canChooseOutput))
    }

    // MARK: Telling

    /// - Parameters:
    ///   - isFailure: a file, or the rest of it, is not played.
    ///   - endsTheRun: nothing more can be played.
    func show(_ error: StudioError, of lane: Lane?, isFailure: Bool = false, endsTheRun: Bool = false) {
        if isFailure || endsTheRun { hasFailed = true }
        if endsTheRun { isDone = true }
        show(.error(code: error.code, message: error.message, file: lane?.fileName), time: stopwatch.seconds)
    }

    func show(_ fact: Event.Fact, time: Double) {
        // News is stamped on the threads that bring it: two may swap places on the way, by microseconds.
        lastTime = max(lastTime, time)
        display.show(Event(time: lastTime, fact: fact))
    }
}
