import CFuzzServer
import CPipeWireShims

/// PODs that are nearly right: each may say another size, type or size of elements than it has.
enum RandomPod {
    private enum Kind: UInt32, CaseIterable {
        case none = 1
        case bool, id, int, long, float, double, string, bytes, rectangle, fraction, bitmap, array, structure, object
        case sequence, pointer, descriptor, choice
    }

    private static let elementTypes: [UInt32] = [
        OAV_POD_INT, OAV_POD_FLOAT, OAV_POD_INT, OAV_POD_FLOAT, OAV_POD_ID, OAV_POD_BOOL, OAV_POD_STRING,
        OAV_POD_STRUCT,
    ].map { UInt32($0.rawValue) }
    private static let texts = ["port.type", "speaker", "Audio/Sink", "Audio/Source", "card.profile.devices", ""]

    /// What a device or node tells in a parameter, with some of its properties in any order.
    static func param(_ param: fuzz_param, _ bytes: inout ByteSource) -> [UInt8] {
        // Source: PipeWire (spa/utils/type.h, spa/param/profile.h, route.h, props.h).
        let (type, values): (UInt32, [(key: UInt32, kind: Kind)]) =
            switch param {
            case FUZZ_ENUM_PROFILE, FUZZ_PROFILE:
                (0x4_0007, [(1, .int), (2, .string), (4, .int), (5, .id), (7, .structure)])
            case FUZZ_ENUM_ROUTE, FUZZ_ROUTE:
                (
                    0x4_0009,
                    [
                        (1, .int), (2, .id), (3, .int), (4, .string), (5, .string), (6, .int), (7, .id),
                        (8, .structure), (9, .array), (10, .object), (11, .array),
                    ]
                )
            default: (0x4_0002, [])
            }
        return object(type, values.isEmpty ? volumes : values, &bytes, depth: 0)
    }

    private static let volumes: [(key: UInt32, kind: Kind)] = [(0x1_0004, .bool), (0x1_0008, .array)]

    static func any(_ bytes: inout ByteSource, depth: Int) -> [UInt8] {
        pod(Kind.allCases[bytes.int(below: Kind.allCases.count)], &bytes, depth: depth)
    }

    private static func object(
        _ type: UInt32, _ values: [(key: UInt32, kind: Kind)], _ bytes: inout ByteSource, depth: Int
    ) -> [UInt8] {
        var body = word(type) + word(UInt32(bytes.byte()))
        for (key, kind) in values {
            switch bytes.int(below: 8) {
            case 0: continue
            case 1: body += word(key) + word(0) + any(&bytes, depth: depth + 1)
            default: body += word(key) + word(0) + pod(kind, &bytes, depth: depth + 1)
            }
        }
        return framed(.object, body, &bytes)
    }

    private static func pod(_ kind: Kind, _ bytes: inout ByteSource, depth: Int) -> [UInt8] {
        guard depth < 5 else { return framed(kind, [], &bytes) }
        switch kind {
        case .none: return framed(kind, [], &bytes)
        case .bool, .id, .int, .float: return framed(kind, word(bytes.id()), &bytes)
        case .string:
            let text = Array(bytes.text(or: texts).utf8)
            return framed(kind, bytes.int(below: 8) == 0 ? text : text + [0], &bytes)
        case .array:
            let size = lie(4, &bytes)
            let type = elementTypes[bytes.int(below: elementTypes.count)]
            let element = bytes.bool() ? [UInt8](repeating: bytes.byte(), count: 4) : [0, 0, 0, 0]
            let count = Int(bytes.byte()) * (bytes.int(below: 16) == 0 ? 16 : 1)
            return framed(kind, word(size) + word(type) + (0..<count).flatMap { _ in element }, &bytes)
        case .structure:
            let body = (0..<bytes.int(below: 6)).flatMap { _ in
                bytes.bool() ? pod(.string, &bytes, depth: depth + 1) : any(&bytes, depth: depth + 1)
            }
            return framed(kind, body, &bytes)
        case .object:
            return object(bytes.bool() ? 0x4_0002 : bytes.id(), volumes, &bytes, depth: depth + 1)
        case .choice:
            return framed(kind, word(bytes.id()) + word(0) + any(&bytes, depth: depth + 1), &bytes)
        case .long, .double, .bytes, .rectangle, .fraction, .bitmap, .sequence, .pointer, .descriptor:
            return framed(kind, (0..<bytes.int(below: 32)).map { _ in bytes.byte() }, &bytes)
        }
    }

    /// With its header, and filled up to a multiple of 8 bytes.
    private static func framed(_ kind: Kind, _ body: [UInt8], _ bytes: inout ByteSource) -> [UInt8] {
        let filling = [UInt8](repeating: 0, count: bytes.int(below: 16) == 0 ? 0 : (8 - body.count % 8) % 8)
        return word(lie(UInt32(body.count), &bytes)) + word(kind.rawValue) + body + filling
    }

    /// Most often the truth.
    private static func lie(_ truth: UInt32, _ bytes: inout ByteSource) -> UInt32 {
        switch bytes.byte() {
        case 0..<0xE0: truth
        case 0xE0..<0xE8: truth &+ UInt32(bytes.byte())
        case 0xE8..<0xF0: truth &- UInt32(bytes.byte())
        case 0xF0..<0xF8: UInt32(bytes.byte()) << 4
        default: bytes.word(UInt32.self)
        }
    }

    private static func word(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
