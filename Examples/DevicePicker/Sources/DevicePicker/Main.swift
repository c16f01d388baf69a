import AVFAudio
import OpenAVFAudioTestKit

/// `DevicePicker [--short] [FILE]`: plays, lists the devices, and plays on the one whose number is typed.
@main
@MainActor
struct Main {
    private let picker: any Picker
    private let desk: Desk?
    /// There was no device at the start.
    private var isWaiting = false

    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        let isShort = arguments.first == "--short"
        if isShort { arguments.removeFirst() }
        do {
            let sound = try arguments.first.map(Sound.init(path:)) ?? .tones()
            if hasServer() { return try await run(sound, isShort, desk: nil) }
            print("No sound server: using a simulated machine without audio output.")
            try await AudioSimulator.run(.bare) { simulator in try await run(sound, isShort, desk: Desk(simulator)) }
        } catch {
            print("DevicePicker: \(error.localizedDescription)")
            exit(1)
        }
    }

    /// `AUDIOSESSION_HOST=simulated` does not use one.
    private static func hasServer() -> Bool {
        guard ProcessInfo.processInfo.environment["AUDIOSESSION_HOST"] != AudioSessionHost.simulated.rawValue else {
            return false
        }
        do {
            try AudioSessionHost.select(.pipeWire)
            return true
        } catch {
            print(error.localizedDescription)
            return false
        }
    }

    private static func run(_ sound: Sound, _ isShort: Bool, desk: Desk?) async throws {
        let picker: any Picker = isShort ? try ShortPlayer(playing: sound) : try Player(playing: sound)
        var main = Main(picker: picker, desk: desk)
        await main.run()
    }

    private mutating func run() async {
        let events = Events()
        print("Type a number or a type from the list, or q. A type selects the first device of that type.")
        if desk != nil { print("Plug and unplug: +NAME, -NAME of \(Desk.devices.map(\.key).joined(separator: ", ")).") }
        start()
        show()
        events.feed.yield(.settled)
        for await event in events.stream {
            switch event {
            case .line("q"), .inputEnded: return
            case .line(let line):
                take(line)
                events.feed.yield(.settled)
            case .routeChanged:
                picker.follow()
                if isWaiting { start() }
                show()
            case .configurationChanged:
                picker.follow()
                start()
            case .interruptionEnded: start()
            case .settled:
                if let desk { print(desk.listen()) }
                events.takeLine()
            }
        }
    }

    private mutating func start() {
        isWaiting = picker.choices.isEmpty
        if isWaiting { return print("No device: plug one in.") }
        do { try picker.start() } catch { print(error.localizedDescription) }
    }

    private func take(_ line: String) {
        if let desk, desk.take(line) { return }
        do {
            if let number = Int(line) {
                guard picker.choices.indices.contains(number - 1) else { throw NoSuchDevice(wanted: line) }
                try picker.select(number - 1)
            } else {
                try picker.select(Words.portType(line))
            }
            show()
        } catch {
            print("\((error as? NoSuchDevice)?.description ?? error.localizedDescription)")
        }
    }

    private func show() {
        for (index, choice) in picker.choices.enumerated() {
            let mark = choice.isCurrent ? "*" : " "
            print(
                "\(mark) \(index + 1)  \(choice.name.printable) (\(choice.portType.rawValue), \(choice.channelCount) channels)"
            )
        }
    }
}
