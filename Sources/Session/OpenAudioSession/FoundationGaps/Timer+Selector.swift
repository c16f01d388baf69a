#if !canImport(ObjectiveC)
    public import Foundation

    // What Foundation has on Apple's platforms and lacks on Linux (swift-corelibs-foundation of Swift 6.3).
    extension Timer {
        /// Calls a method of `target` when the time has come; the timer is in the current thread's run loop.
        ///
        /// The run loop's thread. The timer keeps the target until it is invalidated, or has fired where it does not repeat.
        ///
        /// Source: Apple documentation, "scheduledTimer(timeInterval:target:selector:userInfo:repeats:)".
        ///
        /// - Parameters:
        ///   - ti: in seconds, from now and between two calls; 0 and less is 0.1 ms.
        ///   - aTarget: an object of the class that the selector names, or of a subclass.
        ///   - aSelector: `Selector(Player.showTime)`, of a method that takes the `Timer` or nothing.
        ///   - userInfo: not kept: Foundation's timer has no place for it on Linux.
        ///   - yesOrNo: false for one call.
        @discardableResult
        public class func scheduledTimer(
            timeInterval ti: TimeInterval, target aTarget: Any, selector aSelector: Selector, userInfo: Any?,
            repeats yesOrNo: Bool
        ) -> Timer {
            scheduledTimer(
                withTimeInterval: ti, repeats: yesOrNo, block: aSelector.timerBlock(for: aTarget as AnyObject))
        }

        /// As `scheduledTimer(timeInterval:target:selector:userInfo:repeats:)`, in no run loop yet.
        ///
        /// Source: Apple documentation, "init(timeInterval:target:selector:userInfo:repeats:)".
        public convenience init(
            timeInterval ti: TimeInterval, target aTarget: Any, selector aSelector: Selector, userInfo: Any?,
            repeats yesOrNo: Bool
        ) {
            self.init(timeInterval: ti, repeats: yesOrNo, block: aSelector.timerBlock(for: aTarget as AnyObject))
        }
    }

    extension Selector {
        fileprivate func timerBlock(for target: AnyObject) -> @Sendable (Timer) -> Void {
            check(target, from: "timer", sends: [Timer.self])
            // Used on the run loop's thread, as on Apple's platforms.
            nonisolated(unsafe) let target = target
            return { timer in call(target, timer) }
        }
    }
#endif
