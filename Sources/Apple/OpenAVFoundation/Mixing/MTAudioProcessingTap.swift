import AudioModel
public import CAudioTypes
public import CoreMedia
import Foundation
internal import OpenAVFAudio
internal import QueueRuntime
import Synchronization

/// What an app does with the sound of a track before it is heard, read or exported: a meter, an equalizer.
///
/// Set it as `audioTapProcessor` of the parameters of an `AVAudioMix`. Its `process` callback is called on the thread that reads the
/// sound ahead, some 0.1 s before it is heard, one call at a time and with no lock held: it may wait a little, and call the player. It
/// is not the render thread. One item uses it at a time; the sound of another one passes unchanged meanwhile.
///
/// Source: SDK header MTAudioProcessingTap.h of MediaToolbox.
public final class MTAudioProcessingTap: Hashable, @unchecked Sendable {
    // @unchecked: constants and one Mutex; `memory`, `source` and `nextFrame` belong to the thread that has the turn.
    private let callbacks: MTAudioProcessingTapCallbacks
    private let flags: MTAudioProcessingTapCreationFlags
    fileprivate private(set) var storage: UnsafeMutableRawPointer?
    private let phase = Mutex(Phase.idle)
    private var memory: Memory?
    private var source: Source?
    private var nextFrame: Int64 = -1

    private enum Phase {
        /// Prepared where `memory` is there. Legal exit: `busy`.
        case idle
        /// Callbacks run on this thread. Legal exit: `idle`, after `unprepare` where that was asked meanwhile.
        case busy(pthread_t, mustUnprepare: Bool)
    }

    /// What `process` may still ask for.
    private struct Source {
        var place: FramePlace
        var isStart: Bool
        var taken = 0
    }

    /// What `prepare` named: the most frames of a call.
    private static let mostFrames = 4096

    fileprivate init(_ callbacks: MTAudioProcessingTapCallbacks, _ flags: MTAudioProcessingTapCreationFlags) {
        (self.callbacks, self.flags) = (callbacks, flags)
        // Not into the property: the callback may ask for it.
        var storage: UnsafeMutableRawPointer?
        callbacks.`init`?(self, callbacks.clientInfo, &storage)
        self.storage = storage
    }

    deinit {
        if memory != nil { callbacks.unprepare?(self) }
        callbacks.finalize?(self)
    }

    /// Two taps are equal where they are the same.
    public static func == (one: MTAudioProcessingTap, other: MTAudioProcessingTap) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether it comes after the volume of its mix.
    var isAfterVolume: Bool { flags == kMTAudioProcessingTapCreationFlag_PostEffects }

    /// Where it is prepared, that ends: now, or after the callback that runs.
    func unprepare() {
        if take(orUnprepareLater: true) { giveBack(mustUnprepare: true) }
    }

    // MARK: The thread that reads

    /// - Parameter frames: [frame][channel]; what the app does not give is silence.
    func process(_ frames: UnsafeMutableBufferPointer<Float>, at place: FramePlace) {
        guard take(orUnprepareLater: false) else { return }
        defer { giveBack() }
        let memory = prepared(place)
        var done = 0
        while done < place.frames {
            let count = min(place.frames - done, Self.mostFrames)
            var part = place
            (part.first, part.frames) = (place.first + Int64(done), count)
            part.isEnd = place.isEnd && done + count == place.frames
            let samples = frames[(done * place.channels)..<((done + count) * place.channels)]
            process(UnsafeMutableBufferPointer(rebasing: samples), part, memory)
            done += count
        }
    }

    private func process(_ frames: UnsafeMutableBufferPointer<Float>, _ place: FramePlace, _ memory: Memory) {
        memory.load(frames, place.frames)
        source = Source(place: place, isStart: place.first != nextFrame)
        nextFrame = place.first + Int64(place.frames)
        let list = memory.makeList(place.frames)
        var (given, flagsOut): (CMItemCount, MTAudioProcessingTapFlags) = (0, 0)
        callbacks.process(self, place.frames, flags, list.unsafeMutablePointer, &given, &flagsOut)
        source = nil
        memory.store(list, min(max(given, 0), place.frames), into: frames)
    }

