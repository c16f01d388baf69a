import EngineCore
import TestAudio
import TestSupport
import Testing

@testable import OpenLV2

/// Plug-ins that run and do what they must not; and what every plug-in may rely on.
@Suite struct HostilePluginTests {
    private typealias Port = PluginBundle.Port

    fileprivate func code(run: String, before: String = "", instantiate: String = "") -> PluginBundle.Code {
        var code = PluginBundle.Code()
        (code.run, code.before, code.instantiate) = (run, before, instantiate)
        return code
    }

    fileprivate func value(_ symbol: String, of unit: PluginUnit) throws -> Float? {
        let parameter = try #require(unit.parameters.first { $0.identifier == symbol })
        return unit.value(at: parameter.address)
    }

    private static let copy =
        "for (u32 frame = 0; frame < frames; frame++) self->port[1][frame] = self->port[0][frame];"

    // MARK: Sound

    @Test func samplesThatAreNoNumbers_areSilence_andOthersStay() throws {
        let bench = try PluginBench(
            [.input, .output],
            code(
                run: Self.copy
                    + """
                    self->port[1][1] = __builtin_nanf(""); self->port[1][3] = __builtin_inff();
                    self->port[1][4] = -__builtin_inff();
                    """))
        let sound = ramp(1, 8)
        let heard = try bench.run([sound, sound], block: 8)
        let expected: [Float] = [sound[0], 0, sound[2], 0, 0, sound[5], sound[6], sound[7]]
        #expect(heard == [expected, expected])
        // Also in the mean of the outputs.
        let wide = try PluginBench(
            [.input, .output, .output],
            code(run: Self.copy + "for (u32 frame = 0; frame < frames; frame++) self->port[2][frame] = 1.0f / 0;"))
        #expect(try wide.run([sound], block: 8) == [silence])
    }

    private var silence: [Float] { [Float](repeating: 0, count: 8) }

    /// It is given room for as many frames as was announced, and no more are asked for.
    @Test func block_longerThanWasAnnounced_isSilent_andThePlugInIsNotCalled() throws {
        let bench = try PluginBench([.input, .output], code(run: Self.copy))
        let calls = try PluginCalls(bench.bundle)
        let processor = try bench.makeProcessor(PluginBench.shape(inputs: 1, block: 4))
        #expect(PluginBench.process(processor, [ramp(1, 8)], outputs: 1) == [silence])
        #expect(calls.letters == "IA")
        #expect(PluginBench.process(processor, [ramp(1, 4)], outputs: 1) == [ramp(1, 4)])
        #expect(calls.letters == "IAR")
    }

    /// Also where the plug-in writes into the sound that it reads.
    @Test func input_thatThePlugInWritesTo_isItsOwnCopy() throws {
        let bench = try PluginBench(
            [.input, .output],
            code(run: Self.copy + "for (u32 frame = 0; frame < frames; frame++) self->port[0][frame] = 9;"))
        let sound = ramp(1, 16)
        #expect(try bench.run([sound], block: 8) == [sound])
        bench.unit.isBypassed = true
        #expect(try bench.run([sound], block: 8) == [sound])
    }

