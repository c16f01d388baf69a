import AudioModel
import SessionCore

@testable import HostPipeWire

/// Other programs' claims and streams with any content, and what a session makes of them.
enum ClaimsFuzz {
    private static let categories = SessionCategory.allCases.map(\.claimWord)
    private static let modes = SessionMode.allCases.map(\.claimWord)
    private static let policies = SessionPolicy.allCases.map(\.claimWord)
    private static let roles = ["Music", "Communication", "Notification", "Game", "none", ""]

    static func run(_ bytes: ByteSource) {
        var bytes = bytes
        var programs = PipeWireProgramTracker()
        var session = SessionFeed()
        var serials: [UInt64] = []
        var time = HostTime.zero
        session.apply(.host(.inventoryChanged(.empty)))
        while !bytes.isAtEnd {
            time = time.advanced(bySeconds: [0, 0.05, 0.2, 1][bytes.int(below: 4)])
            switch bytes.int(below: 6) {
            case 0:
                // The server hands them out in their order.
                let serial = (serials.last ?? 0) + 1 + UInt64(bytes.int(below: 3))
                serials.append(serial)
                let isClaim = bytes.bool()
                programs.added(serial, clientID: client(&bytes), isClaim: isClaim)
            case 1, 2:
                guard let serial = serials.randomElement(using: &bytes) else { break }
                let options = bytes.optionalText(or: ["0", "1", "32", "18446744073709551615", "-1", "x"])
                let claim = PipeWireClaim(
                    serial: ClaimSerial(number: serial), clientID: client(&bytes),
                    category: bytes.optionalText(or: categories), mode: bytes.optionalText(or: modes),
                    policy: bytes.optionalText(or: policies), options: options,
                    name: bytes.optionalText(or: ["player"]), isWaiting: bytes.bool(), notifiesOthers: bytes.bool())
                require(claim.name.unicodeScalars.count <= 128, "a long name")
                programs.changed(claim, isForeign: bytes.bool())
            case 3:
                guard let serial = serials.randomElement(using: &bytes) else { break }
                let stream = PipeWireOtherStream(
                    serial: serial, clientID: client(&bytes), isRunning: bytes.bool(),
                    role: bytes.optionalText(or: roles), name: bytes.optionalText(or: ["player"]))
                programs.changed(stream, isForeign: bytes.bool(), at: time)
            case 4:
                guard let serial = serials.randomElement(using: &bytes) else { break }
                if programs.removed(serial, at: time) { programs.departed(serial, at: time) }
            default: programs.debounce(at: time)
            }
            for event in programs.drainEvents() { session.apply(.host(event)) }
        }
    }

    private static func client(_ bytes: inout ByteSource) -> UInt32? { bytes.bool() ? bytes.id() : nil }
}
