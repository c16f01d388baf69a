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
    /// Of `response`, where it sends titles.
    private var titles: StationTitles?
    /// What came last, and was not taken.
    private var title: String?
    /// Of the next byte that `response` gives.
    private var place: Int64 = 0
    /// Bytes that it has given.
    private var count: Int64 = 0
    /// Connections made since bytes came for a while.
    private var attempts = 0
    /// nil once the sound can be played.
    private var openingLimit: WaitLimit?

    /// The waits before a connection is made again; their sum is what a server may be away.
    private static let delays: [Double] = [0, 0.25, 0.5, 1, 2, 4, 8]
    /// Connections without a byte in which a server ends a file before the length that it told.
    private static let emptyLimit = 2

    init(
        _ address: HTTPAddress, trust: ServerTrust, limits: ServerLimits, cancellation: Cancellation
    ) throws(ServerFault) {
        (self.address, self.trust, self.limits, self.cancellation) = (address, trust, limits, cancellation)
        let opening = limits.openingSeconds
        openingLimit = WaitLimit(seconds: opening, .openedTooSlowly(seconds: opening), cancellation)
        let response = try HTTPResponse.get(
            address, from: 0, trust: trust, redirections: limits.redirections, limits.answer(cancellation))
        self.response = response
        titles = StationTitles(response.head)
        let head = response.head
        let isLive = head.isStation
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
            } catch .status(let status, _) where offset > 0 && status == 416 {
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
        var got = 0
        // A title alone is no end.
        repeat {
            let received = try response.read(into: room, limit)
            if received == 0 { return 0 }
            got = takeTitle(UnsafeMutableRawBufferPointer(rebasing: room[..<received]))
        } while got == 0
        place += Int64(got)
        count += Int64(got)
        if count > 65_536 { attempts = 0 }
        return got
    }

    /// - Returns: how many bytes of sound are left, at the front.
    private func takeTitle(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let taken = titles?.take(bytes) else { return bytes.count }
        if let title = taken.title { self.title = title }
        return taken.sound
    }

    private func connect(at offset: Int64) throws(ServerFault) {
        let start = isLive ? 0 : offset
        guard isSeekable || start == 0 else { throw .lost }
        let response = try HTTPResponse.get(
            address, from: start, trust: trust, redirections: limits.redirections, limit)
        let given = response.head.status == 206 ? response.head.contentRange?.first : 0
        guard isLive || given == start else { throw .otherPart }
        traffic.countRequest()
        (self.response, titles) = (response, StationTitles(response.head))
        (place, count) = (offset, 0)
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
        guard attempts < Self.delays.count else { throw failure }
        let pause = WaitLimit(seconds: Self.delays[attempts], failure, cancellation).orEarlier(openingLimit)
        attempts += 1
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
