import AudioModel
import TestSupport
import Testing

@testable import GuardCore

/// Which microphone a program gets that opens the headset's.
struct HeadsetRuleTests: GuardScenes {
    private static let ofMachine = GuardMicrophone(node: "built-in", name: "Microphone", kind: .builtInMic)
    private static let ofHeadset = GuardMicrophone(node: "bluez", name: "Headset", kind: .bluetoothHFP)

    private static func options() -> GuardOptions {
        var options = GuardOptions()
        options.keepsHeadset = true
        return options
    }

    private func capture(
        _ program: Program = .dictation, role: String? = nil, opensHeadset: Bool = true, isMovable: Bool = true,
        target: String? = nil, id: UInt64 = 90
    ) -> GuardEvent {
        var stream = CaptureStream(id: id, program: program, hearsMicrophone: true)
        (stream.role, stream.isMovable) = (role, isMovable)
        (stream.opensHeadset, stream.target) = (opensHeadset, target)
        return .fact(.captureChanged(stream))
    }

    private func plugged(
        _ options: GuardOptions = options(), _ microphones: [GuardMicrophone] = [ofHeadset, ofMachine]
    ) -> ModelMachine {
        var machine = machine(options)
        var surroundings = GuardSurroundings()
        surroundings.microphones = microphones
        machine.ask(.fact(.surroundingsChanged(surroundings)))
        return machine
    }

    private static let gift = GuardCommand.giveMicrophone(stream: 90, node: "built-in")
    private static let end = GuardCommand.release(stream: 90, target: nil)

    private func steps(_ machine: ModelMachine) -> [GuardCommand] {
        machine.commands.filter {
            switch $0 {
            case .giveMicrophone, .release: true
            default: false
            }
        }
    }

    /// The program has the other microphone, as the server says.
    private func given(_ options: GuardOptions = options()) -> ModelMachine {
        var machine = plugged(options)
        machine.ask(capture())
        machine.ask(capture(opensHeadset: false, target: "built-in"))
        return machine
    }

    @Test func nothingIsDone_byDefault() {
        var machine = plugged(GuardOptions())
        machine.ask(capture())
        machine.wait(seconds: 5)
        #expect(steps(machine) == [] && machine.log == [])
    }

    @Test func program_getsTheOtherMicrophone_once() {
        let machine = given()
        #expect(steps(machine) == [Self.gift])
        #expect(machine.log == [GuardReport(.microphoneGiven("Microphone"), name: "dictation")])
    }

    @Test(arguments: ["off", "configured", "excluded", "ended", "handed over"])
    func guardThatStops_takesTheMicrophoneBack(how: String) {
        var machine = given()
        switch how {
        case "off": machine.configure(Self.options().turnedOff(until: nil))
        case "configured": machine.configure(GuardOptions())
        case "excluded":
            var options = Self.options()
            options.excluded = ["dictation"]
            machine.configure(options)
        case "ended": machine.ask(.endRequested)
        default: machine.ask(.handoverRequested)
        }
        #expect(steps(machine) == [Self.gift, Self.end])
        #expect(machine.log.last == GuardReport(.microphoneReturned, name: "dictation"))
    }

    @Test func call_keepsTheHeadset_byItsRole_orItsProgramsOtherStream() {
        var machine = plugged()
        machine.ask(capture(role: "Communication"))
        machine.play(.phone, role: "Communication")
        machine.settle()
        machine.ask(capture(.phone, id: 91))
        machine.wait(seconds: 5)
        #expect(steps(machine) == [])
    }

    /// What tells a call without a role from a recording takes 0.7 s.
    @Test func callWithoutARole_getsTheHeadset_whenItIsFound() {
        var machine = plugged()
        machine.ask(capture(.phone))
        #expect(steps(machine) == [Self.gift])
        machine.play(.phone)
        machine.settle()
        machine.wait(seconds: 0.6)
        #expect(steps(machine) == [Self.gift])
        machine.wait(seconds: 0.2)
        #expect(steps(machine) == [Self.gift, Self.end])
    }

    @Test func microphoneThatAPersonOrAProgramHasChosen_stays() {
        var machine = plugged()
        machine.ask(capture(target: "bluez"))
        machine.ask(capture(isMovable: false, id: 91))
        #expect(steps(machine) == [])
        machine = given()
        machine.ask(capture(target: "bluez"))
        machine.ask(.endRequested)
        #expect(steps(machine) == [Self.gift], "what its user has chosen meanwhile is not taken back")
    }

