/// Certificates and a key that only these tests know, valid for a hundred years: P-256, the server's for `localhost`
/// and no other name.
enum TestCertificates {
    /// Signed the server's certificate.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBrDCCAVGgAwIBAgIUf1PZmkR0rQpiVA8sDc5WqxOtMpYwCgYIKoZIzj0EAwIw
        IjEgMB4GA1UEAwwXQ2F1c2V3YXkgdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDM0
        OTE4WhgPMjEyNjEwMjgwMzQ5MThaMCIxIDAeBgNVBAMMF0NhdXNld2F5IHRlc3Qg
        YXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2lKK8GexbzZkHZhO
        izxh5I0LKsByFgkYl3r+VdEaXlEX+ccG/q+NT3xqCxzdvWKkqOMqwRwA2TmGSSMk
        cw0V/KNjMGEwHQYDVR0OBBYEFLWZJANILbGLRqITmHqTdRu73fDoMB8GA1UdIwQY
        MBaAFLWZJANILbGLRqITmHqTdRu73fDoMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0P
        AQH/BAQDAgIEMAoGCCqGSM49BAMCA0kAMEYCIQChV8Oq/0jRyiQAzfV2M3R35mhC
        cM+pM6q5I0lNfaT8YwIhALvRZFH0FtATQ5CWLA0xy85hufZDaQe2yoFJTcdTEdBv
        -----END CERTIFICATE-----
        """

    /// An authority that signed nothing here.
    static let strangers = """
        -----BEGIN CERTIFICATE-----
        MIIBjzCCATWgAwIBAgIUMb8OqVh9ZdNIxUrM//+HT3Pw3K4wCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRQW5vdGhlciBhdXRob3JpdHkwIBcNMjYxMTIxMDM0OTE4WhgP
        MjEyNjEwMjgwMzQ5MThaMBwxGjAYBgNVBAMMEUFub3RoZXIgYXV0aG9yaXR5MFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEpn0hnGoECEP4wKKrs5DpIqPoS2Kebrbs
        hTDt/Ucp1OGvhkBzc9o7lYKDdnroOW0YJs/gIoUeH9cKXvuAE2qidaNTMFEwHQYD
        VR0OBBYEFJxJC+HjNsG2GUup7bOhbuZVzmSnMB8GA1UdIwQYMBaAFJxJC+HjNsG2
        GUup7bOhbuZVzmSnMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIg
        NUsd4ThprcDB2ueHaFFjs2eaRK3nxeOY5p89GekyFlUCIQCeNl7HZQDDcQMO/Mxx
        TZXf1icDKJQJzsGHTiL9zLcfOw==
        -----END CERTIFICATE-----
        """

    /// For `localhost`.
    static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBtDCCAVugAwIBAgIUTCC0qX6aa0NgbCDiqns+w/TkaD8wCgYIKoZIzj0EAwIw
        IjEgMB4GA1UEAwwXQ2F1c2V3YXkgdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDM0
        OTE4WhgPMjEyNjEwMjgwMzQ5MThaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABFXguuwprOgp11WilCorITC7Ew2zxDzaDOor
        p73XWCCtQVU99SyWh3n+5Wyj9l5Fe4XizieNULsgXetU4f9VB+KjezB5MBQGA1Ud
        EQQNMAuCCWxvY2FsaG9zdDAMBgNVHRMBAf8EAjAAMBMGA1UdJQQMMAoGCCsGAQUF
        BwMBMB0GA1UdDgQWBBSgvQRrEnISmP2H9unnPf34f58jCDAfBgNVHSMEGDAWgBS1
        mSQDSC2xi0aiE5h6k3Ubu93w6DAKBggqhkjOPQQDAgNHADBEAiBxmmmtoiFJ6YDn
        kNNVpWsOvcVB5M+V8GXy0yuHK7li9QIgZBbbFEGgq0nntOT5tHkLI2fvynV2LUhg
        /ZmvS1X+x6g=
        -----END CERTIFICATE-----
        """

    /// The key of `server`.
    static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggepL2OyP+S1978Vh
        bLNrGWDupEMnqMeUsQ8HkUhlGTShRANCAARV4LrsKazoKddVopQqKyEwuxMNs8Q8
        2gzqK6e911ggrUFVPfUslod5/uVso/ZeRXuF4s4njVC7IF3rVOH/VQfi
        -----END PRIVATE KEY-----
        """
}
