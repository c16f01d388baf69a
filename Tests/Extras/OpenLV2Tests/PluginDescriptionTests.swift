import EffectCore
import EngineCore
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import OpenLV2

/// What lilv makes of the files of strangers, and what is offered of it.
@Suite struct PluginDescriptionTests {
    private typealias Port = PluginBundle.Port

    /// What is offered of a description, and what is refused.
    private func scan(_ description: String) throws -> (plugin: Plugin?, refusal: Plugin.Refusal?) {
        let bundle = try PluginBundle(description)
        return withExtendedLifetime(bundle) {
            let library = PluginLibrary(path: bundle.directory.path)
            #expect(library.plugins.count <= 1 && library.failure == nil)
            return (library.plugins.first, library.refused[PluginBundle.uri])
        }
    }

    private func parameter(_ facts: String) throws -> UnitParameter? {
        let description = PluginBundle.description([.input, .output, .control("x", facts)])
        return try #require(try scan(description).plugin).parameters.first
    }

    // MARK: Ports

    @Test(arguments: [
        "", "<urn:test> a lv2:Plugin .", "<urn:test> a lv2:Plugin ; doap:name \"x\" ; lv2:port [ a lv2:AudioPort ] .",
        "<urn:test> a lv2:Plugin ; lv2:port [ lv2:index -5 ; a lv2:AudioPort, lv2:InputPort ] .",
        "<urn:test> a lv2:Plugin ; lv2:port [ lv2:index 4294967295 ; a lv2:AudioPort, lv2:InputPort ; lv2:symbol \"x\" ] .",
        "<urn:test> a lv2:Plugin ; doap:name \"unterminated",
        "<urn:test> a lv2:Plugin ; doap:name \"x\" ; lv2:port \"text\" .",
        "<urn:test> a lv2:Plugin ; doap:name \"x\" ; lv2:port [ lv2:index \"1\" ; a lv2:AudioPort, lv2:InputPort ] .",
        "<urn:test> a lv2:Plugin ; doap:name \"x\" ; lv2:port [ lv2:index 0, 99999999 ; a lv2:AudioPort, lv2:InputPort ] .",
        "\u{0}\u{1}\u{2}",
    ]) func descriptionThatIsNonsense_offersNothing(text: String) throws {
        #expect(try scan(text).plugin == nil)
    }

    /// The ports 0 and 1, and then one far behind: what is between them has no place to be connected.
    @Test(arguments: [3, 7, 1000, 1024, 70_000]) func portBehindAGap_refusesThePlugIn(index: Int) throws {
        let text =
            "<urn:test> lv2:port [ a lv2:ControlPort, lv2:InputPort ; lv2:symbol \"x\" ; lv2:name \"X\" ; lv2:index \(index) ] .\n"
        let (plugin, refusal) = try scan(PluginBundle.description([.input, .output]) + text)
        #expect(plugin == nil)
        #expect(refusal == (index <= 1024 ? .noEffect : .ports(1025)))
    }

    @Test func twoPortsAtOnePlace_areOne_orRefuseThePlugIn() throws {
        let text = PluginBundle.description([.input, .output, .control("a")])
        let again =
            "<urn:test> lv2:port [ a lv2:AudioPort, lv2:OutputPort ; lv2:symbol \"b\" ; lv2:name \"B\" ; lv2:index 2 ] .\n"
        let plugin = try scan(text + again).plugin
        #expect(plugin.map { $0.ports.count == 3 } != false)
    }

    @Test(arguments: [1024, 1025, 3000]) func plugIn_withThousandsOfPorts_isOffered_up_to1024(count: Int) throws {
        let controls = (2..<count).map { Port.control("c\($0)") }
        let (plugin, refusal) = try scan(PluginBundle.description([.input, .output] + controls))
        #expect(plugin?.ports.count == (count > 1024 ? nil : 1024))
        #expect(plugin?.parameters.count == (count > 1024 ? nil : 1022))
        #expect((refusal == nil) == (count <= 1024))
    }

    @Test func plugIn_withTheMostPorts_runs() throws {
        let controls = (2..<1024).map { Port.control("c\($0)", "; lv2:default 0.5 ; lv2:minimum 0 ; lv2:maximum 1") }
        var code = PluginBundle.Code()
        code.run = "for (int port = 2; port < 1024; port++) self->port[1][0] += *self->port[port];"
        let bench = try PluginBench([.input, .output] + controls, code)
        bench.unit.setValue(1, at: 1023)
        #expect(try bench.run([[0]]) == [[1022 * 0.5 + 0.5]])
    }

    // MARK: Numbers

    @Test(
        arguments: [
            ("; lv2:default \"NaN\"^^xsd:float ; lv2:minimum 0 ; lv2:maximum 2", 0, 2, 0),
            ("; lv2:default -3 ; lv2:minimum 1 ; lv2:maximum 2", 1, 2, 1),
            ("; lv2:default 5 ; lv2:minimum 3 ; lv2:maximum -3", -3, 3, 3),
            ("; lv2:default -1e30 ; lv2:minimum -1e38 ; lv2:maximum 1e38", -1e9, 1e9, -1e9),
            ("; lv2:default 1e999 ; lv2:minimum -1e999 ; lv2:maximum 1e999", -1e9, 1e9, 1e9),
            ("; lv2:default \"much\" ; lv2:minimum <urn:x> ; lv2:maximum [ ]", 0, 1, 0),
            ("; lv2:minimum 4", 4, 4, 4),
            ("; lv2:default true ; lv2:portProperty lv2:toggled ; lv2:minimum -7 ; lv2:maximum 7", 0, 1, 0),
            ("; lv2:default 2, 7 ; lv2:minimum 0 ; lv2:maximum 1", 0, 1, 1),
        ] as [(String, Float, Float, Float)])
    func numbersOfARange_areBroughtToSome(facts: String, least: Float, most: Float, value: Float) throws {
        let parameter = try parameter(facts)
        guard least < most else {
            #expect(parameter == nil, "what can have one value only is no parameter")
            return
        }
        #expect(parameter?.range == least...most)
        #expect(parameter?.defaultValue == value)
    }

