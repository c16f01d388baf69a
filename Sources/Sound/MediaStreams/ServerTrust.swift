import Foundation

/// Which servers may answer at an https address.
package enum ServerTrust: Hashable, Sendable {
    /// Those whose certificate an authority of the system's list has signed.
    case systemAuthorities
    /// Those whose certificate an authority in this PEM file has signed.
    case authorities(path: String)
    /// Any, and those that redirect from https to http too: anybody on the way can read and change what is played.
    case anyServer

    /// As OpenSSL and curl have it: the file in `SSL_CERT_FILE`, else the system's list.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let path = environment["SSL_CERT_FILE"] ?? ""
        self = path.isEmpty ? .systemAuthorities : .authorities(path: path)
    }
}
