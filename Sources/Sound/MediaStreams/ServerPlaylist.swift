package import AudioFiles
import Foundation

/// The text of a playlist on a server.
package struct ServerPlaylist: Sendable {
    package let bytes: [UInt8]
    /// Where it was found, after redirections.
    private let place: HTTPAddress

    /// A list of 10 000 long addresses.
    private static let mostBytes = 1 << 20
    private static let endings = ["m3u", "m3u8", "pls"]

    /// Whether the path of an address ends as that of a playlist.
    package static func isNamed(_ address: String) -> Bool {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        return endings.contains { path.lowercased().hasSuffix("." + $0) }
    }

    /// Waits for the server.
    ///
    /// - Returns: nil where there is no text of at most 1 MB, but a sound perhaps.
    /// - Throws: `notFound`, `notReadable`, `unreachable` or `cancelled`.
    package static func read(
        _ address: String, trust: ServerTrust, limits: ServerLimits = ServerLimits(), cancellation: Cancellation
    ) throws(AudioFileError) -> ServerPlaylist? {
        do throws(ServerFault) {
            guard let start = HTTPAddress(address) else { throw .notAnAddress }
            let opening = limits.openingSeconds
            let end = WaitLimit(seconds: opening, .openedTooSlowly(seconds: opening), cancellation)
            func limit() -> WaitLimit { limits.answer(cancellation).orEarlier(end) }
            let response = try HTTPResponse(
                start, from: 0, trust: trust, redirections: limits.redirections, limit())
            var bytes: [UInt8] = []
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
            defer { room.deallocate() }
            while case let count = try response.read(into: room, limit()), count > 0 {
                let block = room[..<count]
                // No text has this byte, and every sound has it soon.
                guard !block.contains(0), bytes.count + count <= mostBytes else { return nil }
                bytes += block
            }
            return ServerPlaylist(bytes: bytes, place: response.address)
        } catch {
            throw error.error(address: address.withoutAddressPassword)
        }
    }

    /// Where an entry leads; nil where that is no http or https address: a playlist from elsewhere names no file of this computer.
    package func address(of entry: String) -> String? {
        if AudioFileReader.isAddress(entry) { return HTTPAddress(entry).map { _ in entry } }
        return place.redirected(to: entry.replacingOccurrences(of: "\\", with: "/"))?.textWithCredentials
    }
}
