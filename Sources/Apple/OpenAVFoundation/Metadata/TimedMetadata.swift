import CoreMedia
import Foundation
import MediaStreams
import SessionRuntime
import Synchronization

/// The facts of an item that have times: the chapters of a file, the titles that a radio station sends.
///
/// Any thread, unless a member says otherwise.
final class TimedMetadata: Sendable {
    private let state = Mutex(State())

    fileprivate struct State {
        var asset: AVAsset?
        weak var buffer: StreamBuffer?
        var outputs: [AVPlayerItemMetadataOutput] = []
        /// Nil: not read yet.
        var chapters: [AVTimedMetadataGroup]?
        /// Of a station, in the order of their times; the newest ones.
        var titles: [AVTimedMetadataGroup] = []
        var lastTitle: UInt64 = 0
        /// Of the station, at the player's time.
        var current: AVTimedMetadataGroup?
    }

    /// Of a station: more than a buffer holds.
    fileprivate static let mostTitles = 64

    var outputs: [AVPlayerItemMetadataOutput] { state.withLock { $0.outputs } }
    var currentItems: [AVMetadataItem]? { state.withLock { $0.current?.items } }

    func add(_ output: AVPlayerItemMetadataOutput) { state.withLock { $0.outputs.append(output) } }

    func remove(_ output: AVPlayerItemOutput) { state.change { $0.outputs.removeAll { $0 === output } } }

    func open(_ asset: AVAsset, _ buffer: StreamBuffer?) { state.withLock { ($0.asset, $0.buffer) = (asset, buffer) } }

    /// A seek has gone elsewhere.
    func flush(_ notices: NoticeQueue) { for output in outputs { output.flush(notices) } }

    /// The player's time went on to this position; the thread that reads, which waits for the tags of a file once.
    ///
    /// - Parameter onChange: called where `currentItems` are others.
    /// - Returns: how many seconds of the sound the next call is due after.
    func advance(to position: Double, _ notices: NoticeQueue, onChange: () -> Void) -> Double {
        let (outputs, asset, isRead) = state.withLock { ($0.outputs, $0.asset, $0.chapters != nil) }
        if !outputs.isEmpty, !isRead, let asset {
            let chapters = (try? asset.readChapterGroups()) ?? []
            state.withLock { $0.chapters = chapters }
        }
        let (groups, isChanged) = state.withLock { state in
            state.takeTitles()
            let current = Self.group(of: state.titles, at: position)
            defer { state.current = current }
            return ((state.chapters ?? []) + state.titles, current !== state.current)
        }
        if isChanged { onChange() }
        var next = Double.infinity
        for output in outputs {
            let time = position + output.advanceIntervalForDelegateInvocation
            output.show(Self.group(of: groups, at: time), notices)
            for group in groups where group.timeRange.start.seconds > time {
                next = min(next, group.timeRange.start.seconds - time)
            }
        }
        return next
    }

    private static func group(of groups: [AVTimedMetadataGroup], at seconds: Double) -> AVTimedMetadataGroup? {
        groups.last { $0.timeRange.start.seconds <= seconds }
    }
}

extension TimedMetadata.State {
    fileprivate mutating func takeTitles() {
        guard let buffer else { return }
        for title in buffer.titles where title.number > lastTitle {
            lastTitle = title.number
            titles.append(
                AVTimedMetadataGroup(
                    items: title.text.isEmpty ? [] : [.streamTitle(title.text)],
                    timeRange: CMTimeRange(
                        start: CMTime(position: Double(title.frame) / buffer.sampleRate), duration: .indefinite)))
        }
        titles.removeFirst(max(0, titles.count - TimedMetadata.mostTitles))
    }
}
