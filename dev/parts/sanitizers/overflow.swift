// A deliberate write behind the end of an allocation. See dev/test --lane address.
let samples = UnsafeMutablePointer<Float>.allocate(capacity: 4)
samples.initialize(repeating: 0, count: 4)
samples[CommandLine.arguments.count + 3] = 1
print(samples[0])
