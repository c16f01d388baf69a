import CAudioTypes
import Foundation
import Synchronization

@testable import OpenAVFAudio

extension AudioComponentDescription {
    static func test(_ subType: UInt32, type: UInt32 = kAudioUnitType_Effect) -> AudioComponentDescription {
        AudioComponentDescription(
            componentType: type, componentSubType: subType, componentManufacturer: 0x7465_7374, componentFlags: 0,
            componentFlagsMask: 0)
    }

    /// Of a `GainUnit`.
    static func registered(_ subType: UInt32) -> AudioComponentDescription {
        AUAudioUnit.registerSubclass(GainUnit.self, as: .test(subType), name: "Tests: Gain", version: 1)
        return .test(subType)
    }
}

/// As an app would write it: nothing of its own.
final class PlainUnit: AUAudioUnit {}

/// Multiplies its input, and notes what it is given.
final class GainUnit: AUAudioUnit {
    enum Behaviour: Sendable {
        case gain, error, silence, nothing, pieces, refuse
        case ownMemory(frames: Int)
    }

    struct Log: Sendable {
        var cycles: [(sampleTime: Double, frames: UInt32)] = []
        var events: [String] = []
        var resources: [String] = []
        var statusOfTooMany: OSStatus = 0
        var statusOfNoBus: OSStatus = 0
    }