    @Test func plugin_thatIsBypassed_isNotCalled_andIsAgainAfterwards() throws {
        let bench = try PluginBench(
            [.input, .output], code(run: "for (u32 frame = 0; frame < frames; frame++) self->port[1][frame] = 0;"))
        let calls = try PluginCalls(bench.bundle)
        bench.unit.isBypassed = true
        let processor = try bench.makeProcessor(PluginBench.shape(inputs: 1, block: 8))
        for _ in 0..<3 { #expect(PluginBench.process(processor, [ramp(1, 8)], outputs: 1) == [ramp(1, 8)]) }
        #expect(calls.letters == "IA")
        bench.unit.isBypassed = false
        _ = PluginBench.process(processor, [ramp(1, 8)], outputs: 1)
        #expect(calls.letters == "IAR")
    }

    // MARK: Numbers

    @Test func numbersThatItSays_areTold_exceptWhatIsNone() throws {
        let bench = try PluginBench(
            [
                .input, .output, .control("set", "; lv2:default 1 ; lv2:minimum 0 ; lv2:maximum 4"),
                .measurement("said"),
            ],
            code(
                run: """
                    float set = *self->port[2];
                    *self->port[3] = set == 2 ? __builtin_nanf("") : set == 3 ? __builtin_inff() : set * 10;
                    """))
        let set = try #require(bench.unit.parameters.first { $0.identifier == "set" }).address
        for (number, said) in [(1, 10), (2, 10), (4, 40), (3, 40), (0, 0)] as [(Float, Float)] {
            bench.unit.setValue(number, at: set)
            _ = try bench.run([[0]])
            #expect(try value("said", of: bench.unit) == said)
        }
        // It is told, and cannot be set.
        let said = try #require(bench.unit.parameters.first { $0.identifier == "said" })
        bench.unit.setValue(7, at: said.address)
        bench.unit.schedule(7, at: said.address, from: 0, rampFrames: 0)
        #expect(!said.isWritable && bench.unit.value(at: said.address) == 0)
    }

    @Test func settingThatThePlugInChanges_isAsTheAppSetIt_inTheNextBlock() throws {
        let bench = try PluginBench(
            [.input, .output, .control("gain", "; lv2:default 0.5 ; lv2:minimum 0 ; lv2:maximum 1")],
            code(
                run: """
                    for (u32 frame = 0; frame < frames; frame++) self->port[1][frame] = *self->port[2];
                    *self->port[2] = 100;
                    """))
        #expect(try bench.run([silence], block: 2) == [[Float](repeating: 0.5, count: 8)])
        #expect(try value("gain", of: bench.unit) == 0.5)
    }

    @Test(arguments: [44_100.0, 96_000]) func settingInPartsOfTheRate_isHertzForThePlugIn(rate: Double) throws {
        let bench = try PluginBench(
            [
                .input, .output,
                .control(
                    "cutoff", "; lv2:default 0.25 ; lv2:minimum 0 ; lv2:maximum 0.5 ; lv2:portProperty lv2:sampleRate"),
                .measurement("hertz"),
            ], code(run: "*self->port[3] = *self->port[2] == self->rate / 4 ? *self->port[2] : -1;"))
        _ = try bench.run([[0]], rate: rate)
        #expect(try value("hertz", of: bench.unit) == Float(rate / 4))
    }

    /// A head of 16 bytes: the size behind the first 8, and the type.
    @Test func listsOfEvents_areEmptyInEachBlock_whateverThePlugInLeavesThere() throws {
        let bench = try PluginBench(
            [
                .input, .output, .measurement("wrong"),
                Port("a atom:AtomPort, lv2:InputPort ; lv2:symbol \"e\" ; lv2:name \"E\""),
                Port("a atom:AtomPort, lv2:OutputPort ; lv2:symbol \"f\" ; lv2:name \"F\""),
            ],
            code(
                run: """
                    u32 *in = (u32 *)self->port[3], *out = (u32 *)self->port[4];
                    if (in[0] != 8 || !in[1] || in[2] || in[3]) wrong++;
                    if (out[0] < 1024 || !out[1] || out[1] == in[1]) wrong++;
                    for (int index = 0; index < 4; index++) in[index] = out[index] = 0xffffffff;
                    *self->port[2] = wrong;
                    """, before: "static int wrong;"))
        let calls = try PluginCalls(bench.bundle)
        _ = try bench.run([silence], block: 2)
        #expect(try value("wrong", of: bench.unit) == 0)
        #expect(calls.letters.count { $0 == "R" } == 4)
    }

    // MARK: What it is given

    /// What LV2's headers call LV2_URID_Map, LV2_URID_Unmap and LV2_Options_Option.
    fileprivate static let features = """
        struct map { void *handle; u32 (*map)(void *, const char *); };
        struct unmap { void *handle; const char *(*unmap)(void *, u32); };
        struct option { u32 context, subject, key, size, type; const void *value; };
        static float longest, hertz, oddities, live;
        static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
        static void look(const struct feature *const *features)
        {
            struct map *map = 0; struct unmap *unmap = 0; struct option *options = 0;
            for (; *features; features++) {
                if (same((*features)->uri, "http://lv2plug.in/ns/ext/urid#map")) map = (*features)->data;
                if (same((*features)->uri, "http://lv2plug.in/ns/ext/urid#unmap")) unmap = (*features)->data;
                if (same((*features)->uri, "http://lv2plug.in/ns/ext/options#options")) options = (*features)->data;
                if (same((*features)->uri, "http://lv2plug.in/ns/lv2core#isLive")) live = 1;
            }
            for (; options->key; options++) {
                if (options->key == map->map(map->handle, "http://lv2plug.in/ns/ext/buf-size#maxBlockLength"))
                    longest = *(const int *)options->value;
                if (options->key == map->map(map->handle, "http://lv2plug.in/ns/ext/parameters#sampleRate"))
                    hertz = *(const float *)options->value;
            }
            static char text[100000];
            for (int index = 0; index < 99999; index++) text[index] = 'x';
            if (map->map(map->handle, text)) oddities++;
            if (map->map(map->handle, 0)) oddities++;
            u32 number = map->map(map->handle, "urn:test#a");
            if (!number || number != map->map(map->handle, "urn:test#a")) oddities++;
            if (number == map->map(map->handle, "urn:test#b")) oddities++;
            if (!unmap->unmap(unmap->handle, number) || !same(unmap->unmap(unmap->handle, number), "urn:test#a"))
                oddities++;
            if (unmap->unmap(unmap->handle, 0) || unmap->unmap(unmap->handle, 0xffffffff)) oddities++;
        }
        """

    @Test func plugin_isToldTheRateAndTheLongestBlock_andMayMapItsURIs() throws {
        let bench = try PluginBench(
            [.input, .output] + ["longest", "hertz", "live", "oddities"].map { .measurement($0) },
            code(
                run: """
                    *self->port[2] = longest; *self->port[3] = hertz; *self->port[4] = live; *self->port[5] = oddities;
                    """, before: Self.features, instantiate: "look(features);"))
        _ = try bench.run([[0]], block: 333, rate: 44_100)
        let said = try ["longest", "hertz", "live", "oddities"].map { try value($0, of: bench.unit) }
        #expect(said == [333, 44_100, 1, 0])
    }

    /// A process of its own: the numbers stay taken.
    @Test func plugin_thatMapsWithoutEnd_getsNoMoreNumbers_andOthersAreHosted() async {
        await #expect(processExitsWith: .success) {
            let tests = HostilePluginTests()
            let flood = """
                static float given;
                static void flood(const struct map *map)
                {
                    char uri[] = "urn:flood#00000";
                    for (int index = 0; index < 10000; index++) {
                        for (int digit = 14, rest = index; digit > 9; digit--, rest /= 10) uri[digit] = '0' + rest % 10;
                        if (map->map(map->handle, uri)) given++;
                    }
                }
                """
            let greedy = try PluginBench(
                [.input, .output, .measurement("given")],
                tests.code(
                    run: "*self->port[2] = given;", before: Self.features + flood,
                    instantiate: "look(features); flood((*features)->data);"))
            _ = try greedy.run([[0]])
            let given = try tests.value("given", of: greedy.unit)
            // The first feature is the map.
            #expect(given.map { (1000..<4096).contains($0) } == true)
            let other = try PluginBench(
                [.input, .output, .measurement("longest")],
                tests.code(run: "*self->port[2] = longest;", before: Self.features, instantiate: "look(features);"))
            _ = try other.run([[0]], block: 333)
            #expect(try tests.value("longest", of: other.unit) == 333)
        }
    }

