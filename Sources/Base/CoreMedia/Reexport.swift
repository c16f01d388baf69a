// As on iOS, where `import CoreMedia` is enough for code that uses `Date` and `NSValue` too.
@_exported public import Foundation
