import Foundation

// The C library's functions, which the tone generator uses too, so that samples can be compared exactly.
func sine(_ frame: Int, _ step: Double) -> Double { sin(Double(frame) * step) }
func cosine(_ frame: Int, _ step: Double) -> Double { cos(Double(frame) * step) }
