/// This program's version; the package has the same.
enum Version {
    static let current = "0.1.0"
}
