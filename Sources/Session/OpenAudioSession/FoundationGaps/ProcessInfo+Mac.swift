public import Foundation

#if !canImport(Darwin)
    extension ProcessInfo {
        /// False: this is no Mac.
        ///
        /// Source: Apple documentation, "isMacCatalystApp".
        public var isMacCatalystApp: Bool { false }

        /// False: this is no Mac.
        ///
        /// Source: Apple documentation, "isiOSAppOnMac".
        public var isiOSAppOnMac: Bool { false }
    }
#endif
