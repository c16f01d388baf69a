/// What happens to a simulated machine, with its times, and what is expected of the app that runs on it.
///
/// A scene is a value and a file. The file has one line an event:
///
///     scene 1
///     title "The headphones leave"
///     plugged headphones
///     at 0s player plays
///     at 2s unplug headphones
///     expect player paused within 50ms
///     expect speaker silent from 2s to 6s
///
/// ``init(text:)`` reads it, and ``text`` writes it. A scene holds stimulus only: what came of it is the history of a run.
public struct AudioScene: Hashable, Sendable {
    /// The version of the format that this library writes, and the newest that it reads.
    public static let version = 1
    /// The most lines of a scene.
    static let maximumLines = 100_000
    /// The most ports, the most other apps and the most programs at a time: each is told of by all the others.
    package static let maximumParties = 500
    /// The most bytes of one line.
    static let maximumLineBytes = 200_000

    /// One sentence for people.
    public var title: String
    /// The report of the bug that the scene stands for; nil for a scene without one.
    public var link: String?
    /// What the machine has built in.
    public var machine: Machine
    /// Ports that no built-in name stands for.
    public var ports: [Port]
    /// The devices that are plugged in at time 0, in this order, besides what is built in.
    public var plugged: [String]
    /// Events and expectations, in the order of the file; the times of events never go back.
    public var lines: [Line]

    /// Creates a scene; ``lines`` whose times go back are read in the order of their times.
    public init(
        title: String = "", link: String? = nil, machine: Machine = .phone, ports: [Port] = [], plugged: [String] = [],
        lines: [Line] = []
    ) {
        self.title = title
        self.link = link
        self.machine = machine
        self.ports = ports
        self.plugged = plugged
        self.lines = lines
    }

    /// The machine of a scene; see `AudioSimulator.Machine`.
    public enum Machine: String, Hashable, Sendable, CaseIterable {
        /// Speaker, receiver and microphone.
        case phone
        /// A card with one sink for its speaker and for a jack, and a microphone.
        case laptop
        /// Line out and a microphone.
        case desktop
        /// A speaker alone.
        case speaker
        /// Nothing: every port must be plugged in.
        case bare
    }

    /// One line of a scene.
    public struct Line: Hashable, Sendable {
        /// What a line says.
        public enum Statement: Hashable, Sendable {
            /// Something happens: these actions at once, as one change of the machine.
            case event(Time, [Action])
            /// Something is expected, after the event above it.
            case expectation(Expectation)
        }

        /// What the line says.
        public var statement: Statement
        /// The line of the scene's file, from 1; 0 for a scene that was made in code.
        ///
        /// No part of the scene's meaning: two lines that differ in it only are equal.
        public var number: Int

        /// Creates a line.
        public init(_ statement: Statement, number: Int = 0) {
            self.statement = statement
            self.number = number
        }

        /// Whether both say the same.
        public static func == (a: Line, b: Line) -> Bool { a.statement == b.statement }
        /// Feeds what the line says into the hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(statement) }
    }

    /// A port that a scene describes itself.
    public struct Port: Hashable, Sendable {
        /// What the scene calls it; also its `uid`.
        public var name: String
        /// Whether sound enters the machine there.
        public var isInput: Bool
        /// The name of the kind, as `PortKind` of the library has it: "headphones", "usbAudio".
        public var kind: String
        /// What `portName` returns; the name if nil.
        public var label: String?
        /// 1...64.
        public var channels: Int
        /// In hertz; 48000 if nil.
        public var hertz: Double?
        /// The device that comes and goes with all of its ports.
        ///
        /// The port's own name if nil.
        public var device: String?
        /// The port whose sink or source has a jack for this one; nil for a port with its own.
        public var jackOf: String?

        /// Creates a port.
        public init(
            _ name: String, isInput: Bool = false, kind: String, label: String? = nil, channels: Int = 2,
            hertz: Double? = nil, device: String? = nil, jackOf: String? = nil
        ) {
            self.name = name
            self.isInput = isInput
            self.kind = kind
            self.label = label
            self.channels = channels
            self.hertz = hertz
            self.device = device
            self.jackOf = jackOf
        }
    }

    /// The names of the built-in devices; see `AudioSimulator.Device` for what they are.
    public static let deviceNames = [
        "speaker", "receiver", "microphone", "line-out", "headphones", "headset", "bluetooth-headphones", "hands-free",
        "bluetooth-headset", "usb-interface", "usb-headphones", "hdmi", "internal-speaker", "jack-headphones",
        "front-microphone", "rear-microphone",
    ]

    /// What a scene calls a real machine's port with this uid: never what stands for a built-in device.
    package static func portName(ofUID uid: String) -> String { deviceNames.contains(uid) ? "port \(uid)" : uid }

    /// What a line may name: the built-in devices, then the scene's own.
    public var knownDevices: [String] {
        Self.deviceNames + ports.flatMap { [$0.name] + ($0.device.map { [$0] } ?? []) }
    }

    /// The events with their times, in order.
    public var events: [(time: Time, actions: [Action], line: Int)] {
        lines.compactMap { line in
            if case .event(let time, let actions) = line.statement { (time, actions, line.number) } else { nil }
        }
    }

    /// Whether an expectation is about where in its sound the app is.
    package var asksForPositions: Bool {
        lines.contains { line in
            if case .expectation(let expectation) = line.statement, case .positionContinues = expectation.fact {
                true
            } else {
                false
            }
        }
    }

    /// When the scene is over: at its `end`, else half a second after the last time that it names.
    public var duration: Time {
        var last = Time.zero
        var anchor = Time.zero
        for line in lines {
            switch line.statement {
            case .event(let time, let actions):
                if actions.contains(.end) { return time }
                anchor = time
                last = max(last, time)
                for case .flap(_, _, let length) in actions { last = max(last, time + length) }
            case .expectation(let expectation): last = max(last, expectation.window.end(after: anchor))
            }
        }
        return last + Time(seconds: 0.5)
    }
}

extension AudioScene {
    /// A time of a scene, to the microsecond: 0 s to 1 000 000 s.
    public struct Time: Hashable, Comparable, Sendable {
        /// The time as a whole number of microseconds.
        public let microseconds: Int

        /// The longest time.
        static let maximum = Time(microseconds: 1_000_000_000_000)
        /// The start of the scene.
        public static let zero = Time(microseconds: 0)

        /// Creates a time; one outside of the range becomes the nearest in it.
        public init(microseconds: Int) { self.microseconds = min(max(microseconds, 0), 1_000_000_000_000) }

        /// Creates a time, to the nearest microsecond; one outside of the range becomes the nearest in it.
        public init(seconds: Double) {
            let product = (seconds * 1e6).rounded()
            self.init(microseconds: product.isNaN ? 0 : Int(min(max(product, 0), 1e12)))
        }

        /// The first frame that is not before this time.
        package func frame(atRate hertz: Int) -> Int { (microseconds * hertz + 999_999) / 1_000_000 }

        /// The time in seconds.
        public var seconds: Double { Double(microseconds) / 1e6 }

        /// Whether the one is before the other.
        public static func < (a: Time, b: Time) -> Bool { a.microseconds < b.microseconds }
        /// The sum of two times.
        public static func + (a: Time, b: Time) -> Time { Time(microseconds: a.microseconds + b.microseconds) }
    }
}
