import EffectCore
import Testing

@Suite struct EffectParametersTests {
    @Test(arguments: EffectKind.allCases)
    func table_ofEachEffect_hasUniqueNamesAndDefaultsInRange(_ kind: EffectKind) {
        let rows = kind.parameters(bands: 3)
        #expect(!rows.isEmpty)
        #expect(Set(rows.map(\.address)).count == rows.count)
        #expect(Set(rows.map(\.identifier)).count == rows.count)
        for row in rows {
            #expect(row.range.contains(row.defaultValue), "\(row)")
            #expect(row.valueNames.isEmpty || row.valueNames.count == Int(row.range.upperBound) + 1)
        }
        #expect(EffectKind(subType: kind.subType) == kind)
    }

    @Test func subTypes_areApplesFourLetters() {
        let letters = EffectKind.allCases.map { kind in
            String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: kind.subType >> $0) }, as: UTF8.self)
        }
        #expect(
            letters == [
                "nbeq", "dely", "rvb2", "dist", "dcmp", "lmtr", "lpas", "hpas", "bpas", "lshf", "hshf", "pmeq",
            ])
        #expect(EffectKind(subType: 0) == nil)
    }

    @Test func value_outOfRange_isClamped_andNoNumberChangesNothing() {
        let parameters = EffectParameters(.delay)
        #expect(parameters.value(at: 1) == 1)
        parameters.set(5, at: 1)
        #expect(parameters.value(at: 1) == 2)
        parameters.set(-.infinity, at: 1)
        #expect(parameters.value(at: 1) == 0)
        parameters.set(.nan, at: 1)
        #expect(parameters.value(at: 1) == 0)
        parameters.set(1, at: 99)
        #expect(parameters.value(at: 99) == nil)
    }

    @Test func measurement_cannotBeSet() {
        let parameters = EffectParameters(.dynamics)
        let before = parameters.value(at: 1000)
        parameters.set(3, at: 1000)
        #expect(parameters.value(at: 1000) == before)
    }

    @Test func bands_haveAddressesThatCountUp() {
        let parameters = EffectParameters(.equalizer, bands: 1000)
        #expect(parameters.descriptions.count == 5001)
        parameters.set(440, at: 3999)
        #expect(parameters.value(at: 3999) == 440)
        #expect(parameters.descriptions.first { $0.address == 3999 }?.name == "Frequency 1000")
        #expect(EffectParameters(.equalizer).descriptions.map(\.address) == [0])
    }
}
