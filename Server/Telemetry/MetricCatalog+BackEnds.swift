// Back ends: the data API, the change feed, and what carries data on.

extension MetricCatalog {
    static let backEnds = [
        apiRequests, apiSeconds, apiObjectsRead, feedReaders, feedOpened, feedRefused, feedEnded, feedEvents,
        feedLagVersions, feedLagSeconds, carrierFailing, carrierFailures, carrierRetries, carrierTaken,
        carrierSuccessAge, carrierBehind, carrierLagSeconds,
    ]

    package static let apiRequests = MetricDefinition(
        "causeway_api_requests_total", .counter, labels: ["database", "call", "outcome"],
        "Requests to the data API: ok, or the name of the error code.")
    package static let apiSeconds = MetricDefinition(
        "causeway_api_request_seconds", .histogram, unit: "seconds", labels: ["database", "call"],
        bounds: MetricBounds.work, "How long answering requests to the data API took, without sending the answer.")
    package static let apiObjectsRead = MetricDefinition(
        "causeway_api_objects_read_total", .counter, labels: ["database"],
        "Objects that answers of the data API held.")

    // MARK: - The change feed

    package static let feedReaders = MetricDefinition(
        "causeway_feed_readers", .gauge, labels: ["database"], "Open readers of changes, without webhooks.")
    package static let feedOpened = MetricDefinition(
        "causeway_feed_opened_total", .counter, labels: ["database"], "Readers of changes that were opened.")
    package static let feedRefused = MetricDefinition(
        "causeway_feed_refused_total", .counter, labels: ["database", "code"],
        "Requests for changes that were refused, by the name of the error code.")
    package static let feedEnded = MetricDefinition(
        "causeway_feed_ended_total", .counter, labels: ["database", "reason"],
        "Readers of changes that ended: complete (live=false), gone (the reader left or did not read), or the name of the "
            + "error code that the reader was told.")
    package static let feedEvents = MetricDefinition(
        "causeway_feed_events_total", .counter, labels: ["database"], "Events that readers of changes were sent.")
    package static let feedLagVersions = MetricDefinition(
        "causeway_feed_lag_versions", .gauge, labels: ["database"],
        "How many versions the slowest open reader of changes is behind.")
    package static let feedLagSeconds = MetricDefinition(
        "causeway_feed_lag_seconds", .gauge, unit: "seconds", labels: ["database"],
        "How long ago the oldest version was received that the slowest open reader of changes lacks; 0 when it lacks none."
    )

    // MARK: - Webhooks and sinks

    private static let carrier = ["database", "kind", "name"]

    package static let carrierFailing = MetricDefinition(
        "causeway_carrier_failing", .gauge, labels: carrier,
        "1 while a sink or a webhook is held up by a failure, which the log tells.")
    package static let carrierFailures = MetricDefinition(
        "causeway_carrier_failures_total", .counter, labels: carrier, "Attempts of a sink or a webhook that failed.")
    package static let carrierRetries = MetricDefinition(
        "causeway_carrier_retries_total", .counter, labels: carrier, "Attempts that were made after a failure.")
    package static let carrierTaken = MetricDefinition(
        "causeway_carrier_taken_total", .counter, labels: carrier, "Objects or events that the place has taken.")
    package static let carrierSuccessAge = MetricDefinition(
        "causeway_carrier_success_age_seconds", .gauge, unit: "seconds", labels: carrier,
        "How long ago the place took something or had everything; missing before the first time.")
    package static let carrierBehind = MetricDefinition(
        "causeway_carrier_behind", .gauge, labels: carrier,
        "What the place lacks: versions of a webhook, one-way objects of a sink. At most 10,000 objects are counted, those "
            + "of classes that the sink does not take among them.")
    package static let carrierLagSeconds = MetricDefinition(
        "causeway_carrier_lag_seconds", .gauge, unit: "seconds", labels: carrier,
        "How long ago the oldest of what the place lacks was received; 0 when it lacks nothing.")
}
