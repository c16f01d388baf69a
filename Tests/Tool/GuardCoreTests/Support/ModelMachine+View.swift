import AudioModel

@testable import GuardCore

// What tests see of a machine.
extension ModelMachine {
    var sinks: [Sink] { system.sinks }
    var catchPriority: Int? { system.catchPriority }
    var hasManager: Bool { system.hasManager }
    var defaultSink: GuardOutputs.DefaultSink { system.defaultSink }
    /// The sink that the session manager would choose without the guard.
    var realDefault: String? { system.realDefault }

    /// Where each stream has sounded, without repetition.
    var heard: [UInt64: [String]] { own.hearing.ports }
    /// How much lower each stream was heard, without repetition.
    var levels: [UInt64: [Double]] { own.hearing.levels }

    /// The sinks to which streams have a link that the session manager has forgotten.
    var strays: [UInt64: String] { own.strays }

    /// Streams that were moved back before their guard was told of their arrival.
    var hurried: [UInt64] { journeys.hurried }

    func linkTarget(_ id: UInt64) -> ProgramStream.LinkTarget? { streams[id]?.linkTarget }
    var newestID: UInt64 { nextID - 1 }
    var heldIDs: [UInt64] { guardMachine.held.map(\.stream.id) }

    /// Those of them that stand at the holding sink, or are on their way there.
    var parkedIDs: [UInt64] { guardMachine.held.filter(\.hold.isParked).map(\.stream.id) }

    /// Streams whose target names a sink of no guard.
    var orphans: [UInt64] { streams.values.filter { $0.isHeld && !isAtAHold($0) }.map(\.id).sorted() }

    /// All that stand still, also for an instant.
    var standingIDs: [UInt64] { guardMachine.standing.filter(\.hold.isParked).map(\.stream.id) }
    var isQuiet: Bool { facts.isEmpty }
}
