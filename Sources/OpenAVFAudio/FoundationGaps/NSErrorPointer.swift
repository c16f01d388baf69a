public import Foundation

/// The error of a function that does not throw: `&error` of a `var error: NSError?`, or nil.
///
/// Foundation on Linux does not have this type.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
