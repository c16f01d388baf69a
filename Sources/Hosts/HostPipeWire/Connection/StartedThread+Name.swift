internal import CPipeWireShims
package import Threading

extension StartedThread {
    /// - Parameter name: at most 15 characters.
    /// - Returns: nil if the system has no more threads.
    package init?(named name: String, _ body: @escaping @Sendable () -> Void) {
        self.init {
            oav_name_thread(name)
            body()
        }
    }
}