    @Test func noOtherMicrophone_isSaidOnce_andOneThatComesIsGiven() {
        var lineIn = Self.ofMachine
        lineIn.kind = .lineIn
        var machine = plugged(Self.options(), [Self.ofHeadset, lineIn])
        for id in UInt64(90)...95 {
            machine.ask(capture(id: id))
            machine.ask(.fact(.captureEnded(id)))
        }
        #expect(machine.log == [GuardReport(.onlyMicrophone, name: "dictation")])
        machine.ask(capture())
        var surroundings = GuardSurroundings()
        surroundings.microphones = [Self.ofHeadset, Self.ofMachine]
        machine.ask(.fact(.surroundingsChanged(surroundings)))
        #expect(steps(machine) == [Self.gift])
    }

    /// It is alone again after its microphone has left, or after the session manager has forgotten what was set.
    @Test func microphoneLeaves_orTheManager_andTheProgramGetsAnother() {
        var machine = given()
        var surroundings = GuardSurroundings()
        surroundings.microphones = [Self.ofHeadset, GuardMicrophone(node: "usb", name: "Webcam", kind: .usbAudio)]
        machine.ask(.fact(.surroundingsChanged(surroundings)))
        machine.ask(capture(target: "built-in"))
        let second = GuardCommand.giveMicrophone(stream: 90, node: "usb")
        #expect(steps(machine) == [Self.gift, second])
        machine.killManager()
        machine.settle()
        machine.ask(capture())
        #expect(steps(machine) == [Self.gift, second])
        machine.startManager()
        machine.settle()
        #expect(steps(machine) == [Self.gift, second, second])
    }

    // MARK: Random scripts

    /// A session manager that keeps the targets and tells of them late.
    private struct Script {
        var random: Seeded
        var rule = HeadsetRule()
        var isOn = false
        var streams: [UInt64: CaptureStream] = [:]
        var calls: Set<UInt64> = []
        /// The targets of the rule, and those that a mixer has set.
        var given: [UInt64: String] = [:]
        var chosen: [UInt64: String] = [:]
        var moved: Set<UInt64> = []
        var microphones: [GuardMicrophone] = []
        var plays = true
        var untold: [CaptureStream] = []
        var violations: [String] = []
        var counts: [String: Int] = [:]
        private var next: UInt64 = 1

        static let all = [
            ofMachine, ofHeadset, GuardMicrophone(node: "usb", name: "Webcam", kind: .usbAudio),
            GuardMicrophone(node: "other", name: "Other", kind: .bluetoothHFP),
            GuardMicrophone(node: "line", name: "Line", kind: .lineIn),
            GuardMicrophone(node: "effect", name: "Effect", kind: .virtual),
        ]

        static let gifts = ["built-in", "usb"]

        init(seed: UInt64) {
            random = Seeded(seed: seed)
            change(microphones: [ofMachine, ofHeadset])
        }

        mutating func step() {
            let id = streams.keys.sorted().randomElement(using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2: if streams.count < 6 { open() }
            case 3: if let id { close(id) }
            case 4: if let id, calls.remove(id) == nil { calls.insert(id) }
            case 5: if let id { move(id, to: Self.all.randomElement(using: &random)?.node) }
            case 6: if let id { move(id, to: nil) }
            case 7: change(microphones: Self.all.filter { _ in Bool.random(using: &random) })
            case 8: isOn.toggle()
            case 9: plays.toggle()
            case 10:
                (given, chosen) = ([:], [:])
                rule.noteManagerLeft()
                count("managers")
            default: settle()
            }
            tell()
            if Bool.random(using: &random), !untold.isEmpty { rule.note(untold.removeFirst()) }
            advance()
            if Int.random(in: 0..<4, using: &random) == 0 { settle() }
        }

        private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

        private mutating func open() {
            var stream = CaptureStream(id: next, program: .dictation, hearsMicrophone: true)
            stream.isMovable = Int.random(in: 0..<5, using: &random) > 0
            if Int.random(in: 0..<4, using: &random) == 0 { calls.insert(next) }
            if Int.random(in: 0..<6, using: &random) == 0 { chosen[next] = "bluez" }
            streams[next] = stream
            next += 1
        }

        mutating func close(_ id: UInt64) {
            (streams[id], given[id], chosen[id]) = (nil, nil, nil)
            calls.remove(id)
            untold.removeAll { $0.id == id }
            rule.remove(id)
        }

