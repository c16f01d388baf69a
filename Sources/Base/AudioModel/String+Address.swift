extension String {
    /// An address (http, https and others with a host) without its name and password; other text as it is.
    package var withoutAddressPassword: String {
        guard let scheme = firstRange(of: "://") else { return self }
        let rest = self[scheme.upperBound...]
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let sign = host.lastIndex(of: "@") else { return self }
        return String(self[..<scheme.upperBound] + rest[rest.index(after: sign)...])
    }

    /// An http or https address without what may be secret: name and password, query and fragment.
    ///
    /// Other text as it is.
    ///
    /// For what other programs can read: the session bus, and the names of streams.
    package var withoutAddressSecrets: String {
        let start = prefix(8).lowercased()
        guard start.hasPrefix("http://") || start.hasPrefix("https://") else { return self }
        return String(withoutAddressPassword.prefix { $0 != "?" && $0 != "#" })
    }
}
