/// Why a sample rate cannot be converted.
package struct RateConversionFailure: Error {
    /// libsoxr's own words.
    package var reason: String
}
