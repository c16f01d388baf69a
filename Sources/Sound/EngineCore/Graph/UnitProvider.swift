internal import Synchronization

/// Units of one kind that this library does not contain: the plug-ins that are installed.
///
/// All members: any thread but the render thread.
package protocol UnitProvider: Sendable {
    /// For people; no two registered providers have the same.
    var name: String { get }

    /// Four letters that name the maker of its units where descriptions have numbers.
    var code: UInt32 { get }

    /// The units that can be made, the same each time; the first call may read files.
    var units: [ProvidedUnit] { get }

    /// Why there are no units, printable; nil where a search was possible.
    ///
    /// The first call may read files.
    var failure: String? { get }
}

/// A unit of a provider, before it is made.
package struct ProvidedUnit: Sendable {
    /// For people.
    package let name: String
    /// For people; empty where it is not known.
    package let maker: String
    /// What kind of unit it is, for people; empty where that is not known.
    package let category: String
    /// Unique among the units of its provider, and the same on each machine.
    package let uri: String
    package let make: @Sendable () -> any ParameterizedUnit

    package init(
        name: String, maker: String, category: String, uri: String,
        make: @escaping @Sendable () -> any ParameterizedUnit
    ) {
        (self.name, self.maker, self.category, self.uri, self.make) = (name, maker, category, uri, make)
    }
}

/// The providers that this program has registered.
///
/// They are asked each time that units are listed or one is made by its name.
///
/// Any thread.
package enum UnitProviders {
    private static let registered = Mutex<[any UnitProvider]>([])

    /// Replaces a provider of the same name; its place stays.
    package static func register(_ provider: any UnitProvider) {
        registered.withLock { providers in
            if let place = providers.firstIndex(where: { $0.name == provider.name }) {
                providers[place] = provider
            } else {
                providers.append(provider)
            }
        }
    }

    /// In the order of their first registration.
    package static var all: [any UnitProvider] { registered.withLock { $0 } }
}
