import Testing

@testable import EngineCore

/// The registry of plug-ins.
@Suite struct UnitProviderTests {
    private struct Provider: UnitProvider {
        var name: String
        var code: UInt32
        var units: [ProvidedUnit] = []
        var failure: String?
    }

    /// A program of its own, as what is registered stays registered.
    @Test func provider_isRegisteredOnce_andANewOneOfItsNameTakesItsPlace() async {
        await #expect(processExitsWith: .success) {
            #expect(UnitProviders.all.isEmpty)
            UnitProviders.register(Provider(name: "A", code: 1))
            UnitProviders.register(Provider(name: "B", code: 2))
            UnitProviders.register(Provider(name: "A", code: 3, failure: "no library"))
            #expect(UnitProviders.all.map(\.name) == ["A", "B"])
            #expect(UnitProviders.all.map(\.code) == [3, 2])
            #expect(UnitProviders.all.map(\.failure) == ["no library", nil])
        }
    }
}
