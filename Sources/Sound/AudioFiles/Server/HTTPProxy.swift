import Foundation

/// The server through which the user reaches others: `http_proxy`, unless `no_proxy` names the host.
///
/// Pure.
struct HTTPProxy: Hashable, Sendable {
    let address: HTTPAddress

    init?(for address: HTTPAddress, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let proxy = environment["http_proxy"].flatMap(HTTPAddress.init), proxy.scheme == .http else { return nil }
        let exceptions = (environment["no_proxy"] ?? "").split { $0 == "," || $0 == " " }
        let isException = exceptions.contains { exception in
            let name = exception.drop { $0 == "." }.lowercased()
            return name == "*" || name == address.host || address.host.hasSuffix("." + name)
        }
        guard !isException else { return nil }
        self.address = proxy
    }

    /// The header that a request to it has; empty without a password.
    var authorization: String { address.credentials.map { "Proxy-Authorization: \($0.basic)\r\n" } ?? "" }
}
