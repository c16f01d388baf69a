import CAudioTypes
import Foundation
import RuntimeTestSupport
import Synchronization
import Testing

@testable import OpenAVFAudio

/// Trees of parameters, their values and their observers.
@Suite struct AUParameterTests {
    private func parameter(
        _ identifier: String, _ address: AUParameterAddress, names: [String]? = nil
    ) -> AUParameter {
        AUParameterTree.createParameter(
            withIdentifier: identifier, name: identifier.capitalized, address: address, min: 0, max: 10, unit: .hertz,
            unitName: nil, flags: [], valueStrings: names, dependentParameters: nil)
    }

    private func tree() -> AUParameterTree {
        let oscillator = AUParameterTree.createGroup(
            withIdentifier: "lfo", name: "Oscillator", children: [parameter("rate", 3), parameter("depth", 4)])
        return AUParameterTree.createTree(withChildren: [parameter("gain", 1), oscillator])
    }

    @Test func parameters_areFoundByAddressAndByKeyPath() throws {
        let tree = tree()
        #expect(tree.allParameters.map(\.identifier) == ["gain", "rate", "depth"])
        #expect(tree.children.map(\.identifier) == ["gain", "lfo"])
        let rate = try #require(tree.parameter(withAddress: 3))
        #expect(rate.keyPath == "lfo.rate")
        #expect(tree.value(forKeyPath: "lfo.rate") as? AUParameter === rate)
        #expect((tree.value(forKey: "lfo") as? AUParameterGroup)?.value(forKey: "rate") as? AUParameter === rate)
        rate.value = 7
        #expect(tree.value(forKeyPath: "lfo.rate.value") as? AUValue == 7)
        #expect(tree.value(forKeyPath: "lfo.phase") == nil)
        #expect(tree.parameter(withAddress: 2) == nil)
        #expect(tree.parameter(withID: 3, scope: kAudioUnitScope_Global, element: 0) === rate)
        #expect(tree.parameter(withID: 3, scope: kAudioUnitScope_Input, element: 0) == nil)
        #expect(tree.parameter(withID: 3, scope: kAudioUnitScope_Global, element: 1) == nil)
    }

    @Test func parameter_hasWhatItWasMadeWith() {
        let parameter = AUParameterTree.createParameter(
            withIdentifier: "mode", name: "Mode", address: 9, min: 1, max: 2, unit: .customUnit, unitName: "colors",
            flags: [.flag_IsReadable, .flag_CanRamp], valueStrings: ["red", "blue"], dependentParameters: [4])
        #expect((parameter.minValue, parameter.maxValue) == (1, 2))
        #expect((parameter.displayName, parameter.displayName(withLength: 2)) == ("Mode", "Mo"))
        #expect((parameter.unit, parameter.unitName) == (.customUnit, "colors"))
        #expect(parameter.flags == [.flag_IsReadable, .flag_CanRamp])
        #expect(parameter.dependentParameters == [4])
        #expect(parameter.valueStrings == ["red", "blue"])
        #expect(parameter.value == 1)
    }

    @Test(arguments: [-1, -0.6, 1.6, 1e30, -1e30, .infinity, -.infinity, .nan] as [AUValue])
    func text_ofAValueWithoutAName_isTheNumber(value: AUValue) {
        let parameter = parameter("mode", 1, names: ["slow", "fast"])
        var value = value
        #expect(parameter.string(fromValue: &value) == "\(value)")
    }

    @Test func texts_areNamesOrNumbers_unlessTheUnitHasOthers() {
        let parameter = parameter("mode", 1, names: ["slow", "fast"])
        var value: AUValue = 1
        #expect(parameter.string(fromValue: &value) == "fast")
        #expect(parameter.string(fromValue: nil) == "slow")
        value = 7.5
        #expect(parameter.string(fromValue: &value) == "7.5")
        value = .nan
        #expect(parameter.string(fromValue: &value) == "nan")
        #expect(parameter.value(fromString: "fast") == 1)
        #expect(parameter.value(fromString: "2.5") == 2.5)
        #expect(parameter.value(fromString: "?") == parameter.value)
        let tree = AUParameterTree.createTree(withChildren: [parameter])
        tree.implementorStringFromValueCallback = { "\($0.identifier) \($1?.pointee ?? -1)" }
        tree.implementorValueFromStringCallback = { AUValue($1.count) + $0.minValue }
        tree.implementorDisplayNameWithLengthCallback = { "\($0.identifier)/\($1)" }
        #expect(parameter.string(fromValue: &value) == "mode nan")
        #expect(parameter.value(fromString: "four") == 4)
        #expect(parameter.displayName(withLength: 3) == "mode/3")
    }

