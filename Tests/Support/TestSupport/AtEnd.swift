/// Does something when it goes, as the deinitialisers of apps do.
package final class AtEnd: Sendable {
    private let body: @Sendable () -> Void

    package init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}
