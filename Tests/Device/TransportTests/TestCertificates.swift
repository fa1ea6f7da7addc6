/// Certificates and a key that only these tests know, valid for a hundred years but where it says otherwise: P-256, the server's for `localhost`
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

    /// Signed the two that are not valid now. Until 2199.
    static let authorityOfOtherTimes = """
        -----BEGIN CERTIFICATE-----
        MIIBrDCCAVGgAwIBAgIUX6Bdz4NKmnZWYemaCaSvIcdkWEYwCgYIKoZIzj0EAwIw
        MTEvMC0GA1UEAwwmQ2F1c2V3YXkgdGVzdCBhdXRob3JpdHkgb2Ygb3RoZXIgdGlt
        ZXMwIBcNMDAwMTAxMDAwMDAwWhgPMjE5OTAxMDEwMDAwMDBaMDExLzAtBgNVBAMM
        JkNhdXNld2F5IHRlc3QgYXV0aG9yaXR5IG9mIG90aGVyIHRpbWVzMFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEclFl0f4AfLsOXqmKcJ6jdnwSmeFhO5PSuLmX3tFr
        gq+b6w4FxGnBLUBCdx7ZBclBhsNJIauEzDrA5GtCX6rg1aNFMEMwEgYDVR0TAQH/
        BAgwBgEB/wIBADAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFPbJXhCsFHnvEJ0O
        1BwbluCR83roMAoGCCqGSM49BAMCA0kAMEYCIQCnPLzQV362jK5q8F1n6CnKM90m
        lhs9HFo9O3OiBMLk8gIhAP9RQ9lzrYlRNFg432ZYg+GUwOqfU4CHWmjMZQG3YR4y
        -----END CERTIFICATE-----
        """

    /// For `localhost`, with `serverKey`, in 2001.
    static let ended = """
        -----BEGIN CERTIFICATE-----
        MIIBozCCAUmgAwIBAgIUNLCUsHNn/CwNTaB6R2jtc5dPIKEwCgYIKoZIzj0EAwIw
        MTEvMC0GA1UEAwwmQ2F1c2V3YXkgdGVzdCBhdXRob3JpdHkgb2Ygb3RoZXIgdGlt
        ZXMwHhcNMDEwMTAxMDAwMDAwWhcNMDIwMTAxMDAwMDAwWjAUMRIwEAYDVQQDDAls
        b2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARV4LrsKazoKddVopQq
        KyEwuxMNs8Q82gzqK6e911ggrUFVPfUslod5/uVso/ZeRXuF4s4njVC7IF3rVOH/
        VQfio1wwWjAUBgNVHREEDTALgglsb2NhbGhvc3QwDAYDVR0TAQH/BAIwADATBgNV
        HSUEDDAKBggrBgEFBQcDATAfBgNVHSMEGDAWgBT2yV4QrBR57xCdDtQcG5bgkfN6
        6DAKBggqhkjOPQQDAgNIADBFAiEAzHibR1ClR5wwG7pQtgfPAU1j6uwWAir809LV
        ZWUI+eECIDfAMOXqLLAZAONpyM+ARHFLjSe3jsQXbwKqu2kVS9RG
        -----END CERTIFICATE-----
        """

    /// For `localhost`, with `serverKey`, from 2150 to 2199.
    static let early = """
        -----BEGIN CERTIFICATE-----
        MIIBqDCCAU2gAwIBAgIUFaUETgxpAKvbWtViSyng5O8JbGUwCgYIKoZIzj0EAwIw
        MTEvMC0GA1UEAwwmQ2F1c2V3YXkgdGVzdCBhdXRob3JpdHkgb2Ygb3RoZXIgdGlt
        ZXMwIhgPMjE1MDAxMDEwMDAwMDBaGA8yMTk5MDEwMTAwMDAwMFowFDESMBAGA1UE
        AwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEVeC67Cms6CnX
        VaKUKishMLsTDbPEPNoM6iunvddYIK1BVT31LJaHef7lbKP2XkV7heLOJ41QuyBd
        61Th/1UH4qNcMFowFAYDVR0RBA0wC4IJbG9jYWxob3N0MAwGA1UdEwEB/wQCMAAw
        EwYDVR0lBAwwCgYIKwYBBQUHAwEwHwYDVR0jBBgwFoAU9sleEKwUee8QnQ7UHBuW
        4JHzeugwCgYIKoZIzj0EAwIDSQAwRgIhANCryRogRds+XweJqxlEui8smdWfRZD8
        QQCwR24gNEzxAiEAyi5lIyHQwMJ9wslku19ZixUg27jVwG7FEoKIquKmNX8=
        -----END CERTIFICATE-----
        """
}
