// MERGE: delete this file once HostPipeWire.PipeWireHost and HostSimulated.SimulatedHost exist.
internal import HostInterface

func PipeWireHost(remote: String? = nil) -> any AudioHost {
    UnreachableHost(kind: .pipeWire, because: "The PipeWire host is not part of this branch.")
}

func SimulatedHost() -> any AudioHost {
    UnreachableHost(kind: .simulated, because: "The simulated host is not part of this branch.")
}
