import Glibc

/// The bytes of a file on a server from any place, or of a radio station; connected again where a connection is cut.
///
/// One thread at a time; waits for the server.
final class ServerSound: SoundSource {
    private let address: HTTPAddress
    private let trust: ServerTrust
    private let limits: ServerLimits
    private let cancellation: Cancellation
    /// nil while there is none.
    private var response: HTTPResponse?
    /// Of the file that was begun: another one is not joined to it.
    private let version: FileVersion
    /// Of `response`, where it sends titles.
    private var titles: StationTitles?
    /// Of `response`, a station's, until its first frame has come.
    private var start: StationStart?
    /// What came last, and was not taken.
    private var title: String?
    /// Of the next byte that `response` gives.
    private var place: Int64 = 0
    /// Bytes that it has given; 0 without a response.
    private var count: Int64 = 0
    private var reconnection = Reconnection()
    /// nil once the sound can be played.
    private var openingLimit: WaitLimit?

    /// Connections without a byte in which a server ends a file before the length that it told.
    private static let emptyLimit = 2

    init(
        _ address: HTTPAddress, trust: ServerTrust, limits: ServerLimits, cancellation: Cancellation
    ) throws(ServerFault) {
        (self.address, self.trust, self.limits, self.cancellation) = (address, trust, limits, cancellation)
        let opening = limits.openingSeconds
        openingLimit = WaitLimit(seconds: opening, .openedTooSlowly(seconds: opening), cancellation)
        let response = try HTTPResponse(
            address, from: 0, trust: trust, redirections: limits.redirections, limits.answer(cancellation))
        self.response = response
        titles = StationTitles(response.head)
        let head = response.head
        version = head.version
        let isLive = head.isStation
        start = isLive ? StationStart() : nil
        let range = head.status == 206 ? head.contentRange : nil
        guard head.status == 200 || range?.first == 0 else { throw .otherPart }
        let told = range == nil ? head.contentLength : range?.size
        let size = isLive || head.transferEncoding != nil ? nil : told
        let hasParts = range != nil || head["accept-ranges"]?.lowercased() == "bytes"
        super.init(size: size, isLive: isLive, isSeekable: !isLive && size ?? 0 > 0 && hasParts, StreamTraffic())
        traffic.countRequest()
    }

    override func endOpening() { openingLimit = nil }

    override func takeTitle() -> String? { title.take() }

    override func bytes(at offset: Int64, into room: UnsafeMutableRawBufferPointer) throws(ServerFault) -> Int {
        if response != nil, place != offset, !isLive { try move(to: offset, room) }
        var emptyConnections = 0
        while true {
            var failure = ServerFault.lost
            do throws(ServerFault) {
                let got = try read(at: offset, room)
                guard got == 0 else { return got }
                if size == nil, !isLive { return 0 }
                if count == 0, !isLive { emptyConnections += 1 }
                if emptyConnections >= Self.emptyLimit { return 0 }
            } catch .status(let status) where offset > 0 && status == 416 {
                // The server has told a length that it does not have.
                return 0
            } catch {
                if error.isFinal { throw error }
                failure = error
            }
            response = nil
            guard isSeekable || isLive else { throw failure }
            try waitBeforeAttempt(failure)
        }
    }

    /// From the connection that there is, or another one.
    private func read(at offset: Int64, _ room: UnsafeMutableRawBufferPointer) throws(ServerFault) -> Int {
        if response == nil { try connect(at: offset) }
        guard let response else { return 0 }
        var got = takeStart(into: room)
        // A title alone is no end.
        while got == 0 {
            let received = try response.read(into: room, limit)
            if received == 0 {
                start?.end()
                got = takeStart(into: room)
                if got == 0 { return 0 }
            } else {
                got = takeTitle(UnsafeMutableRawBufferPointer(rebasing: room[..<received]))
                if start != nil {
                    start?.put(UnsafeRawBufferPointer(rebasing: room[..<got]))
                    got = takeStart(into: room)
                }
            }
        }
        place += Int64(got)
        count += Int64(got)
        return got
    }

    /// What was held until a station's first frame was known.
    private func takeStart(into room: UnsafeMutableRawBufferPointer) -> Int {
        let got = start?.take(into: room) ?? 0
        if start?.isDone == true { start = nil }
        return got
    }

    /// - Returns: how many bytes of sound are left, at the front.
    private func takeTitle(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let taken = titles?.take(bytes) else { return bytes.count }
        if let title = taken.title { self.title = title }
        return taken.sound
    }

    private func connect(at offset: Int64) throws(ServerFault) {
        count = 0
        let first = isLive ? 0 : offset
        guard isSeekable || first == 0 else { throw .lost }
        let condition = isLive || first == 0 ? nil : version.condition
        let response = try HTTPResponse(
            address, from: first, ifStill: condition, trust: trust, redirections: limits.redirections, limit)
        let head = response.head
        if !isLive {
            guard !head.version.isOther(than: version) else { throw .changed }
            // The whole file instead of a part is the answer to a condition that does not hold.
            let given = head.status == 206 ? head.contentRange?.first : 0
            guard given == first else {
                throw condition != nil && head.version.condition == nil ? .changed : .otherPart
            }
        }
        traffic.countRequest()
        (self.response, titles) = (response, StationTitles(head))
        start = isLive ? StationStart() : nil
        place = offset
    }

    private func move(to offset: Int64, _ room: UnsafeMutableRawBufferPointer) throws(ServerFault) {
        guard !isSeekable else { return response = nil }
        guard offset > place else { throw .withoutParts }
        while place < offset {
            let piece = UnsafeMutableRawBufferPointer(rebasing: room[..<Int(min(Int64(room.count), offset - place))])
            guard try read(at: place, piece) > 0 else { return }
        }
    }

    private var limit: WaitLimit { limits.answer(cancellation).orEarlier(openingLimit) }

    private func waitBeforeAttempt(_ failure: ServerFault) throws(ServerFault) {
        guard let delay = reconnection.delay(after: count, isLive: isLive) else { throw failure }
        let pause = WaitLimit(seconds: delay, failure, cancellation).orEarlier(openingLimit)
        do throws(ServerFault) {
            while true {
                try pause.check()
                poll(nil, 0, pause.pollMilliseconds)
            }
        } catch failure {
            return
        }
    }
}

/// How long to wait before a connection that was closed is made again; a pure value.
struct Reconnection {
    /// In a row that gave less than `progressBytes`.
    private var attempts = 0

    /// Their sum is what a server may be away.
    private static let delays: [Double] = [0, 0.25, 0.5, 1, 2, 4, 8]
    /// A connection that gives so much is made again at once.
    static let progressBytes: Int64 = 4096
    /// The longest delay after a connection that gave something, by its place in `delays`: 1 s.
    private static let slowestProgress = 3

    /// - Parameter bytes: that the last connection gave; 0 where there was none.
    /// - Returns: nil where the server is given up: one that gives nothing, and a station that gives little. A file is played on
    ///   as long as each connection brings some of it.
    mutating func delay(after bytes: Int64, isLive: Bool) -> Double? {
        if bytes >= Self.progressBytes {
            attempts = 0
        } else if bytes > 0, !isLive {
            attempts = min(attempts, Self.slowestProgress)
        }
        guard attempts < Self.delays.count else { return nil }
        defer { attempts += 1 }
        return Self.delays[attempts]
    }
}
