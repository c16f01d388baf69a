package import AudioModel

/// A fact about the programs of the machine, in the past tense; the guard decides what it means.
package enum GuardFact: Hashable, Sendable {
    /// Guards of this server came or went; the only facts, but the loss of the server, that matter to one that waits.
    case guardsChanged(GuardClaimChange)
    /// The server has this name for its life, which no earlier or later one has; before this guard's claim is granted.
    case serverNamed(UInt32)
    /// Outputs came, went or changed, or the default moved. Carries the whole new state.
    case outputsChanged(GuardOutputs)
    /// Inputs or volumes changed. Carries the whole new state.
    case surroundingsChanged(GuardSurroundings)
    /// An output stream of a program came, or what is known of it changed.
    case streamChanged(ProgramStream)
    case streamEnded(UInt64)
    /// The facts so far are one consistent state, not the middle of a burst.
    case settled
    /// The session manager's metadata came or went; without it no stream can be moved.
    case managerChanged(isPresent: Bool)
    /// The connection to the server has ended, and the guard's sinks with it: the server itself may be there still.
    case connectionLost
    /// A time that was asked for has come.
    case timeReached
    /// A program asks for the focus, or asks for something else.
    case holderChanged(FocusHolder)
    case holderLeft(FocusHolder.ID)
    /// A stream that records came, or what is known of it changed.
    case captureChanged(CaptureStream)
    case captureEnded(UInt64)
    /// The holding sink was removed, and another one is being made.
    case holdSinkLost
    /// The ducking sink passes sound on to the output that was named.
    case duckReady
    /// The process may open hardly any file more; without, it loses the server.
    case descriptorsRanOut
}

/// What happens to the claims that guards have on a server.
///
/// A claim ends with the process that made it.
package enum GuardClaimChange: Hashable, Sendable {
    /// The server has this guard's claim, and all that were there before have been told.
    case granted(serial: UInt64)
    /// Another guard's claim came, or what is known of it changed.
    case rivalChanged(GuardRival)
    case rivalLeft(serial: UInt64)
    /// The server refused this guard's claim, or removed it; the text is its own.
    case failed(String)
}

/// Another guard of the same server, or what says that it is one; every text is untrusted.
package struct GuardRival: Hashable, Sendable {
    /// What it is there for.
    package enum Purpose: Hashable, Sendable {
        case guarding
        /// It is there for those that hold the focus alone, and ends with the last of them.
        case focus
        /// It keeps what an earlier guard held, until the next one comes.
        case keeping
        /// It waits for the next guard, which takes over what it holds, and then ends.
        case leaving(GuardHandover)
    }

    /// The position of its claim among those of all guards.
    package var serial: UInt64
    package var name: String
    /// As the server sees it: it may be another one in this process' namespace.
    package var processID: UInt32?
    /// The machine or container that it runs on.
    package var machine: String?
    package var purpose: Purpose
    /// The serials of the claims whose programs it has given the focus.
    package var obeyed: Set<UInt64>

    package init(
        serial: UInt64, name: String, processID: UInt32? = nil, machine: String? = nil,
        purpose: Purpose = .guarding, obeyed: Set<UInt64> = []
    ) {
        self.serial = serial
        self.name = name
        self.processID = processID
        self.machine = machine
        self.purpose = purpose
        self.obeyed = obeyed
    }
}

extension GuardRival {
    var isLeaving: Bool { if case .leaving = purpose { true } else { false } }
}

/// What the guard asks of a host.
package enum GuardCommand: Hashable, Sendable {
    /// This guard has the server: what an earlier one has left is removed, and everything is told from the beginning.
    ///
    /// - sparing: the holding sinks whose streams are taken over, and are not what is left.
    case takeServer(sparing: [String])
    /// The sink that catches what the session manager moves away from a lost output; nil ends it.
    case setCatch(priority: Int?)
    /// Moves the stream to the holding sink, by that sink's name.
    ///
    /// - cutsLinks: the stream's links are removed at once too: its sink is still there and would go on playing.
    case hold(stream: UInt64, cutsLinks: Bool)
    /// Removes the links that the stream has beside those to the holding sink; none where it has none there.
    ///
    /// Without one there, the session manager does not move it, and what is cut stays cut.
    case cutStrays(stream: UInt64)
    /// Moves the stream to the ducking sink, by that sink's name.
    case duck(stream: UInt64)
    /// Makes the ducking sink, at full gain, answered by `duckReady`.
    case openDuck(output: String)
    case linkDuck(output: String)
    case fadeDuck(decibels: Double, seconds: Double)
    /// What is still there is moved to the default by the session manager.
    case closeDuck
    /// What the guard itself says to sessions of this library; nil takes it back.
    case claimFocus(FocusClaim?)
    /// Has the claims of these serials know that they are obeyed, or that what they held is held here.
    case acknowledge([UInt64])
    /// Has the next guard know what this one hands over.
    case announceHandover([KeptHold])
    /// Lets the session manager decide about the stream; `target` is what its user had chosen for it before.
    case release(stream: UInt64, target: String?)
    /// Switches a card to one of its ports, and mutes it there or not; nil leaves its mute as it is. The session manager
    /// remembers both, or neither.
    case switchPort(uid: String, isMuted: Bool?, isRemembered: Bool = true)
    /// Has the session manager take this sink as the output whenever it is there, as a choice in a mixer does; nil takes that
    /// back.
    case configureSink(String?)
    /// Asks for the time to be told.
    case wake(at: HostTime?)
}

