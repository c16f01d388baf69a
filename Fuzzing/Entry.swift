import Foundation

/// What the fuzzer gives its bytes to; each name is a folder of `Corpus`.
enum FuzzTarget: String, CaseIterable {
    case inventory, pods, claims, session, transport, events, files, roles, scenes, plan, titles, speech, conf

    /// Ends the process where something is wrong.
    func run(_ bytes: [UInt8]) {
        switch self {
        case .inventory: InventoryFuzz.run(ByteSource(bytes))
        case .pods: PodsFuzz.run(ByteSource(bytes))
        case .claims: ClaimsFuzz.run(ByteSource(bytes))
        case .session: SessionFuzz.run(ByteSource(bytes))
        case .transport: TransportFuzz.run(ByteSource(bytes))
        case .events: EventsFuzz.run(ByteSource(bytes))
        case .files: FilesFuzz.run(bytes)
        case .roles: RolesFuzz.run(bytes)
        case .scenes: ScenesFuzz.run(bytes)
        case .plan: PlanFuzz.run(ByteSource(bytes))
        case .titles: TitlesFuzz.run(bytes)
        case .speech: SpeechFuzz.run(bytes)
        case .conf: ConfFuzz.run(bytes)
        }
    }

    /// From the environment: libFuzzer has the arguments for itself.
    static let chosen: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["OAV_FUZZ_TARGET"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            FileHandle.standardError.write(Data("OAV_FUZZ_TARGET is \"\(name)\". Set it to one of: \(names).\n".utf8))
            exit(2)
        }
        atexit { print("stat::number_of_events: \(EventCount.count)") }
        return target
    }()
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.chosen.run(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

/// Stops the fuzzer: it keeps the input as a crash.
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { fatalError(what()) }
}

/// How many events the machines of a target have taken; an execution is a sequence of them.
enum EventCount {
    /// libFuzzer runs one input after the other, on one thread.
    nonisolated(unsafe) private(set) static var count: UInt64 = 0

    static func note() { count += 1 }
}