    // MARK: Texts

    @Test func textsOfAFile_arePrintable_andCut() throws {
        let long = String(repeating: "ab", count: 40_000)
        let bundle = """
            <urn:test> a lv2:Plugin, lv2:DelayPlugin, <http://lv2plug.in/ns/lv2core#Evil%1B[2J> ;
                doap:name "N\\u001B[2J\\u009B\\u202E\\n" ; doap:maintainer [ foaf:name "M\\u0007\(long)" ] ;
                lv2:port [ a lv2:AudioPort, lv2:InputPort ; lv2:index 0 ; lv2:symbol "in" ; lv2:name "In" ] ,
                    [ a lv2:AudioPort, lv2:OutputPort ; lv2:index 1 ; lv2:symbol "out" ; lv2:name "Out" ] ,
                    [ a lv2:ControlPort, lv2:InputPort ; lv2:index 2 ; lv2:symbol "mode" ; lv2:name "P\\u001B]0;x\\u0007" ;
                      lv2:default 0 ; lv2:minimum 0 ; lv2:maximum 1 ; lv2:portProperty lv2:integer ;
                      lv2:scalePoint [ rdfs:label "one\\u001B[31m" ; rdf:value 1 ] , [ rdfs:label "zero\\u202E" ; rdf:value 0 ] ] .
            """
        let plugin = try #require(try scan(bundle).plugin)
        #expect(plugin.name == "N\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(plugin.author.unicodeScalars.count == 80 && plugin.author.hasPrefix("M\u{FFFD}abab"))
        let parameter = try #require(plugin.parameters.first)
        #expect(parameter.name == "P\u{FFFD}]0;x\u{FFFD}")
        #expect(parameter.valueNames == ["zero\u{FFFD}", "one\u{FFFD}[31m"])
        for text in [plugin.name, plugin.author, plugin.category, parameter.identifier] {
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && !(0x7f...0x9f).contains($0.value) })
        }
    }

    @Test func featureThatNobodyOffers_isTheReason_inPrintableText() throws {
        let text = PluginBundle.description(more: "; lv2:requiredFeature <urn:x#\\u202Efeature>", [.input, .output])
        #expect(try scan(text).refusal == .feature("urn:x#\u{FFFD}feature"))
        let known = PluginBundle.description(
            more: "; lv2:requiredFeature <http://lv2plug.in/ns/ext/urid#map>", [.input, .output])
        #expect(try scan(known).plugin != nil)
    }

    /// lilv writes what it reads to the standard error.
    @Test func messagesOfLilv_areMadePrintable() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let bundle = try PluginBundle(
                """
                <urn:test> lv2:port
                    [ a lv2:AudioPort, lv2:InputPort ; lv2:index 0 ; lv2:symbol "a:b=c\\u001B[2J" ; lv2:name "In" ] .
                """)
            _ = PluginLibrary(path: bundle.directory.path).plugins
            withExtendedLifetime(bundle) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a:b=c"))
        #expect(!text.contains("\u{1b}"))
    }

    /// A process of its own: lilv says a lot about it.
    @Test func descriptionsWithRandomDamage_areRefused_orWithinBounds() async {
        await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var random = Seeded(seed: 94)
            let whole = PluginBundle.description(
                [.input, .output, .latency]
                    + (0..<3).map { .control("c\($0)", "; lv2:default 0.5 ; lv2:minimum -1 ; lv2:maximum 1") })
            let pieces = Array(whole.utf8)
            let bundle = try PluginBundle()
            var offered = 0
            for _ in 0..<400 {
                var text = pieces
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let at = Int.random(in: 0..<text.count, using: &random)
                    let end = min(at + Int.random(in: 0...30, using: &random), text.count)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: text.removeSubrange(at..<end)
                    case 1: text[at] = UInt8.random(in: 1...127, using: &random)
                    case 2: text.insert(contentsOf: text[at..<end], at: at)
                    default: text[at] = UInt8(ascii: "9")
                    }
                }
                try bundle.write(String(decoding: text, as: UTF8.self))
                for plugin in PluginLibrary(path: bundle.directory.path).plugins {
                    offered += 1
                    #expect(plugin.ports.count <= 1024 && plugin.name.unicodeScalars.count <= 80)
                    for parameter in plugin.parameters {
                        #expect(plugin.ports.indices.contains(Int(parameter.address)))
                        #expect(parameter.range.lowerBound.isFinite && parameter.range.upperBound.isFinite)
                        #expect(parameter.range.contains(parameter.defaultValue))
                    }
                }
            }
            // Damage is often in a name or a number, which leaves a plug-in.
            #expect((50..<400).contains(offered), "\(offered)")
        }
    }
}
