-- Debian 12: as on hardware. In virtual machines WirePlumber adds 8192 frames to the ring of each card.
alsa_monitor.properties["vm.node.defaults"] = {}
-- The second HDA card has only a microphone.
table.insert(alsa_monitor.rules, {
  matches = { { { "node.name", "matches", "alsa_output.pci-0000_00_1e.*" } } },
  apply_properties = { ["node.disabled"] = true },
})