        private mutating func move(_ id: UInt64, to node: String?) {
            (given[id], chosen[id]) = (nil, node)
            moved.insert(id)
            count("moves")
        }

        private mutating func change(microphones new: [GuardMicrophone]) {
            microphones = new
            rule.microphones = new
        }

        /// What the server says of each stream now; the last words of each are what it says at rest.
        private mutating func tell() {
            for (id, old) in streams.sorted(by: { $0.key < $1.key }) {
                var new = old
                new.target = given[id] ?? chosen[id]
                let isThere = microphones.contains { $0.node == new.target }
                new.opensHeadset = plays && (isThere ? new.target == "bluez" : microphones.contains(ofHeadset))
                guard new != old else { continue }
                streams[id] = new
                untold.append(new)
            }
        }

        mutating func settle() {
            repeat {
                tell()
                for stream in untold { rule.note(stream) }
                untold = []
                advance()
                tell()
            } while !untold.isEmpty
            for (id, node) in given where !isOn || calls.contains(id) {
                violations.append("\(id) has \(node), on: \(isOn), call: \(calls.contains(id))")
            }
            for (id, stream) in streams
            where isOn && !calls.contains(id) && stream.opensHeadset && stream.isMovable && chosen[id] == nil
                && given[id] == nil && !moved.contains(id)
                && microphones.contains(where: { Self.gifts.contains($0.node) })
            {
                violations.append("\(id) is left with the headset")
            }
        }

        private mutating func advance() {
            let (isOn, calls) = (self.isOn, self.calls)
            for step in rule.advance({ isOn && !calls.contains($0.id) }) {
                switch step {
                case .give(let stream, let other):
                    count("gifts")
                    if !isOn || calls.contains(stream.id) { violations.append("\(stream.id) is a call, or it is off") }
                    if !stream.isMovable { violations.append("\(stream.id) has chosen") }
                    if ![.builtInMic, .usbAudio].contains(other.kind) { violations.append("given: \(other)") }
                    if !microphones.contains(other) { violations.append("\(other.node) is not there") }
                    checkTarget(of: stream)
                    (given[stream.id], chosen[stream.id]) = (other.node, nil)
                case .takeBack(let stream):
                    count("ends")
                    checkTarget(of: stream)
                    (given[stream.id], chosen[stream.id]) = (nil, nil)
                case .tellOfOnly: count("words")
                }
            }
        }

        /// What a person has chosen, and the rule knows of, is left alone.
        private mutating func checkTarget(of stream: CaptureStream) {
            if let target = stream.target, !Self.gifts.contains(target) {
                violations.append("\(stream.id) has \(target) of its user's")
            }
        }
    }

    @Test(arguments: UInt64(1)...40)
    func promisesHold(seed: UInt64) {
        var script = Script(seed: seed)
        for step in 0..<2_000 where script.violations.isEmpty {
            script.step()
            if let violation = script.violations.first { Issue.record("seed \(seed), step \(step): \(violation)") }
        }
        #expect((script.counts["gifts"] ?? 0) > 10 && (script.counts["ends"] ?? 0) > 5, "\(script.counts)")
        #expect((script.counts["moves"] ?? 0) > 5 && (script.counts["managers"] ?? 0) > 5, "\(script.counts)")
        script.isOn = false
        script.settle()
        #expect(script.violations == [] && script.given.isEmpty)
    }

    /// Off is the default, and then no stream has a target of the rule's, whatever comes.
    @Test func offFromTheStart_doesNothing() {
        var rule = HeadsetRule()
        rule.microphones = Script.all
        for id in UInt64(0)..<100 {
            var stream = CaptureStream(id: id, program: .dictation, hearsMicrophone: true)
            stream.opensHeadset = true
            rule.note(stream)
            #expect(rule.advance { _ in false } == [])
        }
    }

    /// A program that opens a stream each second does not fill the log.
    @Test func programsWithoutAnotherMicrophone_areNamedOnceEach_andSomeOnly() {
        var rule = HeadsetRule()
        var words = 0
        for id in UInt64(0)..<1_000 {
            var stream = CaptureStream(id: id, program: .test("program \(id / 2)", 1), hearsMicrophone: true)
            stream.opensHeadset = true
            rule.note(stream)
            words += rule.advance { _ in true }.count
            rule.remove(id)
        }
        #expect(words == 32)
    }
}
