package import AudioModel

/// A fact about the machine's programs, in the past tense; the guard decides what it means.
package enum GuardFact: Hashable, Sendable {
    /// Guards of this server came or went. A waiting guard reads only this fact, `serverNamed`, `connectionLost`, `holderChanged`
    /// and `holderLeft`.
    case guardsChanged(GuardClaimChange)
    /// The server's name, which is unique to its lifetime; it arrives before this guard's claim is granted.
    case serverNamed(UInt32)
    /// Outputs came, went or changed, or the default moved. Carries the whole new state.
    case outputsChanged(GuardOutputs)
    /// Inputs or volumes changed. Carries the whole new state.
    case surroundingsChanged(GuardSurroundings)
    /// A program's output stream appeared, or its known properties changed.
    case streamChanged(ProgramStream)
    case streamEnded(UInt64)
    /// The facts so far are one consistent state, not the middle of a burst.
    case settled
    /// The session manager's metadata came or went; without it no stream can be moved.
    case managerChanged(isPresent: Bool)
    /// The connection to the server has ended, and with it the guard's sinks. The server itself may still run.
    case connectionLost
    /// The time of the last `wake` command has come.
    case timeReached
    /// A program asks for the focus, or changes its request.
    case holderChanged(FocusHolder)
    case holderLeft(FocusHolder.ID)
    /// A recording stream appeared, or its known properties changed.
    case captureChanged(CaptureStream)
    case captureEnded(UInt64)
    /// The holding sink was removed, and the host creates another one.
    case holdSinkLost
    /// The ducking sink passes its sound on to the requested output.
    case duckReady
    /// The process can open almost no more files; without file descriptors, it loses the server.
    case descriptorsRanOut
}

/// A change to the guards' claims on a server.
///
/// A claim ends with the process that made it.
package enum GuardClaimChange: Hashable, Sendable {
    /// The server has granted this guard's claim, and all earlier claims were reported.
    case granted(serial: UInt64)
    /// Another guard's claim appeared, or its known properties changed.
    case rivalChanged(GuardRival)
    case rivalLeft(serial: UInt64)
    /// The server refused or removed this guard's claim; the text is the server's.
    case failed(String)
}

