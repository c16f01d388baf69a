package import SessionBus

/// An object of ours that other programs on the bus may call.
///
/// `Introspectable` and `Properties` are answered for it. All functions are called on the bus's thread.
package struct BusObject: Sendable {
    package let path: String
    package let interfaces: [BusInterface]

    package init(path: String, interfaces: [BusInterface]) {
        self.path = path
        self.interfaces = interfaces
    }

    /// - Returns: false for what the object does not have: there is no reply then.
    func answer(
        interface: String, member: String, from sender: String, _ arguments: [BusValue],
        reply: @escaping BusInterface.Method.Reply
    ) -> Bool {
        switch interface {
        case "org.freedesktop.DBus.Introspectable":
            guard member == "Introspect" else { return false }
            reply(.success([.string(introspection)]))
        case "org.freedesktop.DBus.Properties":
            guard let answer = answerProperties(member, arguments) else { return false }
            reply(answer)
        default:
            guard let interface = interfaces.first(where: { $0.name == interface }),
                let method = interface.methods.first(where: { $0.name == member })
            else { return false }
            let (expected, given) = (method.parameters.joined(), arguments.map(\.signature).joined())
            if expected == given {
                method.call(sender, arguments, reply)
            } else {
                reply(.failure(.invalidArguments("\(member) takes \"\(expected)\", not \"\(given)\"")))
            }
        }
        return true
    }

    private func answerProperties(_ member: String, _ arguments: [BusValue]) -> Result<[BusValue], BusError>? {
        guard ["Get", "GetAll", "Set"].contains(member) else { return nil }
        guard let name = arguments.first?.string, let interface = interfaces.first(where: { $0.name == name }) else {
            return .failure(.invalidArguments("there is no such interface here"))
        }
        if member == "GetAll" {
            let values = interface.properties.map { ($0.name, $0.get()) }
            return .success([.properties(Dictionary(values) { $1 })])
        }
        guard arguments.count > 1, let word = arguments[1].string,
            let property = interface.properties.first(where: { $0.name == word })
        else { return .failure(.invalidArguments("\(name) has no such property")) }
        if member == "Get" { return .success([.variant(property.get())]) }
        guard let set = property.set else {
            return .failure(
                BusError(name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: "\(word) is read-only"))
        }
        guard arguments.count > 2, case .variant(let value) = arguments[2], value.signature == property.signature
        else { return .failure(.invalidArguments("\(word) takes \"\(property.signature)\"")) }
        return set(value).map { [] }
    }

    private var introspection: String {
        var lines = [
            "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"",
            "\"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">", "<node>",
        ]
        for interface in interfaces {
            lines.append(" <interface name=\"\(interface.name)\">")
            for method in interface.methods {
                lines.append("  <method name=\"\(method.name)\">")
                lines += method.parameters.map { "   <arg type=\"\($0)\" direction=\"in\"/>" }
                lines += method.results.map { "   <arg type=\"\($0)\" direction=\"out\"/>" }
                lines.append("  </method>")
            }
            for (name, parameters) in interface.signals {
                lines.append("  <signal name=\"\(name)\">")
                lines += parameters.map { "   <arg type=\"\($0)\"/>" }
                lines.append("  </signal>")
            }
            for property in interface.properties {
                let access = property.set == nil ? "read" : "readwrite"
                lines.append(
                    "  <property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\"/>")
            }
            lines.append(" </interface>")
        }
        return (lines + ["</node>"]).joined(separator: "\n")
    }
}

package struct BusInterface: Sendable {
    package struct Method: Sendable {
        package let name: String
        /// The signatures of what it takes and gives.
        package let parameters: [String]
        package let results: [String]
        let call: Call

        package typealias Reply = @Sendable (Result<[BusValue], BusError>) -> Void
        /// - Parameters:
        ///   - sender: the unique name of the connection that calls.
        ///   - reply: to be called once, on the bus's thread; a call that is not answered gets an error.
        package typealias Call =
            @Sendable (_ sender: String, _ arguments: [BusValue], _ reply: @escaping Reply) -> Void

        package init(
            _ name: String, _ parameters: [String] = [], results: [String] = [],
            call: @escaping @Sendable ([BusValue]) -> Result<[BusValue], BusError>
        ) {
            self.init(name, parameters, results: results) { _, arguments, reply in reply(call(arguments)) }
        }

        /// A method whose answer has to wait for the bus.
        package init(_ name: String, _ parameters: [String] = [], results: [String] = [], later: @escaping Call) {
            self.name = name
            self.parameters = parameters
            self.results = results
            call = later
        }
    }

    package struct Property: Sendable {
        package let name: String
        package let signature: String
        /// Gives a value of that signature.
        package let get: @Sendable () -> BusValue
        /// Gets a value of that signature; nil where the property is read-only.
        package let set: (@Sendable (BusValue) -> Result<Void, BusError>)?

        package init(
            _ name: String, _ signature: String, get: @escaping @Sendable () -> BusValue,
            set: (@Sendable (BusValue) -> Result<Void, BusError>)? = nil
        ) {
            self.name = name
            self.signature = signature
            self.get = get
            self.set = set
        }
    }

    package let name: String
    package let methods: [Method]
    package let properties: [Property]
    /// What `BusConnection.emit` sends, with the signatures of its arguments; for introspection.
    package let signals: KeyValuePairs<String, [String]>

    package init(
        name: String, methods: [Method] = [], properties: [Property] = [],
        signals: KeyValuePairs<String, [String]> = [:]
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
    }
}
