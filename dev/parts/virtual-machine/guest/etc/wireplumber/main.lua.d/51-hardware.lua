-- Debian 12: as on hardware. In virtual machines WirePlumber adds 8192 frames to the ring of each card.
alsa_monitor.properties["vm.node.defaults"] = {}
