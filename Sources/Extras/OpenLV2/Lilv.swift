import AudioModel
import CLilv
import Foundation
import Synchronization

/// lilv, with the descriptions of all installed plug-ins.
///
/// Any thread but the render thread; one at a time is in lilv. `@unchecked Sendable`: the world is used with the lock held only, and
/// lives as long as this object, which its instances keep.
final class Lilv: @unchecked Sendable {
    struct Missing: Error { let text: String }
    /// Why there is no instance; printable.
    struct NoInstance: Error { let reason: String }

    private let functions: lilv_functions
    private let world: OpaquePointer
    private let lock = Mutex(())

    /// What a scan reads of one description, at most.
    private static let (mostTexts, mostPorts) = (4096, Plugin.mostPorts + 1)

    /// - Parameter path: where plug-ins are looked for; nil for `LV2_PATH` and the usual directories.
    /// - Throws: lilv is not installed, or has no memory.
    init(library: String?, path: String?) throws(Missing) {
        let table = UnsafeMutablePointer<lilv_functions>.allocate(capacity: 1)
        defer { table.deallocate() }
        let (isLoaded, text) = withShimText { oav_lilv_load(table, library, $0, $1) }
        guard isLoaded else { throw Missing(text: text) }
        functions = table.pointee
        guard let world = functions.world_new() else { throw Missing(text: "lilv has no memory") }
        self.world = world
        // A dynamic manifest is code of the plug-in, which would run during the scan.
        setOption("dyn-manifest", functions.new_bool(world, false))
        if let path { setOption("lv2-path", functions.new_string(world, path)) }
        Self.printingMessages { functions.world_load_all(world) }
    }

    /// What of lilv's messages is printed.
    private static let messageBytes = 4096

    /// The standard error is the process's: one world at a time has it.
    private static let messages = NSLock()

