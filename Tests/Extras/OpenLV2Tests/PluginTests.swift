import EffectCore
import EngineCore
import Foundation
import TestSupport
import Testing

@testable import OpenLV2

/// What descriptions of plug-ins claim, which comes from files of strangers.
@Suite struct PluginTests {
    private typealias Port = PluginClaims.Port

    private func claims(_ ports: [PluginClaims.Port]) -> PluginClaims {
        let (input, output) = (
            Port(kind: .audio, isInput: true, symbol: "in", name: "In"),
            Port(kind: .audio, isInput: false, symbol: "out", name: "Out")
        )
        return PluginClaims(uri: "urn:test", name: "Test", ports: [input, output] + ports)
    }

    private func control(_ symbol: String, _ change: (inout PluginClaims.Port) -> Void = { _ in }) -> PluginClaims.Port
    {
        var port = Port(kind: .control, isInput: true, symbol: symbol, name: symbol)
        change(&port)
        return port
    }

    private func parameter(_ change: (inout PluginClaims.Port) -> Void) throws -> UnitParameter? {
        try Plugin(claims([control("x", change)])).parameters.first
    }

    @Test func control_isAParameter_withItsRangeUnitAndNames() throws {
        let parameter = try #require(
            try parameter { port in
                (port.minimum, port.maximum, port.defaultValue) = (-1, 1, 0)
                port.unit = "http://lv2plug.in/ns/extensions/units#db"
                port.valueNames = [(1, "high"), (0, "middle"), (-1, "low")]
                port.isInteger = true
            })
        #expect(parameter.address == 2)
        #expect((parameter.identifier, parameter.name, parameter.unit) == ("x", "x", .decibels))
        #expect((parameter.range, parameter.defaultValue) == (-1...1, 0))
        #expect(parameter.valueNames == ["low", "middle", "high"])
        #expect(parameter.isWritable)
    }

    @Test func rangesThatMakeNoSense_areBroughtToSome() throws {
        let ranges: [(Float?, Float?, Float?, ClosedRange<Float>, Float)] = [
            (nil, nil, nil, 0...1, 0), (.nan, .nan, .nan, 0...1, 0), (5, 1, 9, 1...5, 5),
            (-.infinity, .infinity, 3, -1e9...1e9, 3), (0, 1, -7, 0...1, 0), (4, nil, nil, 4...4, 4),
        ]
        for (minimum, maximum, value, range, expected) in ranges {
            let made = try parameter { ($0.minimum, $0.maximum, $0.defaultValue) = (minimum, maximum, value) }
            // What can have one value only is no parameter.
            guard range.lowerBound < range.upperBound else {
                #expect(made == nil)
                continue
            }
            #expect(made?.range == range)
            #expect(made?.defaultValue == expected)
        }
    }

    @Test func textsThatCouldHarmATerminal_areChanged_andLongOnesCut() throws {
        var claims = claims([control("a b\u{1b}[31m/..ü")])
        claims.name = "Evil\u{1b}]0;x\u{7}\n" + String(repeating: "x", count: 10_000)
        claims.author = "\u{202e}rohtua"
        claims.ports[2].name = ""
        let plugin = try Plugin(claims)
        #expect(plugin.name.hasPrefix("Evil\u{FFFD}]0;x\u{FFFD}\u{FFFD}xxx"))
        #expect(plugin.name.unicodeScalars.count == 80)
        #expect(plugin.author == "\u{FFFD}rohtua")
        #expect(plugin.parameters[0].identifier == "ab31m")
        #expect(plugin.parameters[0].name == "ab31m")
    }

    @Test func symbolsThatRepeat_areToldApart() throws {
        let plugin = try Plugin(claims([control("x"), control("x"), control(""), control("port_4"), control("x_3")]))
        #expect(Set(plugin.parameters.map(\.identifier)).count == 5)
        #expect(plugin.parameters.map(\.address) == [2, 3, 4, 5, 6])
    }

    private func refusal(_ claims: PluginClaims) -> Plugin.Refusal? {
        #expect(throws: Plugin.Refusal.self) { try Plugin(claims) }
    }

    @Test func whatCannotRun_isRefusedWithTheReason() {
        var wrong = claims([])
        wrong.uri = ""
        #expect(refusal(wrong) == .uri)
        wrong.uri = "urn:a b"
        #expect(refusal(wrong) == .uri)
        wrong = claims((0..<2000).map { control("c\($0)") })
        #expect(refusal(wrong) == .ports(2002))
        wrong = claims((0..<65).map { Port(kind: .audio, isInput: true, symbol: "i\($0)", name: "") })
        #expect(refusal(wrong) == .ports(67))
        wrong = claims([Port(kind: .other, isInput: true, symbol: "cv", name: "")])
        #expect(refusal(wrong) == .port("cv"))
        wrong.ports[2].isOptional = true
        #expect(throws: Never.self) { try Plugin(wrong) }
        wrong = claims([])
        wrong.requiredFeatures = ["http://lv2plug.in/ns/ext/urid#map", "http://lv2plug.in/ns/ext/worker#schedule"]
        #expect(refusal(wrong) == .feature("http://lv2plug.in/ns/ext/worker#schedule"))
        wrong.requiredFeatures = ["http://lv2plug.in/ns/ext/urid#map"]
        #expect(throws: Never.self) { try Plugin(wrong) }
        // A meter without an output, an instrument without an input.
        for side in [true, false] {
            wrong = claims([])
            wrong.ports.removeAll { $0.isInput != side }
            #expect(refusal(wrong) == .noEffect)
        }
    }

    @Test func randomClaims_areRefused_orWithinBounds() {
        var random = Seeded(seed: 2208)
        let numbers: [Float?] = [nil, .nan, .infinity, -.infinity, 0, -0.0, 1, -1, 1e30, -1e30, .leastNonzeroMagnitude]
        let texts = [
            "", "a", "\0\n", "e\u{301}\u{301}", String(repeating: "\u{202e}x", count: 500), "1/2", "port_0", "名",
        ]
        var taken = 0
        for _ in 0..<20_000 {
            var claims = PluginClaims(
                uri: Bool.random(using: &random) ? "urn:x" : texts.randomElement(using: &random)!,
                name: texts.randomElement(using: &random)!, author: texts.randomElement(using: &random)!)
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let kind = [Port.Kind.audio, .audio, .control, .control, .control, .events, .other].randomElement(
                    using: &random)!
                var port = Port(
                    kind: kind, isInput: .random(using: &random), symbol: texts.randomElement(using: &random)!,
                    name: texts.randomElement(using: &random)!)
                port.minimum = numbers.randomElement(using: &random)!
                port.maximum = numbers.randomElement(using: &random)!
                port.defaultValue = numbers.randomElement(using: &random)!
                (port.isToggled, port.isInteger) = (.random(using: &random), .random(using: &random))
                (port.isOptional, port.isLatency) = (.random(using: &random), .random(using: &random))
                port.unit = texts.randomElement(using: &random)!
                port.valueNames = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    (numbers.randomElement(using: &random)! ?? 0, texts.randomElement(using: &random)!)
                }
                claims.ports.append(port)
            }
            guard let plugin = try? Plugin(claims) else { continue }
            taken += 1
            let unit = PluginUnit(plugin, of: PluginLibrary(library: "no-such-library"))
            #expect(Set(plugin.parameters.map(\.identifier)).count == plugin.parameters.count)
            for parameter in plugin.parameters {
                #expect(parameter.range.lowerBound.isFinite && parameter.range.upperBound.isFinite)
                #expect(parameter.range.contains(parameter.defaultValue))
                #expect(!parameter.name.isEmpty && !parameter.identifier.isEmpty)
                for value in numbers.compactMap(\.self) {
                    unit.setValue(value, at: parameter.address)
                    let kept = unit.value(at: parameter.address)
                    #expect(!parameter.isWritable || kept.map(parameter.range.contains) ?? false)
                }
            }
        }
        #expect(taken > 2000)
    }

    @Test func library_withoutLilv_isEmpty_andSaysWhy() {
        let library = PluginLibrary(library: "liblilv-of-nowhere.so")
        #expect(library.plugins.isEmpty)
        #expect(library.failure?.contains("liblilv-of-nowhere.so") ?? false)
    }
}
