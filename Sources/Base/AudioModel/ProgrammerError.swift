/// Ends the program with a sentence that says what its code did and what to do instead.
///
/// Unlike `precondition`, whose text an optimized build leaves out, it prints the sentence in every build. dev/checks/public forbids
/// `precondition` where apps call in. Any thread.
///
/// - Parameters:
///   - message: the value received, the values allowed, and the next step.
///   - file: of the check.
///   - line: of the check.
package func programmerError(
    _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError(message(), file: file, line: line)
}

/// Ends the program with a sentence unless the condition holds; see `programmerError(_:file:line:)`.
///
/// - Parameters:
///   - condition: what correct code keeps to.
///   - message: read only where the condition does not hold.
///   - file: of the check.
///   - line: of the check.
package func programmerError(
    unless condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !condition { fatalError(message(), file: file, line: line) }
}
