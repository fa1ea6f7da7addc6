import CausewaySync
import Foundation

// The transport to an app's server. A program that never syncs can leave out the trait `Network`, and with it all
// packages for HTTP/2 and TLS. A synced Realm then opens as it does offline, and its session reports the reason.

#if Network
    import CausewayTransport

    extension AppState {
        /// The transport to the app's server. If the configuration cannot work, every call of it fails with the reason.
        func networkTransport() -> any Transport {
            do throws(TransportFailure) {
                return try makeHTTPTransport()
            } catch {
                return UnusableTransport(error.message)
            }
        }

        /// - Throws: `unusable` for an address that no connection can be made to.
        func checkAddress(of configuration: AppConfiguration.Values) throws(TransportFailure) {
            _ = try serverAddress(configuration)
        }

        private func serverAddress(_ configuration: AppConfiguration.Values) throws(TransportFailure) -> ServerAddress {
            guard let base = configuration.baseURL else {
                throw .unusable(
                    "The app '\(id)' has no server. Give its address: AppConfiguration(baseURL: \"https://…\").")
            }
            let trust = configuration.trustRootsPath.map { ServerAddress.Trust.authorities(path: $0) } ?? .system
            var address: ServerAddress
            do throws(AddressError) {
                address = try ServerAddress(base: base, database: id, trust: trust)
            } catch {
                throw .unusable(error.message)
            }
            address.connectMilliseconds = Int64(clamping: timeouts.connectTimeout)
            address.answerMilliseconds = Int64(clamping: configuration.defaultRequestTimeoutMS)
            address.lingerMilliseconds = Int64(clamping: timeouts.connectionLingerTime)
            address.sharesConnection = configuration.enableSessionMultiplexing
            return address
        }

        fileprivate func makeHTTPTransport() throws(TransportFailure) -> HTTPTransport {
            // Evaluated for every request, so that changed settings apply without a new connection.
            try HTTPTransport(try serverAddress(configuration)) { [syncManager] in
                HTTPTransport.Headers(
                    authorization: syncManager.authorizationHeaderName ?? "authorization",
                    extra: [("user-agent", syncManager.userAgent)]
                        + syncManager.customRequestHeaders.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            }
        }
    }

    extension AccountCalls {
        /// Calls over HTTP/2, on a connection of their own that the first call opens.
        init(over app: AppState) {
            let connection = LazyConnection(app)
            send = { call, body, token in
                do throws(TransportFailure) {
                    let answer = try await connection.transport().account(call, json: [UInt8](body), token: token)
                    return (answer.status, Data(answer.body))
                } catch {
                    throw AppError(.httpRequestFailed, error.message)
                }
            }
        }
    }

    /// The transport of an app's account calls, made when it is first needed.
    private actor LazyConnection {
        private weak var app: AppState?
        private var made: HTTPTransport?

        init(_ app: AppState) {
            self.app = app
        }

        func transport() throws(TransportFailure) -> HTTPTransport {
            if let made { return made }
            guard let app else { throw .cancelled }
            let transport = try app.makeHTTPTransport()
            made = transport
            return transport
        }
    }
#else
    extension AppState {
        fileprivate static let noNetwork =
            "This program was built without the trait 'Network' of Causeway, so it reaches no server. Name the trait where "
            + "Package.swift names the dependency."

        func networkTransport() -> any Transport { UnusableTransport(Self.noNetwork) }

        func checkAddress(of configuration: AppConfiguration.Values) throws(TransportFailure) {
            throw .unusable(Self.noNetwork)
        }
    }

    extension AccountCalls {
        init(over app: AppState) {
            send = { _, _, _ in throw AppError(.httpRequestFailed, AppState.noNetwork) }
        }
    }
#endif