/// Another guard of the same server, or a program that claims to be one; every text is untrusted.
package struct GuardRival: Hashable, Sendable {
    /// Why the guard runs.
    package enum Purpose: Hashable, Sendable {
        case guarding
        /// It serves only the focus holders, and ends with the last of them.
        case focus
        /// It keeps an earlier guard's holds until the next guard comes.
        case keeping
        /// It waits until the next guard has taken over its holds, and then ends.
        case leaving(GuardHandover)
    }

    /// The serial of its claim, which orders all guards.
    package var serial: UInt64
    package var name: String
    /// The process id that the server reports; in this process' namespace, the number may belong to another process.
    package var processID: UInt32?
    /// The machine or container on which it runs.
    package var machine: String?
    package var purpose: Purpose
    /// The serials of the focus claims that it obeys, and of the guards' claims whose holds it has taken over.
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

/// A request from the guard to a host.
package enum GuardCommand: Hashable, Sendable {
    /// This guard owns the server: remove what an earlier guard left, and report every fact from the beginning.
    ///
    /// - sparing: the holding sinks whose streams are taken over; they are not removed.
    case takeServer(sparing: [String])
    /// Create or change the sink that catches streams when their output is lost; nil ends it.
    case setCatch(priority: Int?)
    /// Move the stream to the holding sink, by that sink's name.
    ///
    /// - cutsLinks: whether to also remove the stream's links at once: its sink still exists and would continue to play.
    case hold(stream: UInt64, cutsLinks: Bool)
    /// Remove the links that the stream has besides those to the holding sink; does nothing where it has no link to that sink.
    ///
    /// Without one, the session manager does not move the stream, and what is cut stays cut.
    case cutStrays(stream: UInt64)
    /// Move the stream to the ducking sink, by that sink's name.
    case duck(stream: UInt64)
    /// Have the session manager link the recording stream to this microphone; `release` takes that back.
    case giveMicrophone(stream: UInt64, node: String)
    /// Create the ducking sink at full gain; the answer is `duckReady`.
    case openDuck(output: String)
    case linkDuck(output: String)
    case fadeDuck(decibels: Double, seconds: Double)
    /// End the ducking sink; the session manager moves the remaining streams to the default.
    case closeDuck
    /// Make the guard's own claim on sessions of this library; nil removes it.
    case claimFocus(FocusClaim?)
    /// Tell the claims with these serials that the guard obeys them, or that it has taken over their holds.
    case acknowledge([UInt64])
    /// Publish these holds for the next guard.
    case announceHandover([KeptHold])
    /// Let the session manager decide about the stream; `target` is the target that the user had chosen before.
    case release(stream: UInt64, target: String?)
    /// Switch a card to one of its ports, and mute or unmute that port; nil leaves its mute unchanged. The session manager
    /// remembers the port and the mute, or neither.
    case switchPort(uid: String, isMuted: Bool?, isRemembered: Bool = true)
    /// Have the session manager use this sink as the output whenever it exists, like a choice in a mixer; nil removes that
    /// choice.
    case configureSink(String?)
    /// Report `timeReached` at this time; nil cancels the request.
    case wake(at: HostTime?)
}

/// The machine's outputs, with the data by which a session manager ranks them.
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
    /// The user has chosen the guard's own sink as the output; `ranking` holds what was configured before.
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

/// Inputs and volumes; they appear in the guard's scene, and its only decision about them is which microphone a program gets.
package struct GuardSurroundings: Hashable, Sendable {
    package var inputs: [Port]
    /// The inputs that streams can be linked to, best first.
    package var microphones: [GuardMicrophone] = []
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

/// An input as the session manager can link it.
package struct GuardMicrophone: Hashable, Sendable {
    /// Its `node.name`; untrusted text.
    package var node: String
    /// A readable name; untrusted text.
    package var name: String
    package var kind: PortKind

    package init(node: String, name: String, kind: PortKind) {
        self.node = node
        self.name = name
        self.kind = kind
    }
}

/// A sink that its card switches between ports.
package struct GuardJack: Hashable, Sendable {
    package struct Port: Hashable, Sendable {
        /// As `GuardOutput.uid`.
        package var uid: String
        /// A readable name; untrusted text.
        package var name: String
        package var kind: PortKind
        /// Whether the port is available; many cards report the speaker as unavailable while headphones are in.
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
    /// The uid of the port to which the card is switched.
    package var active: String
    /// The active port is muted.
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
    /// A readable name; untrusted text.
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

/// An output stream of a program that does not know the guard; every text is untrusted.
package struct ProgramStream: Hashable, Sendable {
    /// Where a stream's links lead.
    package enum LinkTarget: Hashable, Sendable {
        case nowhere
        case sink(String)
        /// The loopback through which the session manager gives the stream's role its own volume, and the sink on which the
        /// loopback plays; nil if it plays on none.
        case role(output: String?)
        case `catch`, hold, duck

        /// A sink that does not belong to the guard.
        package var isASink: Bool {
            switch self {
            case .sink, .role: true
            case .nowhere, .catch, .hold, .duck: false
            }
        }
    }

    /// What the guard may do with the stream.
    package enum Standing: Hashable, Sendable {
        case movable
        /// It belongs to a session of this library, and the guard must not move it.
        case session
        /// The guard must not move it: it belongs to an effect or a loopback, or the session manager does not move it.
        case leftAlone
    }

    /// Unique while the server lives.
    package var id: UInt64
    package var program: Program
    /// The node's `media.role`.
    package var role: String?
    package var isRunning: Bool
    /// The stream is muted, or its volume is 0.
    package var isSilent: Bool
    package var linkTarget: LinkTarget
    package var standing: Standing
    /// The target that the user chose for the stream in a mixer: the name of a sink.
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

/// The program to which streams belong; every text is untrusted.
package struct Program: Hashable, Sendable, Codable {
    /// The process, or the server's client if the server does not report the process.
    package enum Identity: Hashable, Sendable, Codable {
        case process(UInt32)
        case client(UInt32)
    }

    package var identity: Identity
    package var name: String
    /// The name of the program's executable file.
    package var binary: String?
    /// The ids of its parent process and the parents above it, as far as known.
    package var ancestors: [UInt32]

    package init(identity: Identity, name: String, binary: String? = nil, ancestors: [UInt32] = []) {
        self.identity = identity
        self.name = name
        self.binary = binary
        self.ancestors = ancestors
    }

    package var processID: UInt32? { if case .process(let id) = identity { id } else { nil } }

    /// - Parameter word: a name, a binary or a process id; case is ignored.
    package func answers(to word: String) -> Bool {
        let word = word.lowercased()
        return name.lowercased() == word || binary?.lowercased() == word || processID.map(String.init) == word
    }
}