    fileprivate func getSource(
        _ count: CMItemCount, _ list: UnsafeMutableAudioBufferListPointer
    ) -> (frames: Int, flags: MTAudioProcessingTapFlags, range: CMTimeRange)? {
        let isCallback = phase.withLock {
            if case .busy(let thread, _) = $0 { pthread_equal(thread, pthread_self()) != 0 } else { false }
        }
        guard isCallback, let memory, let source, count >= 0 else { return nil }
        let place = source.place
        let frames = min(count, place.frames - source.taken)
        guard memory.give(frames, from: source.taken, to: list) else { return nil }
        self.source?.taken += frames
        let scale = CMTimeScale(place.sampleRate.rounded())
        let isFirst = source.isStart && source.taken == 0
        let isLast = place.isEnd && source.taken + frames == place.frames
        return (
            frames,
            (isFirst ? kMTAudioProcessingTapFlag_StartOfStream : 0)
                | (isLast ? kMTAudioProcessingTapFlag_EndOfStream : 0),
            CMTimeRange(
                start: CMTime(value: place.first + Int64(source.taken), timescale: scale),
                duration: CMTime(value: Int64(frames), timescale: scale))
        )
    }

    private func prepared(_ place: FramePlace) -> Memory {
        if let memory, memory.fits(place) { return memory }
        if memory != nil { callbacks.unprepare?(self) }
        let memory = Memory(place, frames: Self.mostFrames)
        (self.memory, nextFrame) = (memory, -1)
        withUnsafePointer(to: memory.format) { callbacks.prepare?(self, Self.mostFrames, $0) }
        return memory
    }

    // MARK: The turn

    private func take(orUnprepareLater isLater: Bool) -> Bool {
        phase.withLock { phase in
            switch phase {
            case .idle:
                phase = .busy(pthread_self(), mustUnprepare: false)
                return true
            case .busy(let thread, let mustUnprepare):
                phase = .busy(thread, mustUnprepare: mustUnprepare || isLater)
                return false
            }
        }
    }

    private func giveBack(mustUnprepare: Bool = false) {
        var mustUnprepare = mustUnprepare
        while true {
            if mustUnprepare, memory != nil {
                callbacks.unprepare?(self)
                memory = nil
            }
            let isIdle = phase.withLock { phase in
                guard case .busy(let thread, true) = phase else {
                    phase = .idle
                    return true
                }
                phase = .busy(thread, mustUnprepare: false)
                return false
            }
            if isIdle { return }
            mustUnprepare = true
        }
    }

    /// The frames of a call, planar, and the list that `process` gets.
    private final class Memory {
        let format: AudioStreamBasicDescription
        private let channels: Int
        private let frames: Int
        private let samples: UnsafeMutablePointer<Float>
        private let list: UnsafeMutableAudioBufferListPointer

        init(_ place: FramePlace, frames: Int) {
            (channels, self.frames) = (place.channels, frames)
            format = AudioStreamBasicDescription(
                mSampleRate: place.sampleRate, mFormatID: kAudioFormatLinearPCM,
                mFormatFlags: kAudioFormatFlagsNativeFloatPacked | kAudioFormatFlagIsNonInterleaved, mBytesPerPacket: 4,
                mFramesPerPacket: 1, mBytesPerFrame: 4, mChannelsPerFrame: UInt32(channels), mBitsPerChannel: 32,
                mReserved: 0)
            samples = .allocate(capacity: channels * frames)
            samples.initialize(repeating: 0, count: channels * frames)
            list = AudioBufferList.allocate(maximumBuffers: channels)
        }