/// The outputs of the machine as a session manager ranks them.
package struct GuardOutputs: Hashable, Sendable {
    package enum DefaultSink: Hashable, Sendable {
        case none
        case sink(String)
        /// The guard's own catching sink.
        case `catch`
    }

    package var outputs: [GuardOutput]
    package var defaultSink: DefaultSink
    package var ranking: SinkRanking
    /// The sinks that have several ports.
    package var jacks: [GuardJack]
    /// Its user has chosen the guard's own sink as the output; the ranking has what was configured before.
    package var isCatchChosen: Bool
    /// The server has the guard's catching sink.
    package var hasCatch: Bool

    package init(
        outputs: [GuardOutput] = [], defaultSink: DefaultSink = .none, ranking: SinkRanking = SinkRanking(),
        jacks: [GuardJack] = [], isCatchChosen: Bool = false, hasCatch: Bool = false
    ) {
        self.isCatchChosen = isCatchChosen
        self.hasCatch = hasCatch
        self.outputs = outputs
        self.defaultSink = defaultSink
        self.ranking = ranking
        self.jacks = jacks
    }
}

/// What no decision of the guard rests on: it is in its scene alone.
package struct GuardSurroundings: Hashable, Sendable {
    package var inputs: [Port]
    package var defaultInputUID: String?
    /// Of inputs and outputs, by uid.
    package var volumes: [String: PortVolume]

    package init(
        inputs: [Port] = [], defaultInputUID: String? = nil, volumes: [String: PortVolume] = [:]
    ) {
        self.inputs = inputs
        self.defaultInputUID = defaultInputUID
        self.volumes = volumes
    }
}

/// A sink that its card switches between ports.
package struct GuardJack: Hashable, Sendable {
    package struct Port: Hashable, Sendable {
        /// As `GuardOutput.uid`.
        package var uid: String
        /// What a person calls it; untrusted text.
        package var name: String
        package var kind: PortKind
        /// Many cards call the speaker unavailable while headphones are in.
        package var isAvailable: Bool

        package init(uid: String, name: String, kind: PortKind, isAvailable: Bool = true) {
            self.uid = uid
            self.name = name
            self.kind = kind
            self.isAvailable = isAvailable
        }
    }

    /// The sink's `node.name`; untrusted text.
    package var sink: String
    package var ports: [Port]
    /// The uid of the port that the card is switched to.
    package var active: String
    /// The port that it is switched to is muted.
    package var isMuted: Bool

    package init(sink: String, ports: [Port], active: String, isMuted: Bool = false) {
        self.sink = sink
        self.ports = ports
        self.active = active
        self.isMuted = isMuted
    }

    package func port(_ uid: String) -> Port? { ports.first { $0.uid == uid } }
}

/// One port of a sink.
package struct GuardOutput: Hashable, Sendable {
    /// The sink's `node.name`; untrusted text.
    package var sink: String
    /// Stable over re-plugging; untrusted text.
    package var uid: String
    /// What a person calls it; untrusted text.
    package var name: String
    package var kind: PortKind
    /// The sink is switched to this port.
    package var isActive: Bool
    /// The sink's `priority.session`.
    package var priority: Int
    /// The sink's `device.bus`; untrusted text.
    package var bus: String?

    package init(
        sink: String, uid: String, name: String, kind: PortKind, isActive: Bool = true, priority: Int,
        bus: String? = nil
    ) {
        self.sink = sink
        self.uid = uid
        self.name = name
        self.kind = kind
        self.isActive = isActive
        self.priority = priority
        self.bus = bus
    }
}

/// An output stream of a program that knows nothing of the guard; every text is untrusted.
package struct ProgramStream: Hashable, Sendable {
    /// Where a stream's links lead.
    package enum LinkTarget: Hashable, Sendable {
        case nowhere
        case sink(String)
        /// The loopback by which the session manager gives the stream's role a volume of its own, and the sink that this plays
        /// on, where it does.
        case role(output: String?)
        case `catch`, hold, duck

        /// A sink that is none of the guard's.
        package var isASink: Bool {
            switch self {
            case .sink, .role: true
            case .nowhere, .catch, .hold, .duck: false
            }
        }
    }

    /// What the guard may do with it.
    package enum Standing: Hashable, Sendable {
        case movable
        /// Another one's: a session of this library, an effect, a loopback, or a stream that the session manager does not
        /// move.
        case leftAlone
    }

    /// Never used again while the server lives.
    package var id: UInt64
    package var program: Program
    /// The node's `media.role`.
    package var role: String?
    package var isRunning: Bool
    /// It is muted, or its volume is 0.
    package var isSilent: Bool
    package var linkTarget: LinkTarget
    package var standing: Standing
    /// The target that the user has given it in a mixer, by the name of the sink.
    package var chosenTarget: String?

    package init(
        id: UInt64, program: Program, role: String? = nil, isRunning: Bool = false, isSilent: Bool = false,
        linkTarget: LinkTarget = .nowhere, standing: Standing = .movable, chosenTarget: String? = nil
    ) {
        self.isSilent = isSilent
        self.id = id
        self.program = program
        self.role = role
        self.isRunning = isRunning
        self.linkTarget = linkTarget
        self.standing = standing
        self.chosenTarget = chosenTarget
    }
}

/// Whose streams belong together; every text is untrusted.
package struct Program: Hashable, Sendable, Codable {
    /// The process, or the connection where the server does not tell the process.
    package enum Identity: Hashable, Sendable, Codable {
        case process(UInt32)
        case client(UInt32)
    }

    package var identity: Identity
    package var name: String
    /// The name of the program's file.
    package var binary: String?
    /// The processes that have started it, as far as they are known.
    package var ancestors: [UInt32]

    package init(identity: Identity, name: String, binary: String? = nil, ancestors: [UInt32] = []) {
        self.identity = identity
        self.name = name
        self.binary = binary
        self.ancestors = ancestors
    }

    package var processID: UInt32? { if case .process(let id) = identity { id } else { nil } }
}
