public import Foundation

/// A named set of a unit's values.
///
/// Source: SDK header AUAudioUnit.h.
open class AUAudioUnitPreset: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var stored = (number: 0, name: "")

    /// Creates a preset with the number 0 and an empty name.
    public override init() { super.init() }

    /// The number: 0 and above for a preset of the unit, below 0 for a preset of the user.
    open var number: Int {
        get { lock.withLock { stored.number } }
        set { lock.withLock { stored.number = newValue } }
    }

    /// The name to show to users.
    open var name: String {
        get { lock.withLock { stored.name } }
        set { lock.withLock { stored.name = newValue } }
    }
}
