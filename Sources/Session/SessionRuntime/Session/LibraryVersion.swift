/// The version of the library, and of the package and its programs.
package enum LibraryVersion {
    package static let current = "1.0.0"
}