    /// lilv writes what descriptions say to the standard error: it is made printable first.
    private static func printingMessages<Result>(_ body: () -> Result) -> Result {
        messages.lock()
        defer { messages.unlock() }
        let kept = oav_lilv_keep_messages()
        let result = body()
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: messageBytes) { room in
            room.initialize(repeating: 0)
            guard let base = room.baseAddress else { return "" }
            oav_lilv_take_messages(kept, base, room.count)
            return String(cString: base)
        }
        for line in text.split(separator: "\n") {
            FileHandle.standardError.write(Data((String(line).printable + "\n").utf8))
        }
        return result
    }

    deinit { functions.world_free(world) }

    private func setOption(_ name: String, _ value: OpaquePointer?) {
        guard let value else { return }
        functions.world_set_option(world, "http://drobilla.net/ns/lilv#" + name, value)
        functions.node_free(value)
    }

    // MARK: Descriptions

    func readClaims() -> [PluginClaims] { lock.withLock { _ in Self.printingMessages { readAllClaims() } } }

    private func readAllClaims() -> [PluginClaims] {
        let terms = Terms(self)
        defer { terms.free(self) }
        return plugins.map { read($0, terms) }
    }

    /// Whether every port has a place that is a small number.
    ///
    /// lilv 0.24 makes room for as many ports as the highest place says, and ends the process without memory for them.
    private func hasBoundedPorts(_ plugin: OpaquePointer, _ terms: Terms) -> Bool {
        guard let port = terms.port, let index = terms.index else { return false }
        return all(functions.plugin_get_value(plugin, port)) { port in
            all(functions.world_find_nodes(world, port, index, nil)) { place in
                guard functions.node_is_int(place) else { return false }
                return (0..<Self.mostPorts).contains(Int(functions.node_as_int(place)))
            }
        }
    }

    private func all(_ nodes: UnsafeMutableRawPointer?, _ isGood: (OpaquePointer) -> Bool) -> Bool {
        defer { functions.nodes_free(nodes) }
        return elements(of: nodes).allSatisfy(isGood)
    }

    private func read(_ plugin: OpaquePointer, _ terms: Terms) -> PluginClaims {
        guard hasBoundedPorts(plugin, terms) else {
            let port = PluginClaims.Port(kind: .other, isInput: true, symbol: "", name: "")
            return PluginClaims(
                uri: text(functions.plugin_get_uri(plugin)), name: "",
                ports: Array(repeating: port, count: Self.mostPorts))
        }
        var claims = PluginClaims(
            uri: text(functions.plugin_get_uri(plugin)), name: ownText(functions.plugin_get_name(plugin)),
            author: ownText(functions.plugin_get_author_name(plugin)),
            category: terms.type.map { category(texts(functions.plugin_get_value(plugin, $0))) } ?? "",
            requiredFeatures: texts(functions.plugin_get_required_features(plugin)))
        let count = min(Int(functions.plugin_get_num_ports(plugin)), Self.mostPorts)
        for index in 0..<count {
            guard let port = functions.plugin_get_port_by_index(plugin, UInt32(index)) else {
                claims.ports.append(PluginClaims.Port(kind: .other, isInput: true, symbol: "", name: ""))
                continue
            }
            claims.ports.append(read(port, of: plugin, terms))
        }
        return claims
    }

    /// "Delay Plugin" of `DelayPlugin`; the labels are in LV2's own bundle, which players do not install.
    private func category(_ types: [String]) -> String {
        let names = types.filter { $0.hasPrefix(Terms.core) }.map { $0.dropFirst(Terms.core.count) }
        guard let name = names.first(where: { $0 != "Plugin" }) else { return "Plugin" }
        return String(name).replacing(#/([A-Za-z])([A-Z][a-z])/#) { "\($0.1) \($0.2)" }
    }

    private func read(_ port: OpaquePointer, of plugin: OpaquePointer, _ terms: Terms) -> PluginClaims.Port {
        let isA = { (term: OpaquePointer?) in term.map { self.functions.port_is_a(plugin, port, $0) } ?? false }
        let has = { (term: OpaquePointer?) in term.map { self.functions.port_has_property(plugin, port, $0) } ?? false }
        let isInput = isA(terms.input)
        let kind: PluginClaims.Port.Kind =
            if isInput == isA(terms.output) {
                .other
            } else if isA(terms.audio) {
                .audio
            } else if isA(terms.control) {
                .control
            } else {
                isA(terms.atom) ? .events : .other
            }
        var claim = PluginClaims.Port(
            kind: kind, isInput: isInput, symbol: text(functions.port_get_symbol(plugin, port)),
            name: ownText(functions.port_get_name(plugin, port)))
        claim.isOptional = has(terms.optional)
        guard kind == .control else { return claim }
        claim.isToggled = has(terms.toggled)
        claim.isInteger = has(terms.integer)
        claim.isOfSampleRate = has(terms.ofSampleRate)
        claim.isLatency = !isInput && has(terms.latency)
        var (value, least, most): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
        functions.port_get_range(plugin, port, &value, &least, &most)
        (claim.defaultValue, claim.minimum, claim.maximum) = (ownNumber(value), ownNumber(least), ownNumber(most))
        claim.unit = terms.unit.flatMap { texts(functions.port_get_value(plugin, port, $0)).first }
        claim.valueNames = names(of: port, plugin)
        return claim
    }

    private func names(of port: OpaquePointer, _ plugin: OpaquePointer) -> [(value: Float, name: String)] {
        let points = functions.port_get_scale_points(plugin, port)
        defer { functions.scale_points_free(points) }
        let all = Self.elements(
            of: points, functions.scale_points_begin, functions.scale_points_get, functions.scale_points_next,
            functions.scale_points_is_end)
        return all.prefix(Self.mostTexts).compactMap { point in
            number(functions.scale_point_get_value(point)).map { ($0, text(functions.scale_point_get_label(point))) }
        }
    }

    // MARK: Collections

    private typealias Place = UnsafeMutableRawPointer?

    private static func elements(
        of collection: UnsafeMutableRawPointer?, _ begin: (UnsafeRawPointer) -> Place,
        _ get: (UnsafeRawPointer, Place) -> OpaquePointer?, _ next: (UnsafeRawPointer, Place) -> Place,
        _ isEnd: (UnsafeRawPointer, Place) -> Bool
    ) -> [OpaquePointer] {
        guard let collection else { return [] }
        var elements: [OpaquePointer] = []
        var place = begin(collection)
        while !isEnd(collection, place) {
            if let element = get(collection, place) { elements.append(element) }
            place = next(collection, place)
        }
        return elements
    }

    private func elements(of nodes: UnsafeMutableRawPointer?) -> [OpaquePointer] {
        Self.elements(
            of: nodes, functions.nodes_begin, functions.nodes_get, functions.nodes_next, functions.nodes_is_end)
    }

    private var plugins: [OpaquePointer] {
        Self.elements(
            of: functions.world_get_all_plugins(world).map(UnsafeMutableRawPointer.init(mutating:)),
            functions.plugins_begin, functions.plugins_get, functions.plugins_next, functions.plugins_is_end)
    }

    // MARK: Nodes

    private func text(_ node: OpaquePointer?) -> String {
        node.flatMap { functions.node_as_string($0) }.map { String(cString: $0) } ?? ""
    }

    private func ownText(_ node: OpaquePointer?) -> String {
        defer { functions.node_free(node) }
        return text(node)
    }

    private func number(_ node: OpaquePointer?) -> Float? {
        guard let node, functions.node_is_float(node) || functions.node_is_int(node) else { return nil }
        return functions.node_as_float(node)
    }

    private func ownNumber(_ node: OpaquePointer?) -> Float? {
        defer { functions.node_free(node) }
        return number(node)
    }

    private func texts(_ nodes: UnsafeMutableRawPointer?) -> [String] {
        defer { functions.nodes_free(nodes) }
        return elements(of: nodes).prefix(Self.mostTexts).map(text)
    }

    /// The words of LV2's vocabulary that a scan asks for.
    private struct Terms {
        static let core = "http://lv2plug.in/ns/lv2core#"
        let port, index, input, output, audio, control, atom, optional, toggled, integer, ofSampleRate: OpaquePointer?
        let latency, unit, type: OpaquePointer?

        init(_ lilv: Lilv) {
            let uri = { (text: String) in lilv.functions.new_uri(lilv.world, text) }
            port = uri(Self.core + "port")
            index = uri(Self.core + "index")
            input = uri(Self.core + "InputPort")
            output = uri(Self.core + "OutputPort")
            audio = uri(Self.core + "AudioPort")
            control = uri(Self.core + "ControlPort")
            atom = uri("http://lv2plug.in/ns/ext/atom#AtomPort")
            optional = uri(Self.core + "connectionOptional")
            toggled = uri(Self.core + "toggled")
            integer = uri(Self.core + "integer")
            ofSampleRate = uri(Self.core + "sampleRate")
            latency = uri(Self.core + "reportsLatency")
            unit = uri("http://lv2plug.in/ns/extensions/units#unit")
            type = uri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
        }

        func free(_ lilv: Lilv) {
            for node in [
                port, index, input, output, audio, control, atom, optional, toggled, integer, ofSampleRate, latency,
                unit, type,
            ] { lilv.functions.node_free(node) }
        }
    }

    // MARK: Instances

    func instantiate(
        _ uri: String, sampleRate: Double, maximumFrames: Int
    ) throws(NoInstance) -> PluginInstance {
        try lock.withLock { _ throws(NoInstance) in
            guard let plugin = plugins.first(where: { text(functions.plugin_get_uri($0)) == uri }),
                let host = oav_lv2_host_create(sampleRate, UInt32(maximumFrames))
            else { throw NoInstance(reason: "it is not there any more") }
            do throws(NoInstance) {
                let library = try openLibrary(of: plugin, uri, host)
                // lilv has loaded it too by then.
                defer { oav_lv2_library_close(library) }
                guard let instance = functions.plugin_instantiate(plugin, sampleRate, oav_lv2_host_features(host))
                else {
                    throw NoInstance(reason: "it refuses")
                }
                return PluginInstance(self, host, instance)
            } catch {
                oav_lv2_host_destroy(host)
                throw error
            }
        }
    }

    /// lilv calls the functions of a library without looking whether they are there.
    private func openLibrary(
        of plugin: OpaquePointer, _ uri: String, _ host: OpaquePointer
    ) throws(NoInstance) -> UnsafeMutableRawPointer {
        guard let file = path(functions.plugin_get_library_uri(plugin)),
            let bundle = path(functions.plugin_get_bundle_uri(plugin))
        else { throw NoInstance(reason: "its library is no file") }
        var library: UnsafeMutableRawPointer?
        let (_, reason) = withShimText { text, size in
            library = oav_lv2_library_open(file, bundle, uri, oav_lv2_host_features(host), text, size)
            return library != nil
        }
        guard let library else { throw NoInstance(reason: reason.printable) }
        return library
    }

    /// Nil for what is no address of a file.
    private func path(_ node: OpaquePointer?) -> String? {
        guard let path = functions.file_uri_parse(text(node), nil) else { return nil }
        defer { Foundation.free(path) }
        // lilv takes other addresses, and none, for paths from the working directory.
        return path.pointee == CChar(UInt8(ascii: "/")) ? String(cString: path) : nil
    }

    fileprivate func free(_ instance: UnsafeMutablePointer<LilvInstance>) {
        lock.withLock { _ in functions.instance_free(instance) }
    }
}

/// An instance of a plug-in.
///
/// `@unchecked Sendable`: one processor has it, and calls its functions as LV2's rules say.
final class PluginInstance: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<LilvInstance>
    private let lilv: Lilv
    private let host: OpaquePointer

    fileprivate init(_ lilv: Lilv, _ host: OpaquePointer, _ pointer: UnsafeMutablePointer<LilvInstance>) {
        (self.lilv, self.host, self.pointer) = (lilv, host, pointer)
    }

    deinit {
        lilv.free(pointer)
        oav_lv2_host_destroy(host)
    }
}