    @Test func implementor_getsEachValue_andGivesIt() throws {
        let tree = tree()
        let values = Mutex<[String]>([])
        let set: @Sendable (String, AUValue) -> Void = { name, value in
            values.withLock { $0.append("\(name)=\(value)") }
        }
        tree.implementorValueObserver = { set($0.identifier, $1) }
        tree.implementorValueProvider = { AUValue($0.address) * 100 }
        let (gain, rate) = try (
            #require(tree.parameter(withAddress: 1)), #require(tree.parameter(withAddress: 3))
        )
        gain.value = 5
        // The innermost hook counts.
        rate.implementorValueObserver = { set("own \($0.identifier)", $1) }
        rate.setValue(6, originator: nil)
        #expect(values.withLock { $0 } == ["gain=5.0", "own rate=6.0"])
        #expect((gain.value, rate.value) == (100, 300))
    }

    @Test func observer_getsTheNewestValue_andNotItsOwn() throws {
        let tree = tree()
        let (gain, rate) = try (
            #require(tree.parameter(withAddress: 1)), #require(tree.parameter(withAddress: 3))
        )
        let heard = Mutex<[String]>([])
        let ofTree = tree.token(byAddingParameterObserver: { address, value in
            heard.withLock { $0.append("tree \(address) \(value)") }
        })
        let ofGain = gain.token(byAddingParameterObserver: { address, value in
            heard.withLock { $0.append("gain \(address) \(value)") }
        })
        gain.value = 2
        ParameterObserver.drain()
        rate.value = 3
        ParameterObserver.drain()
        gain.setValue(4, originator: ofTree)
        ParameterObserver.drain()
        gain.removeParameterObserver(ofGain)
        gain.value = 5
        tree.removeParameterObserver(ofTree)
        ParameterObserver.drain()
        gain.value = 6
        ParameterObserver.drain()
        let all = heard.withLock { $0 }
        #expect(Set(all.prefix(2)) == ["tree 1 2.0", "gain 1 2.0"])
        #expect(Array(all.dropFirst(2).prefix(2)) == ["tree 3 3.0", "gain 1 4.0"])
        // Removed before or after it was told of 5.
        #expect([[], ["tree 1 5.0"]].contains(Array(all.dropFirst(4))))
    }

    @Test func observer_thatIsSlow_getsTheLastOfSeveralValues() throws {
        let gain = parameter("gain", 1)
        let heard = Mutex<[AUValue]>([])
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let token = gain.token(byAddingParameterObserver: { _, value in
            heard.withLock { $0.append(value) }
            guard value == 1 else { return }
            begun.signal()
            goOn.wait()
        })
        gain.value = 1
        begun.wait()
        for value in 2...9 { gain.value = AUValue(value) }
        goOn.signal()
        ParameterObserver.drain()
        #expect(heard.withLock { $0 } == [1, 9])
        gain.removeParameterObserver(token)
    }

