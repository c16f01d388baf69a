public import Foundation

/// Where a function that does not throw leaves its error: `&error` of a `var error: NSError?`, or nil.
///
/// Linux's Foundation has no such type.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
