#if !canImport(Darwin)
    /// The host time now, in nanoseconds: as the host times of `AVAudioTime`, so virtual time on a simulated host.
    ///
    /// Any thread but the render thread: the first call creates the session. In a block that renders, use the time that it is given.
    ///
    /// Source: Apple documentation, "mach_absolute_time()".
    public func mach_absolute_time() -> UInt64 { AVAudioSession.sharedInstance().runtime.host.now().nanoseconds }
#endif
