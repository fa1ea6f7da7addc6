/// Every metric of the server. `METRICS.md` says the same for people; a test compares the two.
package enum MetricCatalog {
    package static let all =
        server + callers + sessions + commits + ingest + backEnds + databases + nodes + backups + process

    /// The label of everything that belongs to a database.
    package static let databaseLabel = "database"

    // MARK: - The server itself

    static let server = [
        buildInfo, scrapesIncomplete, seriesOverflowed, logLinesSuppressed, auditEvents, auditFailures, adminRequests,
        adminRefused, adminEventReaders, reloads, configurationTime, certificateExpiry,
    ]

    package static let buildInfo = MetricDefinition(
        "causeway_build_info", .gauge, labels: ["version"], "Always 1. The label tells the server's version.")
    package static let scrapesIncomplete = MetricDefinition(
        "causeway_scrapes_incomplete_total", .counter,
        "Scrapes without the gauges that are read from databases, because reading them took too long.")
    package static let seriesOverflowed = MetricDefinition(
        "causeway_metric_names_overflowed_total", .counter,
        "Metrics that have more series than are kept. The others are counted in a series with the labels 'overflow'.")
    package static let logLinesSuppressed = MetricDefinition(
        "causeway_log_lines_suppressed_total", .counter, labels: ["kind"],
        "Log lines that were left out because there were too many of their kind. A summary told how many.")
    package static let auditEvents = MetricDefinition(
        "causeway_audit_events_total", .counter, labels: ["event"], "Events of the audit log.")
    package static let auditFailures = MetricDefinition(
        "causeway_audit_failures_total", .counter, "Events that could not be written to the audit log.")
    package static let adminRequests = MetricDefinition(
        "causeway_admin_requests_total", .counter, labels: ["route", "status"],
        "Requests that the admin listener answered.")
    package static let adminRefused = MetricDefinition(
        "causeway_admin_refused_total", .counter, labels: ["reason"],
        "Requests that the admin listener refused: token (missing or wrong), host (not a name of this machine), route "
            + "(unknown).")
    package static let adminEventReaders = MetricDefinition(
        "causeway_admin_event_readers", .gauge, "Administrators' programs that follow the events of the admin API.")
    package static let reloads = MetricDefinition(
        "causeway_configuration_reloads_total", .counter, labels: ["outcome"],
        "Reloads of the configuration: applied, or refused (the file or a part of it has a problem and stays as it was)."
    )
    package static let configurationTime = MetricDefinition(
        "causeway_configuration_read_timestamp_seconds", .gauge, unit: "seconds",
        "When the configuration was last read without a problem, at the start or by a reload, in seconds since 1970.")
    package static let certificateExpiry = MetricDefinition(
        "causeway_certificate_expiry_timestamp_seconds", .gauge, unit: "seconds", labels: ["listener"],
        "When the certificate ends that the listener shows (devices, api, admin), in seconds since 1970.")

    // MARK: - Who calls

    static let callers = [
        connections, connectionsRefused, requests, limitReached, logins, accountCalls, downloadBytes,
        downloadsStalled, loopLag,
    ]

    package static let connections = MetricDefinition("causeway_connections", .gauge, "Open connections of devices.")
    package static let connectionsRefused = MetricDefinition(
        "causeway_connections_refused_total", .counter,
        "Connections that were closed at once, because there were too many, or too many handshakes, in all or of their "
            + "address.")
    package static let requests = MetricDefinition(
        "causeway_requests_total", .counter, labels: ["database", "call", "code"],
        "Requests of devices by their outcome: ok, or the name of the error code. Downloads count when they begin, and again when they fail."
    )
    package static let limitReached = MetricDefinition(
        "causeway_limit_reached_total", .counter, labels: ["database", "limit"],
        "Times that somebody met a limit and was told to come again, by the limit's name in the configuration. The "
            + "database is empty for limits of the whole server.")
    package static let logins = MetricDefinition(
        "causeway_logins_total", .counter, labels: ["database", "outcome"],
        "Log-ins at the server's own accounts: ok, or the name of the error code.")
    package static let accountCalls = MetricDefinition(
        "causeway_account_calls_total", .counter, labels: ["database", "call", "outcome"],
        "Calls of accounts, log-ins included: ok, or the name of the error code.")
    package static let downloadBytes = MetricDefinition(
        "causeway_download_bytes_total", .counter, unit: "bytes", labels: ["database"],
        "Bytes of downloads, compressed, without HTTP/2 and TLS.")
    package static let downloadsStalled = MetricDefinition(
        "causeway_downloads_stalled_total", .counter, labels: ["database"],
        "Downloads that ended because their device did not read.")
    package static let loopLag = MetricDefinition(
        "causeway_event_loop_lag_seconds", .histogram, unit: "seconds", bounds: MetricBounds.work,
        "How late an event loop ran a timer; one observation a second and loop.")

    // MARK: - Sessions

    static let sessions = [
        openSessions, sessionsOpened, sessionsEnded, hellos, creditWaits, toldSeconds, sessionsTold, audiences,
        audiencesConcerned, predicatesEvaluated, predicatesMatched, slowQueries, schemaAdditions,
    ]

    package static let openSessions = MetricDefinition(
        "causeway_sessions", .gauge, labels: ["database", "state"],
        "Open sessions by state: opened (no download yet), live, computing, telling, bootstrapping, queued and comparing "
            + "(resyncs).")
    package static let sessionsOpened = MetricDefinition(
        "causeway_sessions_opened_total", .counter, labels: ["database"], "Sessions that were opened.")
    package static let sessionsEnded = MetricDefinition(
        "causeway_sessions_ended_total", .counter, labels: ["database", "reason"],
        "Sessions that ended: gone (the device left), replaced, idle, or the name of the error code that the device "
            + "was told.")
    package static let hellos = MetricDefinition(
        "causeway_hellos_total", .counter, labels: ["database", "outcome"],
        "Hellos of devices: ok, copied (another copy of the file is online), or the name of the error code.")
    package static let creditWaits = MetricDefinition(
        "causeway_credit_waits_total", .counter, labels: ["database"],
        "Times that a download waited until its device had consumed more.")
    package static let toldSeconds = MetricDefinition(
        "causeway_commit_to_told_seconds", .histogram, unit: "seconds", labels: ["database"],
        bounds: MetricBounds.latency,
        "From a commit until it was handed to the sockets of the devices that it concerns. One observation for each "
            + "audience that is told at once, and for each other session.")
    package static let sessionsTold = MetricDefinition(
        "causeway_sessions_told_total", .counter, labels: ["database", "way"],
        "Sessions that were told commits: shared (the same message for an audience) or own.")
    package static let audiences = MetricDefinition(
        "causeway_audiences", .gauge, labels: ["database"], "Groups of sessions with the same queries and rules.")
    package static let audiencesConcerned = MetricDefinition(
        "causeway_audiences_concerned_total", .counter, labels: ["database"],
        "Audiences that looks at new commits found concerned.")
    package static let predicatesEvaluated = MetricDefinition(
        "causeway_predicates_evaluated_total", .counter, labels: ["database"],
        "Predicates that the index found for touched objects, and that were then evaluated.")
    package static let predicatesMatched = MetricDefinition(
        "causeway_predicates_matched_total", .counter, labels: ["database"],
        "Predicates that matched, each once a look. Where they are few among the evaluated ones, the index helps little."
    )
    package static let slowQueries = MetricDefinition(
        "causeway_slow_queries_total", .counter, labels: ["database"],
        "Times that finding what a device lacks took longer than log.slowMilliseconds.")
    package static let schemaAdditions = MetricDefinition(
        "causeway_schema_additions_total", .counter, labels: ["database"],
        "Classes and properties that devices have added.")

    // MARK: - Commits

    static let commits = [uploads, operationsMerged, operationsRefused, queueSeconds, commitSeconds, slowCommits]

    package static let uploads = MetricDefinition(
        "causeway_uploads_total", .counter, labels: ["database", "outcome"],
        "Uploads that were committed: ok, or the name of the failure.")
    package static let operationsMerged = MetricDefinition(
        "causeway_operations_merged_total", .counter, labels: ["database"], "Operations of devices that were applied.")
    package static let operationsRefused = MetricDefinition(
        "causeway_operations_refused_total", .counter, labels: ["database", "code"],
        "Operations of devices and back ends that were refused, by the name of the failure.")
    package static let queueSeconds = MetricDefinition(
        "causeway_upload_queue_seconds", .histogram, unit: "seconds", labels: ["database"], bounds: MetricBounds.work,
        "How long uploads waited for the writer.")
    package static let commitSeconds = MetricDefinition(
        "causeway_commit_seconds", .histogram, unit: "seconds", labels: ["database"], bounds: MetricBounds.work,
        "How long commits took, fsync included. One commit may take several uploads.")
    package static let slowCommits = MetricDefinition(
        "causeway_slow_commits_total", .counter, labels: ["database"],
        "Commits that took longer than log.slowMilliseconds.")

    // MARK: - One-way data

    static let ingest = [ingestBatches, ingestEntries, ingestSeconds]

    package static let ingestBatches = MetricDefinition(
        "causeway_ingest_batches_total", .counter, labels: ["database", "outcome"],
        "One-way batches: ok, or the name of the failure.")
    package static let ingestEntries = MetricDefinition(
        "causeway_ingest_entries_total", .counter, labels: ["database"],
        "One-way entries that batches acknowledged. Entries that were sent again count again.")
    package static let ingestSeconds = MetricDefinition(
        "causeway_ingest_seconds", .histogram, unit: "seconds", labels: ["database"], bounds: MetricBounds.work,
        "How long keeping a one-way batch took, with the wait for the writer.")

    // MARK: - What databases hold, read at a scrape

    static let databases = [
        databaseUp, databaseVersion, historyVersions, historyBytes, historyAge, fileSize, fileUsed, fileFree,
        filePinned, snapshotOldest, snapshots, snapshotAge, diskSize, diskAvailable,
    ]

    package static let databaseUp = MetricDefinition(
        "causeway_database_up", .gauge, labels: ["database"],
        "1 while the threads of the database answer and its file is there, 0 when one has not for ten seconds, the file "
            + "was removed, or the database could not be opened.")
    package static let databaseVersion = MetricDefinition(
        "causeway_database_version", .gauge, labels: ["database"], "The newest version.")
    package static let historyVersions = MetricDefinition(
        "causeway_history_versions", .gauge, labels: ["database"], "Versions in the history.")
    package static let historyBytes = MetricDefinition(
        "causeway_history_bytes", .gauge, unit: "bytes", labels: ["database"],
        "Bytes that the history takes, as limits.historyMegabytes counts them.")
    package static let historyAge = MetricDefinition(
        "causeway_history_age_seconds", .gauge, unit: "seconds", labels: ["database"],
        "How long ago the oldest version of the history was received.")
    package static let fileSize = MetricDefinition(
        "causeway_file_size_bytes", .gauge, unit: "bytes", labels: ["database"], "The size of the database's file.")
    package static let fileUsed = MetricDefinition(
        "causeway_file_used_bytes", .gauge, unit: "bytes", labels: ["database"], "What the newest state takes of it.")
    package static let fileFree = MetricDefinition(
        "causeway_file_free_bytes", .gauge, unit: "bytes", labels: ["database"], "What the next commits may use of it.")
    package static let filePinned = MetricDefinition(
        "causeway_file_pinned_bytes", .gauge, unit: "bytes", labels: ["database"],
        "What only older states take of it: snapshots that are open, and states that a power loss may bring back.")
    package static let snapshotOldest = MetricDefinition(
        "causeway_snapshot_oldest_commits", .gauge, labels: ["database"],
        "How many commits were made since the oldest open snapshot; 0 when there is none.")
    package static let snapshots = MetricDefinition(
        "causeway_snapshots", .gauge, labels: ["database"],
        "Snapshots that the server has open. Each pins the pages of its version.")
    package static let snapshotAge = MetricDefinition(
        "causeway_snapshot_age_seconds", .gauge, unit: "seconds", labels: ["database"],
        "How long the oldest snapshot that the server has open is there.")

    package static let diskSize = MetricDefinition(
        "causeway_disk_size_bytes", .gauge, unit: "bytes", labels: ["database"],
        "The size of the file system that the database's folder is on.")
    package static let diskAvailable = MetricDefinition(
        "causeway_disk_available_bytes", .gauge, unit: "bytes", labels: ["database"],
        "What is free on the file system of the database's folder, for users that are not root.")

    // MARK: - Backups that the server makes

    static let backups = [backupTime, backupSize, backupSeconds, backupFailures]

    package static let backupTime = MetricDefinition(
        "causeway_backup_last_timestamp_seconds", .gauge, unit: "seconds", labels: ["database"],
        "When the newest whole backup in backups.folder began, in seconds since 1970; missing where there is none.")
    package static let backupSize = MetricDefinition(
        "causeway_backup_last_size_bytes", .gauge, unit: "bytes", labels: ["database"],
        "The size of the newest whole backup.")
    package static let backupSeconds = MetricDefinition(
        "causeway_backup_last_duration_seconds", .gauge, unit: "seconds", labels: ["database"],
        "How long the newest backup took; missing where this process has not made it.")
    package static let backupFailures = MetricDefinition(
        "causeway_backup_failures_total", .counter, labels: ["database"], "Backups that failed.")

    // MARK: - The process, under the names that Prometheus' own libraries use

    static let process = [residentMemory, allocatedMemory, cpuSeconds, openFiles, startTime]

    package static let residentMemory = MetricDefinition(
        "process_resident_memory_bytes", .gauge, unit: "bytes", "Memory that the process has in RAM.")
    package static let allocatedMemory = MetricDefinition(
        "causeway_allocated_memory_bytes", .gauge, unit: "bytes",
        "Memory that the process has allocated and not freed, without mapped files.")
    package static let cpuSeconds = MetricDefinition(
        "process_cpu_seconds_total", .counter, unit: "seconds", "Processor time of the process.")
    package static let openFiles = MetricDefinition("process_open_fds", .gauge, "Open file descriptors.")
    package static let startTime = MetricDefinition(
        "process_start_time_seconds", .gauge, unit: "seconds", "When the process started, in seconds since 1970.")
}
