import Foundation
internal import SessionRuntime

#if !canImport(Darwin)
    /// The host time now, in nanoseconds: as the host times of `AVAudioTime`, so virtual time on a simulated host.
    ///
    /// Any thread but the render thread: the first call creates the session. In a block that renders, use the time that it is given.
    ///
    /// Source: Apple documentation, "mach_absolute_time()".
    public func mach_absolute_time() -> UInt64 { AVAudioSession.sharedInstance().runtime.host.now().nanoseconds }

    /// How many nanoseconds a unit of host time has, as a fraction.
    ///
    /// Source: Apple documentation, "mach_timebase_info_data_t".
    public struct mach_timebase_info_data_t: Hashable, Sendable {
        /// Nanoseconds.
        public var numer: UInt32
        /// Units of host time.
        public var denom: UInt32

        /// Zeros, to be filled.
        public init() { (numer, denom) = (0, 0) }

        /// A fraction.
        public init(numer: UInt32, denom: UInt32) { (self.numer, self.denom) = (numer, denom) }
    }

    /// Zeros, to be filled: the type's name in C, with which apps make one.
    ///
    /// Source: Apple documentation, "mach_timebase_info".
    public func mach_timebase_info() -> mach_timebase_info_data_t { mach_timebase_info_data_t() }

    /// Says how many nanoseconds a unit of host time has: 1, as host times count nanoseconds.
    ///
    /// - Parameter info: is set to 1/1.
    /// - Returns: 0, success.
    @discardableResult
    public func mach_timebase_info(_ info: UnsafeMutablePointer<mach_timebase_info_data_t>) -> Int32 {
        info.pointee = mach_timebase_info_data_t(numer: 1, denom: 1)
        return 0
    }

    /// The seconds of a time since 1 January 2001.
    ///
    /// Source: Apple documentation, "CFAbsoluteTime".
    public typealias CFAbsoluteTime = Double

    /// The time of day now, in seconds since 1 January 2001; it jumps when the clock is set.
    ///
    /// Source: Apple documentation, "CFAbsoluteTimeGetCurrent()".
    public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
#endif