    let log = Mutex(Log())
    var behaviour = Behaviour.gain
    var claimedLatency = 0.0
    var capabilities: [NSNumber]?
    private let gain = Mutex<Float>(1)
    private lazy var inputs = AUAudioUnitBusArray(audioUnit: self, busType: .input, busses: [input])
    private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [output])
    private let input: AUAudioUnitBus
    private let output: AUAudioUnitBus
    private let memory = UnsafeMutablePointer<Float>.allocate(capacity: 4096)

    override init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        input = try AUAudioUnitBus(format: .mono)
        output = try AUAudioUnitBus(format: .mono)
        memory.initialize(repeating: 0.25, count: 4096)
        try super.init(componentDescription: componentDescription, options: options)
        let parameters = (0..<4).map { address in
            AUParameterTree.createParameter(
                withIdentifier: address == 0 ? "gain" : "other\(address)", name: "Gain", address: UInt64(address),
                min: 0, max: 2, unit: .linearGain, unitName: nil, flags: [.flag_IsReadable, .flag_IsWritable],
                valueStrings: nil, dependentParameters: nil)
        }
        let tree = AUParameterTree.createTree(withChildren: parameters)
        tree.implementorValueObserver = { [unowned self] parameter, value in
            if parameter.address == 0 { gain.withLock { $0 = value } }
        }
        tree.implementorValueProvider = { [unowned self] parameter in
            parameter.address == 0 ? gain.withLock { $0 } : 0
        }
        parameterTree = tree
    }

    deinit { memory.deallocate() }

    override var inputBusses: AUAudioUnitBusArray { inputs }
    override var outputBusses: AUAudioUnitBusArray { outputs }
    override var latency: TimeInterval { claimedLatency }
    override var channelCapabilities: [NSNumber]? { capabilities }

    override func allocateRenderResources() throws {
        if case .refuse = behaviour { throw NSError.audio(kAudioUnitErr_InvalidParameter, "not today") }
        try super.allocateRenderResources()
        log.withLock { $0.resources.append("allocate") }
    }

    override func deallocateRenderResources() {
        super.deallocateRenderResources()
        log.withLock { $0.resources.append("deallocate") }
    }

    override func reset() { log.withLock { $0.resources.append("reset") } }

    override var factoryPresets: [AUAudioUnitPreset]? {
        let preset = AUAudioUnitPreset()
        preset.name = "quiet"
        return [preset]
    }

    override var currentPreset: AUAudioUnitPreset? {
        get { super.currentPreset }
        set {
            super.currentPreset = newValue
            if newValue?.number == 0 { parameterTree?.parameter(withAddress: 0)?.value = 0.125 }
        }
    }

    override var internalRenderBlock: AUInternalRenderBlock {
        let behaviour = behaviour
        return { [unowned self] flags, stamp, frames, _, output, event, pull in
            note(stamp.pointee, frames, event)
            let buffers = UnsafeMutableAudioBufferListPointer(output)
            switch behaviour {
            case .gain, .refuse:
                let status = pull?(flags, stamp, frames, 0, output) ?? kAudioUnitErr_NoConnection
                guard status == noErr else { return status }
                let gain = gain.withLock { $0 }
                for buffer in buffers {
                    guard let samples = buffer.mData?.assumingMemoryBound(to: Float.self) else { continue }
                    for frame in 0..<Int(frames) { samples[frame] *= gain }
                }
            case .error:
                buffers[0].mData?.assumingMemoryBound(to: Float.self)[0] = 1
                return -1
            case .silence:
                buffers[0].mData?.assumingMemoryBound(to: Float.self)[0] = 1
                flags.pointee.insert(.unitRenderAction_OutputIsSilence)
            case .nothing: buffers[0].mData = nil
            case .ownMemory(let own):
                buffers[0].mData = UnsafeMutableRawPointer(memory)
                buffers[0].mDataByteSize = UInt32(own * 4)
            case .pieces: return pullInPieces(flags, stamp.pointee, frames, buffers, pull)
            }
            return noErr
        }
    }

    private func pullInPieces(
        _ flags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ stamp: AudioTimeStamp, _ frames: UInt32,
        _ buffers: UnsafeMutableAudioBufferListPointer, _ pull: AURenderPullInputBlock?
    ) -> OSStatus {
        guard let pull, let target = buffers[0].mData else { return kAudioUnitErr_NoConnection }
        var list = AudioBufferList(
            mNumberBuffers: 1, mBuffers: AudioBuffer(mNumberChannels: 1, mDataByteSize: 0, mData: nil))
        var stamp = stamp
        var done: UInt32 = 0
        while done < frames {
            let count = min(100, frames - done)
            // Ours has no memory: the host lends its own.
            list.mBuffers.mData = nil
            let status = pull(flags, &stamp, count, 0, &list)
            guard status == noErr, let data = list.mBuffers.mData else { return status }
            (target + Int(done) * 4).copyMemory(from: data, byteCount: Int(count) * 4)
            done += count
            stamp.mSampleTime += Double(count)
        }
        stamp.mSampleTime -= Double(done)
        let (many, none) = (pull(flags, &stamp, frames + 1, 0, &list), pull(flags, &stamp, frames, 1, &list))
        log.withLock { ($0.statusOfTooMany, $0.statusOfNoBus) = (many, none) }
        return noErr
    }

    private func note(_ stamp: AudioTimeStamp, _ frames: UInt32, _ first: UnsafePointer<AURenderEvent>?) {
        var texts: [String] = []
        var next = first
        while let event = next {
            let head = event.pointee.head
            if head.eventType == .MIDI {
                let midi = event.pointee.MIDI
                let bytes = [midi.data.0, midi.data.1, midi.data.2].prefix(Int(midi.length))
                texts.append(
                    "midi \(midi.cable): \(bytes.map(String.init).joined(separator: " ")) at \(head.eventSampleTime)")
            } else {
                let parameter = event.pointee.parameter
                let ramp = parameter.rampDurationSampleFrames
                texts.append(
                    "\(parameter.parameterAddress)=\(parameter.value) at \(head.eventSampleTime)"
                        + (head.eventType == .parameterRamp ? " over \(ramp)" : ""))
            }
            next = head.next.map { UnsafePointer($0) }
        }
        log.withLock {
            $0.cycles.append((stamp.mSampleTime, frames))
            $0.events += texts
        }
    }
}

extension GainUnit {
    /// Registers a unit, and makes an effect of it.
    ///
    /// - Parameter subType: of its description; what is registered stays, and each test has its own.
    static func effect(_ subType: UInt32, _ unitClass: AUAudioUnit.Type = GainUnit.self) -> AVAudioUnitEffect {
        let description = AudioComponentDescription.test(subType)
        AUAudioUnit.registerSubclass(unitClass, as: description, name: "Tests: \(unitClass)", version: 0x0002_0103)
        return AVAudioUnitEffect(audioComponentDescription: description)
    }
}
