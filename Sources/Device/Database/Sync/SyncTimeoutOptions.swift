import Synchronization

/// The timeouts of connections, in milliseconds.
///
/// ```swift
/// let timeouts = SyncTimeoutOptions()
/// timeouts.connectTimeout = 5_000
/// let app = App(id: "flights", configuration: AppConfiguration(baseURL: baseURL, syncTimeouts: timeouts))
/// ```
///
/// An app copies its options when it is created. `SyncManager.timeoutOptions` replaces them before the first Realm is
/// opened.
public final class SyncTimeoutOptions: Sendable {
    struct Values: Hashable, Sendable {
        var connectTimeout: UInt = 10_000
        var connectionLingerTime: UInt = 30_000
        var pingKeepalivePeriod: UInt = 60_000 { didSet { boundsSilence = true } }
        var pongKeepaliveTimeout: UInt = 120_000 { didSet { boundsSilence = true } }
        var fastReconnectLimit: UInt = 60_000
        /// Whether the app said how long a connection may stay silent.
        private(set) var boundsSilence = false

        /// How long a connection may be silent before it counts as lost; nil when the app has not set it. The server
        /// sends heartbeats by itself, so the period and the timeout add up to one limit.
        var silenceMilliseconds: UInt64? {
            guard boundsSilence else { return nil }
            let (sum, overflow) = UInt64(pingKeepalivePeriod).addingReportingOverflow(UInt64(pongKeepaliveTimeout))
            return overflow ? .max : sum
        }
    }

    private let state: Mutex<Values>

    /// Options with every bound at its default.
    ///
    /// ```swift
    /// let hasty = SyncTimeoutOptions(connectTimeout: 2_000)
    /// ```
    ///
    /// Each parameter sets the property of its name, in milliseconds; nil leaves the default.
    public init(
        connectTimeout: UInt? = nil, connectionLingerTime: UInt? = nil, pingKeepalivePeriod: UInt? = nil,
        pongKeepaliveTimeout: UInt? = nil, fastReconnectLimit: UInt? = nil
    ) {
        var values = Values()
        if let connectTimeout { values.connectTimeout = connectTimeout }
        if let connectionLingerTime { values.connectionLingerTime = connectionLingerTime }
        if let pingKeepalivePeriod { values.pingKeepalivePeriod = pingKeepalivePeriod }
        if let pongKeepaliveTimeout { values.pongKeepaliveTimeout = pongKeepaliveTimeout }
        if let fastReconnectLimit { values.fastReconnectLimit = fastReconnectLimit }
        state = Mutex(values)
    }

    init(_ values: Values) {
        state = Mutex(values)
    }

    var values: Values { state.withLock { $0 } }

    /// How long to wait for a connection, TLS included. 10,000 by default.
    ///
    /// ```swift
    /// let timeouts = SyncTimeoutOptions()
    /// timeouts.connectTimeout = 5_000
    /// ```
    public var connectTimeout: UInt {
        get { values.connectTimeout }
        set { state.withLock { $0.connectTimeout = newValue } }
    }

    /// How long a connection stays open after the last Realm has stopped using it. A Realm that is opened or resumed
    /// within that time uses it again. 30,000 by default. The server closes a connection without requests after 75
    /// seconds.
    ///
    /// ```swift
    /// let timeouts = SyncTimeoutOptions()
    /// timeouts.connectionLingerTime = 5_000
    /// ```
    public var connectionLingerTime: UInt {
        get { values.connectionLingerTime }
        set { state.withLock { $0.connectionLingerTime = newValue } }
    }

    /// The first part of the time that a connection may be silent; `pongKeepaliveTimeout` is the second. A connection
    /// that is silent for longer than both counts as lost. 60,000 by default when only the other is set. The limit is
    /// at least two heartbeat intervals of the server. When neither is set, it is three intervals.
    ///
    /// ```swift
    /// let timeouts = SyncTimeoutOptions()
    /// timeouts.pingKeepalivePeriod = 60_000
    /// timeouts.pongKeepaliveTimeout = 30_000    // a silence of 90 seconds ends a connection
    /// ```
    public var pingKeepalivePeriod: UInt {
        get { values.pingKeepalivePeriod }
        set { state.withLock { $0.pingKeepalivePeriod = newValue } }
    }

    /// How much longer than `pingKeepalivePeriod` a connection may be silent. 120,000 by default when only the other
    /// is set.
    public var pongKeepaliveTimeout: UInt {
        get { values.pongKeepaliveTimeout }
        set { state.withLock { $0.pongKeepaliveTimeout = newValue } }
    }

    /// The time offline after which RealmSwift downloads before it uploads. It has no effect here, since neither ever
    /// waits for the other. 60,000 by default.
    ///
    /// ```swift
    /// SyncTimeoutOptions().fastReconnectLimit    // 60000
    /// ```
    public var fastReconnectLimit: UInt {
        get { values.fastReconnectLimit }
        set { state.withLock { $0.fastReconnectLimit = newValue } }
    }
}

extension SyncTimeoutOptions: Hashable {
    /// Compares the values.
    ///
    /// ```swift
    /// SyncTimeoutOptions(connectTimeout: 5_000) == SyncTimeoutOptions(connectTimeout: 5_000)    // true
    /// ```
    public static func == (left: SyncTimeoutOptions, right: SyncTimeoutOptions) -> Bool { left.values == right.values }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
