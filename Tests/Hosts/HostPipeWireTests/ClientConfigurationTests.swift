import CPipeWireShims
import Testing

/// Without the right one the data thread is like any other, and sound drops out under load.
@Suite struct ClientConfigurationTests {
    @Test(arguments: [
        ("0.3.48", "client-rt.conf"), ("0.3.65", "client-rt.conf"), ("1.0.5", "client-rt.conf"),
        ("1.2.7", "client-rt.conf"), ("1.3.81", "client.conf"), ("1.4.2", "client.conf"), ("1.6.8", "client.conf"),
        ("2.0.0", "client.conf"),
    ])
    func configuration_ofAVersion_isTheOneWithRealTimeScheduling(version: String, name: String) {
        #expect(String(cString: oav_pw_client_configuration(version)) == name)
    }
}
