/// Brings what several threads deliver back into the order in which it was decided.
///
/// A notice is numbered where it is decided, and delivered when its thread is there and all before it were delivered.
package struct NoticeOrder<Notice> {
    private var next: UInt64 = 0
    private var early: [UInt64: Notice] = [:]

    package init() {}

    /// - Parameter number: from 0, each number once.
    /// - Returns: what is to be delivered now, in order.
    package mutating func add(_ notice: Notice, number: UInt64) -> [Notice] {
        early[number] = notice
        var due: [Notice] = []
        while let notice = early.removeValue(forKey: next) {
            due.append(notice)
            next += 1
        }
        return due
    }
}
