import Foundation
public import OpenAVFAudio
import Testing

// As in SignatureTests.swift: these extensions compile only while names, labels, types and `throws` are exactly Apple's.

private protocol EngineShape: NSObject {
    init()
    func attach(_ node: AVAudioNode)
    func detach(_ node: AVAudioNode)
    var attachedNodes: Set<AVAudioNode> { get }
    func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?)
    func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?)
    func connect(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?)
    func connectNode(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) throws
    func connectNode(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?) throws
    func connectNode(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?) throws
    func disconnectNodeInput(_ node: AVAudioNode)
    func disconnectNodeInput(_ node: AVAudioNode, bus: AVAudioNodeBus)
    func disconnectNodeOutput(_ node: AVAudioNode)
    func disconnectNodeOutput(_ node: AVAudioNode, bus: AVAudioNodeBus)
    var inputNode: AVAudioInputNode { get }
    var outputNode: AVAudioOutputNode { get }
    var mainMixerNode: AVAudioMixerNode { get }
    func prepare()
    func start() throws
    func pause()
    func stop()
    func reset()
    var isRunning: Bool { get }
    var isAutoShutdownEnabled: Bool { get set }
    func inputConnectionPoint(for node: AVAudioNode, inputBus bus: AVAudioNodeBus) -> AVAudioConnectionPoint?
    func outputConnectionPoints(for node: AVAudioNode, outputBus bus: AVAudioNodeBus) -> [AVAudioConnectionPoint]
    func enableManualRenderingMode(
        _ mode: AVAudioEngineManualRenderingMode, format pcmFormat: AVAudioFormat,
        maximumFrameCount: AVAudioFrameCount) throws
    func disableManualRenderingMode()
    func renderOffline(
        _ numberOfFrames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer
    ) throws -> AVAudioEngineManualRenderingStatus
    var manualRenderingBlock: AVAudioEngineManualRenderingBlock { get }
    var isInManualRenderingMode: Bool { get }
    var manualRenderingMode: AVAudioEngineManualRenderingMode { get }
    var manualRenderingFormat: AVAudioFormat { get }
    var manualRenderingMaximumFrameCount: AVAudioFrameCount { get }
    var manualRenderingSampleTime: AVAudioFramePosition { get }
}

private protocol NodeShape: NSObject {
    func reset()
    func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat
    func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat
    func name(forInputBus bus: AVAudioNodeBus) -> String?
    func name(forOutputBus bus: AVAudioNodeBus) -> String?
    var numberOfInputs: Int { get }
    var numberOfOutputs: Int { get }
    func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock)
    func removeTap(onBus bus: AVAudioNodeBus)
    var engine: AVAudioEngine? { get }
    var lastRenderTime: AVAudioTime? { get }
    var auAudioUnit: AUAudioUnit { get }
    var latency: TimeInterval { get }
    var outputPresentationLatency: TimeInterval { get }
}

private protocol IONodeShape: AVAudioNode {
    var presentationLatency: TimeInterval { get }
    var audioUnit: AudioUnit? { get }
    var isVoiceProcessingEnabled: Bool { get }
    func setVoiceProcessingEnabled(_ enabled: Bool) throws
}

private protocol AudioUnitShape: AVAudioNode {
    var audioComponentDescription: AudioComponentDescription { get }
    var audioUnit: AudioUnit { get }
    var name: String { get }
    var manufacturerName: String { get }
    var version: Int { get }
}

private protocol TimeEffectShape: AVAudioUnit {
    var bypass: Bool { get set }
}

private protocol TimePitchShape: AVAudioUnitTimeEffect {
    init()
    var rate: Float { get set }
    var pitch: Float { get set }
    var overlap: Float { get set }
}

private protocol VarispeedShape: AVAudioUnitTimeEffect {
    init()
    var rate: Float { get set }
}

private protocol MixerShape: AVAudioNode, AVAudioMixing {
    init()
    var outputVolume: Float { get set }
    var nextAvailableInputBus: AVAudioNodeBus { get }
}

private protocol PlayerNodeShape: AVAudioNode, AVAudioMixing {
    init()
    func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionHandler: AVAudioNodeCompletionHandler?)
    func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions,
        completionHandler: AVAudioNodeCompletionHandler?)
    func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler?)
    func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler?)
    func scheduleFile(_ file: AVAudioFile, at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler?)
    func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler?)
    func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler?)
    func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition, frameCount numberFrames: AVAudioFrameCount,
        at when: AVAudioTime?, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler?)
    func play()
    func play(at when: AVAudioTime?)
    func pause()
    func stop()
    func prepare(withFrameCount frameCount: AVAudioFrameCount)
    var isPlaying: Bool { get }
    func nodeTime(forPlayerTime playerTime: AVAudioTime) -> AVAudioTime?
    func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime?
}

private protocol SourceNodeShape: AVAudioNode, AVAudioMixing {
    init(renderBlock block: @escaping AVAudioSourceNodeRenderBlock)
    init(format: AVAudioFormat, renderBlock block: @escaping AVAudioSourceNodeRenderBlock)
}

private protocol SinkNodeShape: AVAudioNode {
    init(receiverBlock block: @escaping AVAudioSinkNodeReceiverBlock)
}

private protocol InputNodeShape: AVAudioIONode, AVAudioMixing {
    func setManualRenderingInputPCMFormat(
        _ format: AVAudioFormat, inputBlock block: @escaping AVAudioIONodeInputBlock
    ) -> Bool
}

private protocol ConnectionPointShape: NSObject {
    var node: AVAudioNode? { get }
    var bus: AVAudioNodeBus { get }
}

private protocol DestinationShape: NSObject, AVAudioMixing {
    var connectionPoint: AVAudioConnectionPoint { get }
}