    // MARK: Life

    @Test func functions_areCalledInLV2sOrder_forEachInstance() throws {
        let bench = try PluginBench([.input, .output], code(run: Self.copy))
        let calls = try PluginCalls(bench.bundle)
        var processor: (any UnitProcessor)? = try bench.makeProcessor(PluginBench.shape(inputs: 2, block: 8))
        #expect(calls.letters == "IIAA")
        if let processor { _ = PluginBench.process(processor, [silence, silence], outputs: 2) }
        #expect(calls.letters == "IIAARR")
        processor = nil
        #expect(calls.letters == "IIAARRDDXX")
    }

    /// One port on each side: an instance for each channel, which knows nothing of the others.
    @Test func instances_areApart() throws {
        let bench = try PluginBench(
            [.input, .output],
            code(
                run: """
                    for (u32 frame = 0; frame < frames; frame++)
                        self->port[1][frame] = last[self->number] += self->port[0][frame];
                    """, before: "static float last[16];"))
        let heard = try bench.run([[1, 1, 1, 1], [0, 0, 0, 0], [2, 0, 0, 2]], block: 2)
        #expect(heard == [[1, 2, 3, 4], [0, 0, 0, 0], [2, 2, 2, 4]])
    }

    // MARK: Channels

    /// The rules that `PluginLayout` states, in words of their own.
    private func expected(_ ports: (Int, Int), _ sound: [Float], outputs: Int) -> [Float] {
        // Output port p has input port p modulo their number, times p + 1.
        func run(_ inputs: [Float]) -> [Float] { (0..<ports.1).map { inputs[$0 % inputs.count] * Float($0 + 1) } }
        if ports == (1, 1), sound.count == outputs { return sound.flatMap { run([$0]) } }
        let mean = sound.reduce(0, +) / Float(sound.count)
        let fed =
            sound.count == 1
            ? [Float](repeating: sound[0], count: ports.0)
            : ports.0 == 1 ? [mean] : (0..<ports.0).map { $0 < sound.count ? sound[$0] : 0 }
        let made = run(fed)
        if outputs == 1 { return [made.reduce(0, +) / Float(made.count)] }
        return (0..<outputs).map { made.count == 1 ? made[0] : $0 < made.count ? made[$0] : 0 }
    }