        deinit {
            samples.deallocate()
            free(list.unsafeMutablePointer)
        }

        func fits(_ place: FramePlace) -> Bool {
            place.channels == channels && place.sampleRate == format.mSampleRate
        }

        func load(_ interleaved: UnsafeMutableBufferPointer<Float>, _ count: Int) {
            for channel in 0..<channels {
                for frame in 0..<count {
                    samples[channel * frames + frame] = interleaved[frame * channels + channel]
                }
            }
        }

        /// Buffers without memory, as the app may give its own.
        func makeList(_ count: Int) -> UnsafeMutableAudioBufferListPointer {
            list.count = channels
            for channel in 0..<channels {
                list[channel] = AudioBuffer(mNumberChannels: 1, mDataByteSize: UInt32(count * 4), mData: nil)
            }
            return list
        }

        /// - Parameter list: the app's: where a buffer has no memory it gets ours, else it is filled.
        /// - Returns: false where there are other buffers than channels, or one is too small; nothing has been written then.
        func give(_ count: Int, from first: Int, to list: UnsafeMutableAudioBufferListPointer) -> Bool {
            guard list.count == channels,
                list.allSatisfy({ $0.mData == nil || Int($0.mDataByteSize) >= count * 4 })
            else { return false }
            for channel in 0..<channels {
                let source = samples + channel * frames + first
                if let own = list[channel].mData {
                    own.copyMemory(from: source, byteCount: count * 4)
                } else {
                    list[channel].mData = UnsafeMutableRawPointer(source)
                }
                list[channel].mDataByteSize = UInt32(count * 4)
            }
            return true
        }

        /// - Parameter count: what the app says to have given; of a buffer that is shorter, so much.
        func store(
            _ list: UnsafeMutableAudioBufferListPointer, _ count: Int,
            into interleaved: UnsafeMutableBufferPointer<Float>
        ) {
            interleaved.update(repeating: 0)
            // The list has room for so many buffers, whatever its count says now.
            for channel in 0..<min(list.count, channels) {
                guard let data = list[channel].mData else { continue }
                for frame in 0..<min(count, Int(list[channel].mDataByteSize) / 4) {
                    let sample = data.loadUnaligned(fromByteOffset: frame * 4, as: Float.self)
                    interleaved[frame * channels + channel] = sample.isFinite ? sample : 0
                }
            }
        }
    }
}

// MARK: The C names

/// Where a tap is put: before or after the volume of its mix.
public typealias MTAudioProcessingTapCreationFlags = UInt32
/// The tap hears the sound before the volume of its mix.
public let kMTAudioProcessingTapCreationFlag_PreEffects: MTAudioProcessingTapCreationFlags = 1
/// The tap hears the sound after the volume of its mix.
public let kMTAudioProcessingTapCreationFlag_PostEffects: MTAudioProcessingTapCreationFlags = 2

/// What is special about frames.
public typealias MTAudioProcessingTapFlags = UInt32
/// The frames do not follow those before: the sound begins, or was sought.
public let kMTAudioProcessingTapFlag_StartOfStream: MTAudioProcessingTapFlags = 256
/// The sound ends with these frames.
public let kMTAudioProcessingTapFlag_EndOfStream: MTAudioProcessingTapFlags = 512

/// The version of ``MTAudioProcessingTapCallbacks``.
public let kMTAudioProcessingTapCallbacksVersion_0: Int32 = 0
/// An argument is not one that the function takes.
public let kMTAudioProcessingTapInvalidArgumentErr: OSStatus = -12_780

