internal import AudioModel
internal import Foundation
internal import SceneCore

/// Makes a scene of what `pw-dump --monitor` prints: which sinks and sources came and went, and which programs played.
///
/// The dump has no times: each of its updates is a second after the one before.
struct DumpScene {
    private var scene = AudioScene(title: "A dump of PipeWire", machine: .bare)
    private var ports: [Int: String] = [:]
    private var known: Set<String> = []
    private var programs: [Int: String] = [:]
    private var defaults: [String: String] = [:]

    /// - Throws: where the text is no list of lists of objects.
    static func scene(ofDump text: String) throws(SceneError) -> AudioScene {
        var dump = DumpScene()
        var update = 0
        for (line, part) in parts(of: text) {
            guard let objects = try? JSONSerialization.jsonObject(with: Data(part.utf8)) as? [[String: Any]] else {
                throw SceneError(line: line, column: 1, message: "no list of objects as pw-dump prints it")
            }
            let actions = dump.actions(of: objects)
            guard max(dump.scene.ports.count, dump.programs.count) <= AudioScene.maximumParties else {
                throw SceneError(
                    line: line, column: 1,
                    message: "a scene has at most \(AudioScene.maximumParties) devices, and as many programs at a time")
            }
            if update == 0 {
                for case .plug(let name) in actions { dump.scene.plugged.append(name) }
                let rest = actions.filter { if case .plug = $0 { false } else { true } }
                if !rest.isEmpty { dump.scene.lines.append(.init(.event(.zero, rest))) }
            } else if !actions.isEmpty {
                dump.scene.lines.append(.init(.event(.init(seconds: Double(update)), actions)))
            }
            update += 1
        }
        dump.scene.lines.append(.init(.event(.init(seconds: Double(update)), [.end])))
        return dump.scene
    }

    /// The lists of the text, each with the line it begins in; they begin and end in the first column.
    private static func parts(of text: String) -> [(line: Int, text: String)] {
        var parts: [(line: Int, text: String)] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("[") || parts.isEmpty { parts.append((number + 1, "")) }
            parts[parts.count - 1].text += line + "\n"
        }
        return parts
    }

    private mutating func actions(of objects: [[String: Any]]) -> [AudioScene.Action] {
        var actions: [AudioScene.Action] = []
        for object in objects {
            guard let id = object["id"] as? Int else { continue }
            guard let info = object["info"] as? [String: Any] else {
                // Metadata has no info; a removed object has neither.
                if let metadata = object["metadata"] as? [[String: Any]] {
                    actions += defaultActions(metadata)
                } else if object["info"] is NSNull || object.count == 1 {
                    if let name = ports.removeValue(forKey: id) { actions.append(.unplug(name)) }
                    if let name = programs.removeValue(forKey: id) { actions.append(.programStops(name)) }
                }
                continue
            }
            let props = info["props"] as? [String: Any] ?? [:]
            switch props["media.class"] as? String {
            case "Audio/Sink"?, "Audio/Source"?, "Audio/Source/Virtual"?:
                guard ports[id] == nil, let name = props["node.name"] as? String else { continue }
                addPort(name, props)
                ports[id] = name
                actions.append(.plug(name))
            case "Stream/Output/Audio"?:
                let runs = info["state"] as? String == "running"
                if runs, programs[id] == nil {
                    let name = "\(props["application.name"] as? String ?? "program") \(id)"
                    programs[id] = name
                    actions.append(.programPlays(name, role: props["media.role"] as? String))
                } else if !runs, let name = programs.removeValue(forKey: id) {
                    actions.append(.programStops(name))
                }
            default: break
            }
        }
        return actions
    }

    private mutating func defaultActions(_ metadata: [[String: Any]]) -> [AudioScene.Action] {
        metadata.compactMap { entry in
            guard let key = entry["key"] as? String,
                let name = (entry["value"] as? [String: Any])?["name"] as? String, known.contains(name),
                defaults[key] != name
            else { return nil }
            switch key {
            case "default.audio.sink":
                defaults[key] = name
                return .defaultOutput(name)
            case "default.audio.source":
                defaults[key] = name
                return .defaultInput(name)
            default: return nil
            }
        }
    }

    private mutating func addPort(_ name: String, _ props: [String: Any]) {
        guard known.insert(name).inserted else { return }
        let isInput = (props["media.class"] as? String)?.hasPrefix("Audio/Source") == true
        let channels = props["audio.channels"] as? Int ?? 2
        scene.ports.append(
            AudioScene.Port(
                name, isInput: isInput, kind: Self.kind(props, isInput: isInput).word,
                label: props["node.description"] as? String, channels: min(64, max(1, channels))))
    }

    private static func kind(_ props: [String: Any], isInput: Bool) -> PortKind {
        let words = ["device.form-factor", "device.profile.name", "device.bus", "node.name", "api.bluez5.profile"]
            .compactMap { props[$0] as? String }.joined(separator: " ").lowercased()
        if words.contains("bluez") || words.contains("bluetooth") {
            return words.contains("headset-head-unit") ? .bluetoothHFP : isInput ? .bluetoothHFP : .bluetoothA2DP
        }
        if words.contains("hdmi") { return .hdmi }
        if words.contains("headphone") { return .headphones }
        if words.contains("headset") { return isInput ? .headsetMic : .headphones }
        if words.contains("usb") { return .usbAudio }
        return isInput
            ? .builtInMic : words.contains("internal") || words.contains("analog") ? .builtInSpeaker : .lineOut
    }
}