    @Test(arguments: [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)])
    func channelsAndPorts_goTogether_forEveryNumberOfBoth(inputs: Int, outputs: Int) throws {
        func port(_ kind: String, _ number: Int) -> Port {
            Port("a lv2:AudioPort, lv2:\(kind)Port ; lv2:symbol \"\(kind)\(number)\" ; lv2:name \"\(kind)\"")
        }
        let ports = (0..<inputs).map { port("Input", $0) } + (0..<outputs).map { port("Output", $0) }
        let bench = try PluginBench(
            ports,
            code(
                run: """
                    for (u32 frame = 0; frame < frames; frame++)
                        for (int out = 0; out < \(outputs); out++)
                            self->port[\(inputs) + out][frame] = self->port[out % \(inputs)][frame] * (out + 1);
                    """))
        // Powers of two and their sums: every mean is exact but those of three.
        for channels in 1...5 {
            let sound = (0..<channels).map { Float(1 << $0) }
            for heard in 1...5 {
                let result = try bench.run(sound.map { [0, $0, -$0] }, outputs: heard, block: 2)
                let wanted = expected((inputs, outputs), sound, outputs: heard)
                for (channel, value) in zip(result, wanted) {
                    // 2 units in the last place of the largest number, 31 · 2.
                    #expect(channel[0] == 0 && abs(channel[1] - value) < 1e-5 && channel[2] == -channel[1])
                }
                #expect(result.count == heard)
            }
        }
    }
}
