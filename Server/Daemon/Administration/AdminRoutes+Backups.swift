import CausewayAdmin
import CausewayBackup
import CausewayHTTP
import CausewayJSON

// Backups: which there are, the one that is under way, and beginning one.

extension AdminRoutes {
    mutating func addBackups(_ desk: AdminDesk) {
        let path = "/admin/v1/databases/{database}/backups"
        add(
            [
                AdminRoute(
                    "GET", path,
                    AdminDescription(
                        "listBackups", "The backups of a database, the newest first, and the one that is under way.",
                        answer: "Backups", errors: [.databaseUnknown, .notConfigured])
                ) { request throws(AdminError) in
                    let backups = try desk.backups()
                    return try await desk.use(request) { tenant in
                        .json { json in Self.write(backups, of: tenant.served, to: &json) }
                    }
                },
                AdminRoute(
                    "POST", path,
                    AdminDescription(
                        "beginBackup", "Begins a backup into the folder of the section backups.", status: 202,
                        answer: "Begun", errors: [.databaseUnknown, .notConfigured, .conflict])
                ) { request throws(AdminError) in
                    let backups = try desk.backups()
                    return try await desk.use(request) { tenant throws(AdminError) in
                        guard backups.work.begin(tenant.name) else {
                            throw AdminError(
                                .conflict, "Another backup is under way, and one is made at a time. Wait for its end.")
                        }
                        let served = tenant.served
                        Task { await backups.backUp(served) }
                        return .json(status: 202) { $0.object { $0.field("database", tenant.name) } }
                    }
                },
            ], schemas: Self.schemas)
    }

    /// A folder keeps so many of each database. More are not listed.
    private static let listedMax = 1_000

    private static func write(
        _ backups: ScheduledBackups, of served: ScheduledBackups.Served, to json: inout JSONWriter
    ) {
        let database = served.source.name
        json.object { json in
            json.name("backups")
            let all = BackupFolder.backups(of: database, in: backups.work.plan.folder)
            json.array(all.reversed().prefix(listedMax)) { backup, json in
                json.object { json in
                    json.field("name", backup.name.text)
                    json.field("time", time: backup.name.time)
                    json.field("version", backup.name.version)
                    json.field("isOfEarlier", !backup.isOf(epoch: served.epoch))
                }
            }
            json.field("failure", ifAny: backups.work.failure(of: database))
            guard let running = backups.work.running, running.database == database else { return }
            json.name("running")
            json.object { json in
                json.field("since", time: running.since)
                json.field("step", ifAny: running.progress?.step.rawValue)
                if let progress = running.progress { json.field("percent", Int(progress.done * 100)) }
            }
        }
    }

    private static let schemas = """
            Backups:
              type: object
              required: [backups]
              additionalProperties: false
              properties:
                backups:
                  type: array
                  items:
                    type: object
                    required: [name, time, version, isOfEarlier]
                    additionalProperties: false
                    properties:
                      name: {type: string}
                      time: {type: string, format: date-time}
                      version: {type: integer}
                      isOfEarlier: {type: boolean}
                failure: {type: string}
                running:
                  type: object
                  required: [since]
                  additionalProperties: false
                  properties:
                    since: {type: string, format: date-time}
                    step: {enum: [copying, verifying, hashing]}
                    percent: {type: integer}
            Begun:
              type: object
              required: [database]
              additionalProperties: false
              properties:
                database: {type: string}

        """
}

extension AdminDesk {
    fileprivate func backups() throws(AdminError) -> ScheduledBackups {
        guard let scheduled else {
            throw AdminError(
                .notConfigured,
                "The configuration has no section backups, so there is no folder for them. Add it and restart the server."
            )
        }
        return scheduled
    }
}
