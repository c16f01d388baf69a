internal import AudioFiles
internal import AudioModel
internal import CLibcurl

/// A request and the bytes of its answer, by libcurl: connections, proxies, TLS, redirections, heads and chunks are its part.
///
/// libcurl is loaded with the first address. One thread at a time; waits.
final class HTTPTransfer {
    private let curl: oav_curl
    // The functions of C take the table by its address.
    private let table: UnsafePointer<oav_curl>
    private let easy: OpaquePointer
    private let multi: OpaquePointer
    private var lists: [OpaquePointer] = []
    private let credentials: HTTPAddress.Credentials?
    private let trust: ServerTrust
    /// libcurl writes here why a transfer has failed.
    private let errorText: UnsafeMutablePointer<CChar>

    /// What came and was not taken, from `first` on; libcurl gets no more until all is taken.
    private var buffer: [UInt8] = []
    private var first = 0
    private var isPaused = false
    private var headBytes = 0
    private var isShoutcast = false
    /// The last request went over https.
    private var isEncrypted = false
    /// Why a callback has ended the transfer.
    private var refusal: ServerFault?
    /// libcurl's number; nil: the transfer has not ended.
    private var result: Int32?

    /// Of all heads of a transfer, with those of redirections.
    static let longestHead = 65_536

    /// For all addresses of a host; each is given a part of it.
    private static let connectionSeconds = 10

    /// Nothing is sent before the first `wait`.
    init(
        _ address: HTTPAddress, headers: [String], range: String, trust: ServerTrust, redirections: Int
    ) throws(ServerFault) {
        guard let table = oav_curl_load() else {
            throw .notReady(
                "addresses need libcurl 7.85 or later. Install it: \(SystemPackage.installCommand(.curl))")
        }
        guard let easy = table.pointee.easy_init(), let multi = table.pointee.multi_init() else {
            throw .notReady("there is no memory for it")
        }
        (self.table, curl, self.easy, self.multi, self.trust) = (table, table.pointee, easy, multi, trust)
        credentials = address.credentials
        errorText = .allocate(capacity: Int(OAV_CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(OAV_CURL_ERROR_SIZE))
        guard setCallbacks(), setRules(redirections), set(address, headers, range) else {
            throw .notReady("this libcurl is too old; 7.85 or later is needed")
        }
        _ = curl.multi_add_handle(multi, easy)
    }

    deinit {
        _ = curl.multi_remove_handle(multi, easy)
        curl.easy_cleanup(easy)
        _ = curl.multi_cleanup(multi)
        for list in lists { curl.slist_free_all(list) }
        errorText.deallocate()
    }

    // MARK: What libcurl is told

    private func setCallbacks() -> Bool {
        var callbacks = oav_curl_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            body: { HTTPTransfer.of($3).take($0, count: $2) },
            line: { HTTPTransfer.of($3).takeLine($0, count: $2) },
            request: { context, _, _, _, _ in HTTPTransfer.of(context).mayRequest() ? 0 : 1 })
        return oav_curl_set_callbacks(table, easy, &callbacks, errorText)
    }