/// Called once, while the tap is created: may set the pointer that `MTAudioProcessingTapGetStorage` returns.
public typealias MTAudioProcessingTapInitCallback = (
    MTAudioProcessingTap, _ clientInfo: UnsafeMutableRawPointer?,
    _ tapStorageOut: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> Void
/// Called once, when nothing has the tap any more, on the thread that let go of it: frees what the storage points to.
public typealias MTAudioProcessingTapFinalizeCallback = (MTAudioProcessingTap) -> Void
/// Called before the first `process`, and before one of another format: planar Float32 at the output's or the file's rate.
public typealias MTAudioProcessingTapPrepareCallback = (
    MTAudioProcessingTap, _ maxFrames: CMItemCount, _ processingFormat: UnsafePointer<AudioStreamBasicDescription>
) -> Void
/// Called once for each `prepare`: when the mix is taken away, the item leaves its player, or the tap goes.
public typealias MTAudioProcessingTapUnprepareCallback = (MTAudioProcessingTap) -> Void
/// Gives frames: gets them with `MTAudioProcessingTapGetSourceAudio`, and changes them.
///
/// At most `maxFrames`. The buffers have no memory at first: the source's, or the app's own, good until the next call. What is not
/// given is silence; time goes on by `numberFrames` whatever `numberFramesOut` says.
public typealias MTAudioProcessingTapProcessCallback = (
    MTAudioProcessingTap, _ numberFrames: CMItemCount, _ flags: MTAudioProcessingTapFlags,
    _ bufferListInOut: UnsafeMutablePointer<AudioBufferList>, _ numberFramesOut: UnsafeMutablePointer<CMItemCount>,
    _ flagsOut: UnsafeMutablePointer<MTAudioProcessingTapFlags>
) -> Void

/// What a tap calls.
///
/// Functions of Swift, where iOS has C functions: `@convention(c)` takes no Swift class on Linux. Closures that capture nothing fit
/// both.
///
/// Source: SDK header MTAudioProcessingTap.h of MediaToolbox.
public struct MTAudioProcessingTapCallbacks {
    /// ``kMTAudioProcessingTapCallbacksVersion_0``.
    public var version: Int32
    /// Passed to `init`.
    public var clientInfo: UnsafeMutableRawPointer?
    /// Called once, while the tap is created.
    public var `init`: MTAudioProcessingTapInitCallback?
    /// Called once, when nothing has the tap any more.
    public var finalize: MTAudioProcessingTapFinalizeCallback?
    /// Called before the first `process` of a format.
    public var prepare: MTAudioProcessingTapPrepareCallback?
    /// Called once for each `prepare`.
    public var unprepare: MTAudioProcessingTapUnprepareCallback?
    /// Gives frames.
    public var process: MTAudioProcessingTapProcessCallback

    /// Stores them.
    ///
    /// - Parameters:
    ///   - version: ``kMTAudioProcessingTapCallbacksVersion_0``.
    ///   - clientInfo: passed to `init`.
    ///   - init: called once, while the tap is created.
    ///   - finalize: called once, when nothing has the tap any more.
    ///   - prepare: called before the first `process` of a format.
    ///   - unprepare: called once for each `prepare`.
    ///   - process: gives frames.
    public init(
        version: Int32, clientInfo: UnsafeMutableRawPointer?, `init`: MTAudioProcessingTapInitCallback?,
        finalize: MTAudioProcessingTapFinalizeCallback?, prepare: MTAudioProcessingTapPrepareCallback?,
        unprepare: MTAudioProcessingTapUnprepareCallback?, process: @escaping MTAudioProcessingTapProcessCallback
    ) {
        (self.version, self.clientInfo, self.`init`, self.finalize) = (version, clientInfo, `init`, finalize)
        (self.prepare, self.unprepare, self.process) = (prepare, unprepare, process)
    }
}

/// How an object of Core Foundation gets its memory; nothing here asks for one.
public final class CFAllocator: Sendable {
    private init() {}
}
/// Nil, the usual one.
public let kCFAllocatorDefault: CFAllocator? = nil

/// Creates a tap.
///
/// - Parameters:
///   - allocator: ignored.
///   - callbacks: copied; of version 0.
///   - flags: one of the two that say where it is put.
///   - tapOut: receives the tap; nil where there is none.
/// - Returns: ``kMTAudioProcessingTapInvalidArgumentErr`` for another version, and for none or both of the flags.
@discardableResult
public func MTAudioProcessingTapCreate(
    _ allocator: CFAllocator?, _ callbacks: UnsafePointer<MTAudioProcessingTapCallbacks>,
    _ flags: MTAudioProcessingTapCreationFlags, _ tapOut: UnsafeMutablePointer<MTAudioProcessingTap?>
) -> OSStatus {
    tapOut.pointee = nil
    guard callbacks.pointee.version == kMTAudioProcessingTapCallbacksVersion_0,
        [kMTAudioProcessingTapCreationFlag_PreEffects, kMTAudioProcessingTapCreationFlag_PostEffects].contains(flags)
    else { return kMTAudioProcessingTapInvalidArgumentErr }
    tapOut.pointee = MTAudioProcessingTap(callbacks.pointee, flags)
    return noErr
}

/// Creates a tap, as SDKs before that of iOS 18 declare it; `takeRetainedValue()` gives it.
///
/// - Parameters:
///   - allocator: ignored.
///   - callbacks: copied; of version 0.
///   - flags: one of the two that say where it is put.
///   - tapOut: receives the tap, retained; nil where there is none.
/// - Returns: ``kMTAudioProcessingTapInvalidArgumentErr`` for another version, and for none or both of the flags.
@discardableResult
public func MTAudioProcessingTapCreate(
    _ allocator: CFAllocator?, _ callbacks: UnsafePointer<MTAudioProcessingTapCallbacks>,
    _ flags: MTAudioProcessingTapCreationFlags, _ tapOut: UnsafeMutablePointer<Unmanaged<MTAudioProcessingTap>?>
) -> OSStatus {
    var tap: MTAudioProcessingTap?
    let status = MTAudioProcessingTapCreate(allocator, callbacks, flags, &tap)
    tapOut.pointee = tap.map { Unmanaged.passRetained($0) }
    return status
}

/// The pointer that the tap's `init` callback has set; a programming error where it set none.
public func MTAudioProcessingTapGetStorage(_ tap: MTAudioProcessingTap) -> UnsafeMutableRawPointer {
    guard let storage = tap.storage else {
        programmerError("this tap has no storage: set tapStorageOut in its init callback")
    }
    return storage
}

/// Gives a `process` callback its frames, each once.
///
/// - Parameters:
///   - tap: whose `process` callback runs on this thread.
///   - numberFrames: as many as are wanted, 0 or more.
///   - bufferListInOut: a buffer for each channel; one without memory gets ours, good until the callback returns, and one with
///     memory is filled, if its size holds the frames.
///   - flagsOut: receives whether the sound begins or ends with these frames; nil is allowed.
///   - timeRangeOut: receives which part of the sound they are; nil is allowed.
///   - numberFramesOut: receives how many they are, fewer than wanted where this call has no more; nil is allowed.
/// - Returns: ``kMTAudioProcessingTapInvalidArgumentErr`` outside of the callback, and for buffers that do not fit.
@discardableResult
public func MTAudioProcessingTapGetSourceAudio(
    _ tap: MTAudioProcessingTap, _ numberFrames: CMItemCount, _ bufferListInOut: UnsafeMutablePointer<AudioBufferList>,
    _ flagsOut: UnsafeMutablePointer<MTAudioProcessingTapFlags>?, _ timeRangeOut: UnsafeMutablePointer<CMTimeRange>?,
    _ numberFramesOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
    guard let given = tap.getSource(numberFrames, UnsafeMutableAudioBufferListPointer(bufferListInOut)) else {
        numberFramesOut?.pointee = 0
        return kMTAudioProcessingTapInvalidArgumentErr
    }
    flagsOut?.pointee = given.flags
    timeRangeOut?.pointee = given.range
    numberFramesOut?.pointee = given.frames
    return noErr
}
