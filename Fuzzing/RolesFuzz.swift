import AudioModel
import SessionCore
import SessionRuntime

/// AUDIOSESSION_ROLES with any text.
enum RolesFuzz {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let roles = try ForeignRoles(parsing: text)
            for part in text.split(separator: ",") { _ = roles.effect(ofRole: String(part)) }
            _ = roles.effect(ofRole: nil)
        } catch {
            let message = error.message
            require(!message.isEmpty && message == message.printable, "an unprintable message")
        }
        _ = try? MultiRouteSpeaker(parsing: text)
    }
}