    private func setRules(_ redirections: Int) -> Bool {
        let numbers = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), (CURLOPT_FORBID_REUSE, 1),
            (CURLOPT_CONNECTTIMEOUT, Self.connectionSeconds), (CURLOPT_FOLLOWLOCATION, 1),
            (CURLOPT_MAXREDIRS, redirections),
            (CURLOPT_HTTPAUTH, CURLAUTH_BASIC_OR_DIGEST), (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
            (CURLOPT_SSL_VERIFYPEER, trust == .anyServer ? 0 : 1),
            (CURLOPT_SSL_VERIFYHOST, trust == .anyServer ? 0 : 2),
        ]
        // A name's look-up goes on without a transfer that ends; libcurl 7.87 has this, and an older one waits.
        _ = set(CURLOPT_QUICK_EXIT, 1)
        var isDone = numbers.allSatisfy { set($0, $1) }
        isDone = isDone && set(CURLOPT_PROTOCOLS_STR, "http,https") && set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        if case .authorities(let path) = trust {
            isDone = isDone && set(CURLOPT_CAINFO, path) && set(CURLOPT_CAPATH, nil)
        }
        return isDone && set(CURLOPT_USERAGENT, "open-avfaudio") && set(CURLOPT_HTTP200ALIASES, ["ICY 200 OK"])
    }

    private func set(_ address: HTTPAddress, _ headers: [String], _ range: String) -> Bool {
        if let credentials {
            guard set(CURLOPT_USERNAME, credentials.user), set(CURLOPT_PASSWORD, credentials.password) else {
                return false
            }
        }
        return set(CURLOPT_URL, address.text) && set(CURLOPT_RANGE, range) && set(CURLOPT_HTTPHEADER, headers)
    }

    private func set(_ option: Int, _ value: Int) -> Bool { oav_curl_set_number(table, easy, Int32(option), value) }

    private func set(_ option: Int, _ value: String?) -> Bool {
        oav_curl_set_pointer(table, easy, Int32(option), value)
    }

    private func set(_ option: Int, _ values: [String]) -> Bool {
        var list: OpaquePointer?
        for value in values { list = curl.slist_append(list, value) }
        if let list { lists.append(list) }
        return oav_curl_set_pointer(table, easy, Int32(option), UnsafeRawPointer(list))
    }

    // MARK: What libcurl calls

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPTransfer {
        guard let context else { preconditionFailure("libcurl has lost the context") }
        return Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    private func take(_ bytes: UnsafeMutablePointer<CChar>, count: Int) -> Int {
        guard !hasBytes else {
            isPaused = true
            return CURL_WRITEFUNC_PAUSE
        }
        (buffer, first) = (Array(UnsafeRawBufferPointer(start: bytes, count: count)), 0)
        return count
    }

    private func takeLine(_ bytes: UnsafeMutablePointer<CChar>, count: Int) -> Int {
        if UnsafeRawBufferPointer(start: bytes, count: count).starts(with: "ICY ".utf8) { isShoutcast = true }
        headBytes += count
        guard headBytes <= Self.longestHead else {
            refusal = .malformed("its headers have more than \(Self.longestHead) bytes")
            return 0
        }
        return count
    }

    /// Not with a password that a server has chosen, and not over http after https: somebody on the way has chosen what comes
    /// then.
    private func mayRequest() -> Bool {
        // libcurl puts the password that it was given into the address of a relative redirection.
        guard let next = lastAddress, next.credentials == nil || next.credentials == credentials else {
            refusal = .redirected("its server redirects to an address that is not followed (it has a password)")
            return false
        }
        defer { isEncrypted = next.scheme == .https }
        guard isEncrypted, next.scheme == .http, trust != .anyServer else { return true }
        refusal = .steppedDown(to: next.text)
        return false
    }

    // MARK: What has come

    var hasBytes: Bool { first < buffer.count }

    /// Until bytes have come or the transfer has ended.
    func wait(_ limit: WaitLimit) throws(ServerFault) {
        if isPaused, !hasBytes {
            isPaused = false
            _ = curl.easy_pause(easy, 0)
        }
        while !hasBytes, result == nil {
            try limit.check()
            var (count, code): (Int32, Int32) = (0, 0)
            _ = curl.multi_perform(multi, &count)
            if oav_curl_has_ended(table, multi, &code) { result = code }
            if !hasBytes, result == nil {
                _ = curl.multi_poll(multi, nil, 0, limit.pollMilliseconds, &count)
            }
        }
    }

    /// Of what has come; 0: nothing has.
    func take(into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, buffer.count - first)
        room.copyBytes(from: buffer[first..<first + count])
        first += count
        return count
    }

    /// Of the last answer.
    var head: HTTPHead {
        var fields: [(name: String, value: String)] = []
        var field = curl.easy_nextheader(easy, UInt32(CURLH_HEADER), -1, nil)
        while let entry = field {
            fields.append((String(cString: entry.pointee.name), String(cString: entry.pointee.value)))
            field = curl.easy_nextheader(easy, UInt32(CURLH_HEADER), -1, entry)
        }
        return HTTPHead(status: status, fields: fields, isShoutcast: isShoutcast)
    }

    private var status: Int { oav_curl_number(table, easy, Int32(CURLINFO_RESPONSE_CODE)) }

    /// Where the last request went or should have gone.
    var lastAddress: HTTPAddress? {
        oav_curl_text(table, easy, Int32(CURLINFO_EFFECTIVE_URL)).flatMap { HTTPAddress(String(cString: $0)) }
    }

    /// How the transfer has ended before its body has; nil: it has not.
    var fault: ServerFault? {
        guard let result, result != CURLE_OK else { return nil }
        if let refusal { return refusal }
        let general = errorText.pointee == 0 ? curl.easy_strerror(result) : nil
        let words = String(cString: general ?? UnsafePointer(errorText))
        let isRedirected = (300..<400).contains(status)
        switch Int(result) {
        case CURLE_TOO_MANY_REDIRECTS: return .redirected("its server redirects too often (\(words))")
        case CURLE_UNSUPPORTED_PROTOCOL where isRedirected, CURLE_URL_MALFORMAT where isRedirected:
            return .redirected("its server redirects to an address that is not followed (\(words))")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_TOO_LARGE: return .malformed(words)
        case CURLE_PEER_FAILED_VERIFICATION:
            return .untrusted(host: lastAddress?.host ?? "", reason: words)
        case CURLE_SSL_CACERT_BADFILE: return .notReady(authoritiesAreMissing)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: return .lost
        // Many servers close an encrypted connection without a word.
        case CURLE_RECV_ERROR where isEncrypted: return .lost
        default: return .unreachable(words)
        }
    }

    private var authoritiesAreMissing: String {
        guard case .authorities(let path) = trust else {
            return "this system has no list of trusted authorities; install the package ca-certificates"
        }
        return
            "SSL_CERT_FILE is \(path.quoted), which is not a readable file of certificates (PEM); correct it or unset it"
    }
}
