internal import GuardCore

/// The claim of a guard for the focus holders on the bus.
///
/// Pure. Of a burst of requests, claims follow one after the other: the next one is made when the server has the last one.
struct GuardFocusClaim: Hashable, Sendable {
    struct Step: Hashable, Sendable {
        /// The claim to make, with its tag; nil: none.
        var made: FocusClaim?
        var tag: UInt64
        /// The tag of the claim to withdraw, after the new one was made.
        var withdrawn: UInt64?
    }

    private enum State: Hashable {
        /// Exit: a request -> `asked`.
        case none
        /// The server does not have the claim yet. `next`: the newest request meanwhile. Exits: the answer -> `made`, or the next request.
        case asked(UInt64, next: FocusClaim??)
        /// Also if the server refused the claim. Exit: a request -> `asked` or `none`.
        case made(UInt64)
    }

    private var state = State.none
    private var lastTag: UInt64 = 0

    /// - Returns: nil if the request waits for the server's answer to an earlier one.
    mutating func request(_ claim: FocusClaim?) -> Step? {
        let withdrawn: UInt64?
        switch state {
        case .asked(let tag, _):
            state = .asked(tag, next: .some(claim))
            return nil
        case .made(let tag): withdrawn = tag
        case .none: withdrawn = nil
        }
        lastTag += 1
        state = claim == nil ? .none : .asked(lastTag, next: nil)
        return Step(made: claim, tag: lastTag, withdrawn: withdrawn)
    }

    /// Handles a claim that could not be made at all.
    mutating func failed(_ tag: UInt64) {
        if case .asked(tag, _) = state { state = .made(tag) }
    }

    /// Handles the server's answer, also a refusal.
    ///
    /// - Returns: what the newest request meanwhile needs.
    mutating func answered(_ tag: UInt64) -> Step? {
        guard case .asked(tag, let next) = state else { return nil }
        state = .made(tag)
        return next.flatMap { request($0) }
    }
}
