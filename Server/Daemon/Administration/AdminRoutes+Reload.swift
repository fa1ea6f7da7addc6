import CausewayAdmin
import CausewayHTTP
import CausewayJSON

// The configuration: what is in force, and reading it anew.

extension AdminRoutes {
    mutating func addReload(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "POST", "/admin/v1/reload",
                    AdminDescription(
                        "reload", "Reads the configuration, its keys and certificates anew, as SIGHUP does.",
                        answer: "Reloaded")
                ) { _ throws(AdminError) in
                    let report = try await desk.reload()
                    return .json { report.append(to: &$0) }
                },
                AdminRoute(
                    "GET", "/admin/v1/configuration",
                    AdminDescription(
                        "readConfiguration", "The configuration that was read last, without secrets.",
                        answer: "Configuration")
                ) { _ in .json { desk.inForce.configuration.append(to: &$0) } },
            ], schemas: Self.schemas)
    }

    private static let schemas = """
            Reloaded:
              type: object
              required: [parts]
              additionalProperties: false
              properties:
                parts:
                  type: array
                  items:
                    type: object
                    required: [part, outcome]
                    additionalProperties: false
                    properties:
                      part: {type: string}
                      outcome: {enum: [\(ReloadReport.Outcome.allCases.map(\.rawValue).joined(separator: ", "))]}
                      reason: {type: string}
            Configuration:
              type: object
              required: [listen, databases, limits]
              additionalProperties: true

        """
}

extension AdminDesk {
    func reload() async throws(AdminError) -> ReloadReport {
        guard let report = await reloads.reload() else { throw .reloadsBusy }
        return report
    }
}

extension AdminError {
    static let reloadsBusy = AdminError(
        .serverBusy, "The server ends, or \(ReloadDesk.waitingMax) calls wait for a reload already. Try again later.")
}

extension ReloadReport {
    func append(to json: inout JSONWriter) {
        json.object { json in
            json.name("parts")
            json.array(lines) { line, json in
                json.object { json in
                    json.field("part", line.part)
                    json.field("outcome", line.outcome.rawValue)
                    json.field("reason", ifAny: line.reason)
                }
            }
        }
    }
}
