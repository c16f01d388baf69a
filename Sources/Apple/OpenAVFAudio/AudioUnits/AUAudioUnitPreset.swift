public import Foundation

/// A set of values of a unit, with a name.
///
/// Source: SDK header AUAudioUnit.h.
open class AUAudioUnitPreset: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var stored = (number: 0, name: "")

    /// Number 0, without a name.
    public override init() { super.init() }

    /// 0 and above for a preset of the unit's own, below 0 for one of the user's.
    open var number: Int {
        get { lock.withLock { stored.number } }
        set { lock.withLock { stored.number = newValue } }
    }

    /// For people.
    open var name: String {
        get { lock.withLock { stored.name } }
        set { lock.withLock { stored.name = newValue } }
    }
}
