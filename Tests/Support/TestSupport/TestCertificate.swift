/// Certificates of servers on the loopback interface, signed by an authority that only tests know.
///
/// They were made once with `openssl ca`, and the authority's key was deleted: no further ones can be made. The servers' key
/// protects nothing.
package enum TestCertificate: Sendable, CaseIterable {
    /// For localhost and 127.0.0.1, until 2099.
    case valid
    /// For example.org.
    case forAnotherName
    /// For localhost and 127.0.0.1, until 2001.
    case expired

    package var pem: String {
        switch self {
        case .valid:
            """
            -----BEGIN CERTIFICATE-----
            MIIBhzCCAS2gAwIBAgIBAjAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNvcGVuLWF2
            ZmF1ZGlvIHRlc3RzMCAXDTAwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjAP
            MQ0wCwYDVQQDDARnb29kMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7J7hfNJ8
            nh0GtFljcG71DrnqcZ8+0L88O1iVwNvl1kfc/YX3zGZNhVml02Gdb4gjkJofPmg1
            7i6PHamAR5cHyaNpMGcwCQYDVR0TBAIwADAaBgNVHREEEzARgglsb2NhbGhvc3SH
            BH8AAAEwHQYDVR0OBBYEFNfBUejhUpdEgDSrjmYe+U1HbNjfMB8GA1UdIwQYMBaA
            FBc1R1NK7kFoRdUSnJl9KViqeDtFMAoGCCqGSM49BAMCA0gAMEUCIGVBrIZPNOqK
            GeIIdizn8zxO7YYHfGQqm59jVIQa00t2AiEA2E0MXZ3q704Dn1uwjruoGREZituD
            nbP5hnqymBa9//I=
            -----END CERTIFICATE-----
            """
        case .forAnotherName:
            """
            -----BEGIN CERTIFICATE-----
            MIIBhTCCASqgAwIBAgIBAzAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNvcGVuLWF2
            ZmF1ZGlvIHRlc3RzMCAXDTAwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjAQ
            MQ4wDAYDVQQDDAVvdGhlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOye4XzS
            fJ4dBrRZY3Bu9Q656nGfPtC/PDtYlcDb5dZH3P2F98xmTYVZpdNhnW+II5CaHz5o
            Ne4ujx2pgEeXB8mjZTBjMAkGA1UdEwQCMAAwFgYDVR0RBA8wDYILZXhhbXBsZS5v
            cmcwHQYDVR0OBBYEFNfBUejhUpdEgDSrjmYe+U1HbNjfMB8GA1UdIwQYMBaAFBc1
            R1NK7kFoRdUSnJl9KViqeDtFMAoGCCqGSM49BAMCA0kAMEYCIQDBsiOReRPLttl0
            uxU9ZOxKpwCTG/a7ICGi5h/AOYLMHwIhAP+dLWNYTLouBjPGcO7mqnqf/NNyEE2V
            5iX59VJ3kbSY
            -----END CERTIFICATE-----
            """
        case .expired:
            """
            -----BEGIN CERTIFICATE-----
            MIIBiTCCAS6gAwIBAgIBBDAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNvcGVuLWF2
            ZmF1ZGlvIHRlc3RzMB4XDTAwMDEwMTAwMDAwMFoXDTAxMDEwMTAwMDAwMFowEjEQ
            MA4GA1UEAwwHZXhwaXJlZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOye4XzS
            fJ4dBrRZY3Bu9Q656nGfPtC/PDtYlcDb5dZH3P2F98xmTYVZpdNhnW+II5CaHz5o
            Ne4ujx2pgEeXB8mjaTBnMAkGA1UdEwQCMAAwGgYDVR0RBBMwEYIJbG9jYWxob3N0
            hwR/AAABMB0GA1UdDgQWBBTXwVHo4VKXRIA0q45mHvlNR2zY3zAfBgNVHSMEGDAW
            gBQXNUdTSu5BaEXVEpyZfSlYqng7RTAKBggqhkjOPQQDAgNJADBGAiEAinWKA5G5
            6zz1IT0EKqxDjvoBla1suRi6Na9KH3evvucCIQD1539VmBEq/Iw845VQzaD/FVyw
            t4qrGYuHaHHZOH/ZCA==
            -----END CERTIFICATE-----
            """
        }
    }

    /// The certificate of the authority.
    package static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBbzCCARWgAwIBAgIBATAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNvcGVuLWF2
        ZmF1ZGlvIHRlc3RzMCAXDTAwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjAe
        MRwwGgYDVQQDDBNvcGVuLWF2ZmF1ZGlvIHRlc3RzMFkwEwYHKoZIzj0CAQYIKoZI
        zj0DAQcDQgAEDNTpi3SmnWVf6HDjifMg8w33xv+gXn/VKbu2pKaZPObgTk0YGPqF
        lrezxf2xkMgqMbDXu9Lv0c1q7QNIF35EkaNCMEAwDwYDVR0TAQH/BAUwAwEB/zAO
        BgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFBc1R1NK7kFoRdUSnJl9KViqeDtFMAoG
        CCqGSM49BAMCA0gAMEUCIGAXT8jxL8UQsq3/D4tw74wufzwRe7eFfOuJ9Tgol+/U
        AiEAjr9AnRu6sNnfDvUdNLjMp5I23IBMGSz16x94V7ToR0E=
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgn7dWiO8cImKzNj0n
        SgtsmDskNwkPmn9ggHaka5xMqwyhRANCAATsnuF80nyeHQa0WWNwbvUOuepxnz7Q
        vzw7WJXA2+XWR9z9hffMZk2FWaXTYZ1viCOQmh8+aDXuLo8dqYBHlwfJ
        -----END PRIVATE KEY-----
        """
}
