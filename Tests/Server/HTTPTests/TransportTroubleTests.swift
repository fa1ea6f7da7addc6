import NIOCore
import NIOSSL
import Testing

@testable import CausewayHTTP

@Suite("Why a connection or a listener failed")
struct TransportTroubleTests {
    @Test("errors of sockets and of TLS become words of ours")
    func words() {
        let known: [(any Error, TransportTrouble)] = [
            (IOError(errnoCode: 98, reason: "bind(descriptor:ptr:bytes:)"), .addressTaken),
            (IOError(errnoCode: 13, reason: "bind(descriptor:ptr:bytes:)"), .addressForbidden),
            (IOError(errnoCode: 99, reason: "bind(descriptor:ptr:bytes:)"), .addressElsewhere),
            (IOError(errnoCode: 111, reason: "connect"), .refused),
            (IOError(errnoCode: 104, reason: "read"), .closed),
            (IOError(errnoCode: 28, reason: "write"), .system(28)),
            (ChannelError.connectTimeout(.seconds(1)), .timedOut),
            (ChannelError.eof, .closed),
            (NIOSSLError.uncleanShutdown, .closed),
            (NIOSSLExtraError.failedToValidateHostname, .certificateOfOtherHost),
            (NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), .closed),
            (NIOSSLError.handshakeFailed(.syscallError), .handshake),
            (CancellationError(), .unknown),
        ]
        for (error, trouble) in known {
            #expect(TransportTrouble(error) == trouble, "\(error)")
            let words = TransportTrouble(error).words
            #expect(!words.isEmpty && !words.contains("NIO") && !words.contains("errno") && !words.contains("("))
        }
    }

    @Test("certificates and keys that cannot be used are told, and not quoted")
    func certificates() {
        for (chain, key, word) in [("secret", "secret", "certificate"), ("", "", "certificate")] {
            let failure = #expect(throws: ServerTLS.Failure.self) {
                try ServerTLS.context(chain: chain, key: key, protocols: [])
            }
            #expect(failure?.message.contains(word) == true && failure?.message.contains("secret") == false)
        }
        let key = #expect(throws: ServerTLS.Failure.self) { try ServerTLS.privateKey("secret", "The file k.pem") }
        #expect(key?.message == "The file k.pem holds no unencrypted private key in PEM form.")
    }
}