private protocol UnitShape: NSObject {
    var channelMap: [NSNumber]? { get set }
    var audioUnitName: String? { get }
    var latency: TimeInterval { get }
    var tailTime: TimeInterval { get }
    var maximumFramesToRender: AUAudioFrameCount { get }
    var isRunning: Bool { get }
    var canPerformInput: Bool { get }
    var canPerformOutput: Bool { get }
    var isInputEnabled: Bool { get }
    var isOutputEnabled: Bool { get }
    func reset()
}

extension AVAudioNode: NodeShape {}
extension AVAudioIONode: IONodeShape {}
extension AVAudioInputNode: InputNodeShape {}
extension AVAudioUnit: AudioUnitShape {}
extension AVAudioUnitTimeEffect: TimeEffectShape {}
extension AVAudioConnectionPoint: ConnectionPointShape {}
extension AVAudioMixingDestination: DestinationShape {}
extension AUAudioUnit: UnitShape {}

// Initialisers of open classes are not `required`; apps subclass, so that subclasses show the shape.
private final class AppEngine: AVAudioEngine, EngineShape {}
private final class AppMixer: AVAudioMixerNode, MixerShape {}
private final class AppTimePitch: AVAudioUnitTimePitch, TimePitchShape {}
private final class AppVarispeed: AVAudioUnitVarispeed, VarispeedShape {}
private final class AppPlayer: AVAudioPlayerNode, PlayerNodeShape {}
private final class AppSource: AVAudioSourceNode, SourceNodeShape {}
private final class AppSink: AVAudioSinkNode, SinkNodeShape {}

@Suite struct EngineSignatureTests {
    @Test func engineValues_areApplesRawValues() {
        #expect(AVAudioPlayerNodeBufferOptions.loops.rawValue == 1)
        #expect(AVAudioPlayerNodeBufferOptions.interrupts.rawValue == 2)
        #expect(AVAudioPlayerNodeBufferOptions.interruptsAtLoop.rawValue == 4)
        #expect(AVAudioPlayerNodeCompletionCallbackType.dataConsumed.rawValue == 0)
        #expect(AVAudioPlayerNodeCompletionCallbackType.dataRendered.rawValue == 1)
        #expect(AVAudioPlayerNodeCompletionCallbackType.dataPlayedBack.rawValue == 2)
        #expect(AVAudioEngineManualRenderingMode.offline.rawValue == 0)
        #expect(AVAudioEngineManualRenderingMode.realtime.rawValue == 1)
        #expect(AVAudioEngineManualRenderingStatus.error.rawValue == -1)
        #expect(AVAudioEngineManualRenderingStatus.success.rawValue == 0)
        #expect(AVAudioEngineManualRenderingStatus.insufficientDataFromInputNode.rawValue == 1)
        #expect(AVAudioEngineManualRenderingStatus.cannotDoInCurrentContext.rawValue == 2)
        #expect(AVAudioEngineManualRenderingError.invalidMode.rawValue == -80800)
        #expect(AVAudioEngineManualRenderingError.initialized.rawValue == -80801)
        #expect(AVAudioEngineManualRenderingError.notRunning.rawValue == -80802)
        #expect(
            NSNotification.Name.AVAudioEngineConfigurationChange.rawValue
                == "AVAudioEngineConfigurationChangeNotification")
    }

    @Test func audioUnitValues_areApplesNumbers() {
        #expect(kAudioOutputUnitProperty_ChannelMap == 2002)
        #expect(kAudioUnitScope_Global == 0 && kAudioUnitScope_Input == 1 && kAudioUnitScope_Output == 2)
        #expect(kAudioUnitErr_InvalidProperty == -10879 && kAudioUnitErr_InvalidParameter == -10878)
        #expect(kAudioUnitErr_InvalidElement == -10877 && kAudioUnitErr_NoConnection == -10876)
        #expect(kAudioUnitErr_FormatNotSupported == -10868 && kAudioUnitErr_InvalidScope == -10866)
        #expect(kAudioUnitErr_InvalidPropertyValue == -10851)
        #expect(AudioUnitPropertyID.self == UInt32.self && AudioUnitScope.self == UInt32.self)
        #expect(AudioUnitElement.self == UInt32.self && AUAudioFrameCount.self == UInt32.self)
    }

    @Test func nodes_beforeAnything_haveApplesDefaults() {
        let mixer: AVAudioMixerNode = AppMixer()
        #expect(mixer.volume == 1 && mixer.pan == 0 && mixer.outputVolume == 1)
        #expect(mixer.engine == nil && mixer.lastRenderTime == nil && mixer.latency == 0)
        #expect(mixer.numberOfInputs == 1 && mixer.numberOfOutputs == 1)
        #expect(mixer.name(forInputBus: 0) == nil && mixer.name(forOutputBus: 0) == nil)
        let player: AVAudioPlayerNode = AppPlayer()
        #expect(!player.isPlaying && player.numberOfInputs == 0)
        #expect(player.outputFormat(forBus: 0).channelCount == 2)
        #expect(player.auAudioUnit === player.auAudioUnit)
        let engine: AVAudioEngine = AppEngine()
        #expect(!engine.isRunning && !engine.isInManualRenderingMode && !engine.isAutoShutdownEnabled)
        #expect(engine.attachedNodes.isEmpty)
    }

    @Test func volumesAndPans_outOfRange_areBroughtIntoIt() {
        let mixer = AVAudioMixerNode()
        mixer.volume = -1
        mixer.pan = 2
        mixer.outputVolume = .nan
        #expect(mixer.volume == 0 && mixer.pan == 1 && mixer.outputVolume == 0)
    }
}