    @Test func observer_thatRemovesItself_isNotWaitedFor() {
        let gain = parameter("gain", 1)
        let calls = Atomic<Int>(0)
        let token = Mutex<Token?>(nil)
        let made = gain.token(byAddingParameterObserver: { _, _ in
            calls.add(1, ordering: .relaxed)
            if let token = token.withLock({ $0 }) { gain.removeParameterObserver(token.value) }
        })
        token.withLock { $0 = Token(value: made) }
        gain.value = 1
        ParameterObserver.drain()
        gain.value = 2
        ParameterObserver.drain()
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    private struct Token: @unchecked Sendable { let value: AUParameterObserverToken }

    @Test func recordings_haveEachChange_andAutomationsEachTouch() {
        let gain = parameter("gain", 1)
        let heard = Mutex<[String]>([])
        let recording = gain.token(byAddingParameterRecordingObserver: { count, events in
            heard.withLock { $0.append("recorded \(count) \(events[0].value) at \(events[0].hostTime)") }
        })
        let automation = gain.token(byAddingParameterAutomationObserver: { count, events in
            heard.withLock { $0.append("\(events[0].eventType) \(count) \(events[0].value) of \(events[0].address)") }
        })
        gain.setValue(1, originator: automation, atHostTime: 70)
        gain.setValue(2, originator: recording, atHostTime: 80, eventType: .touch)
        gain.setValue(3, originator: nil, atHostTime: 90, eventType: .release)
        ParameterObserver.drain()
        #expect(heard.withLock { $0 } == ["recorded 1 1.0 at 70", "touch 1 2.0 of 1", "release 1 3.0 of 1"])
        #expect(gain.value == 3)
    }

    @Test func groupFromATemplate_hasParametersOfItsOwn() throws {
        let template = AUParameterTree.createGroupTemplate([parameter("level", 0), parameter("pan", 1)])
        let groups = (0..<3).map {
            AUParameterTree.createGroup(
                fromTemplate: template, identifier: "band\($0)", name: "Band \($0)",
                addressOffset: AUParameterAddress($0 * 10))
        }
        let tree = AUParameterTree.createTree(withChildren: groups)
        #expect(tree.allParameters.map(\.address) == [0, 1, 10, 11, 20, 21])
        let pan = try #require(tree.value(forKeyPath: "band2.pan") as? AUParameter)
        pan.value = 4
        #expect((pan.address, tree.parameter(withAddress: 1)?.value) == (21, 0))
    }

    @Test func units_andOptions_haveApplesNumbers() {
        let units: [AudioUnitParameterUnit] = [
            .generic, .indexed, .boolean, .percent, .seconds, .sampleFrames, .phase, .rate, .hertz, .cents,
            .relativeSemiTones, .midiNoteNumber, .midiController, .decibels, .linearGain, .degrees,
            .equalPowerCrossfade, .mixerFaderCurve1, .pan, .meters, .absoluteCents, .octaves, .BPM, .beats,
            .milliseconds, .ratio, .customUnit, .midi2Controller,
        ]
        #expect(units.map(\.rawValue) == Array(0...27))
        let bits: [(AudioUnitParameterOptions, UInt32)] = [
            (.flag_CFNameRelease, 4), (.flag_OmitFromPresets, 13), (.flag_PlotHistory, 14), (.flag_MeterReadOnly, 15),
            (.flag_DisplaySquareRoot, 16), (.flag_DisplaySquared, 17), (.flag_DisplayCubeRoot, 18),
            (.flag_HasClump, 20),
            (.flag_ValuesHaveStrings, 21), (.flag_DisplayLogarithmic, 22), (.flag_IsHighResolution, 23),
            (.flag_NonRealTime, 24), (.flag_CanRamp, 25), (.flag_ExpertMode, 26), (.flag_HasCFNameString, 27),
            (.flag_IsGlobalMeta, 28), (.flag_IsElementMeta, 29), (.flag_IsReadable, 30), (.flag_IsWritable, 31),
        ]
        for (option, bit) in bits { #expect(option.rawValue == 1 << bit) }
        #expect(AudioUnitParameterOptions.flag_DisplayCubed.rawValue == 3 << 16)
        #expect(AudioUnitParameterOptions.flag_DisplayExponential.rawValue == 5 << 16)
        #expect(AudioUnitParameterOptions.flag_DisplayMask.rawValue == 7 << 16 | 1 << 22)
        #expect(
            [AUParameterAutomationEventType.value, .touch, .release].map(\.rawValue) == [0, 1, 2])
    }

    @Test func blocks_haveApplesShapes() throws {
        let parameter = parameter("gain", 1)
        let observer: AUParameterObserver = { (_: AUParameterAddress, _: AUValue) in }
        let recording: AUParameterRecordingObserver = { (_: Int, _: UnsafePointer<AURecordedParameterEvent>) in }
        let automation: AUParameterAutomationObserver = { (_: Int, events: UnsafePointer<AUParameterAutomationEvent>) in
            _ = events.pointee.reserved
        }
        let tokens: [AUParameterObserverToken] = [
            parameter.token(byAddingParameterObserver: observer),
            parameter.token(byAddingParameterRecordingObserver: recording),
            parameter.token(byAddingParameterAutomationObserver: automation),
        ]
        #expect(Set(tokens).count == 3)
        for token in tokens { parameter.removeParameterObserver(token) }
        let valueObserver: AUImplementorValueObserver = parameter.implementorValueObserver
        let provider: AUImplementorValueProvider = parameter.implementorValueProvider
        let text: AUImplementorStringFromValueCallback = parameter.implementorStringFromValueCallback
        let value: AUImplementorValueFromStringCallback = parameter.implementorValueFromStringCallback
        let name: AUImplementorDisplayNameWithLengthCallback = parameter.implementorDisplayNameWithLengthCallback
        valueObserver(parameter, 3)
        #expect(
            (provider(parameter), text(parameter, nil), value(parameter, "4"), name(parameter, 2)) == (
                0, "0.0", 4, "Ga"
            ))
        let unit = try AUAudioUnit(componentDescription: .test(30), options: .init(rawValue: 1 << 31))
        let render: AURenderBlock = unit.renderBlock
        let schedule: AUScheduleParameterBlock = unit.scheduleParameterBlock
        let midi: AUScheduleMIDIEventBlock? = unit.scheduleMIDIEventBlock
        schedule(AUEventSampleTimeImmediate, 0, 1, 1)
        #expect(midi == nil)
        let (id, status): (AudioUnitParameterID, AUAudioUnitStatus) = (3, kAudioUnitErr_Uninitialized)
        #expect(id == 3)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: .mono, frameCapacity: 1))
        var (flags, stamp) = (AudioUnitRenderActionFlags(), AudioTimeStamp())
        #expect(render(&flags, &stamp, 1, 0, output.mutableAudioBufferList, nil) == status)
        unit.setRenderResourcesAllocated(true)
        #expect(unit.renderResourcesAllocated)
        #expect(!unit.shouldChange(to: .mono, for: try AUAudioUnitBus(format: .mono)))
    }
}
