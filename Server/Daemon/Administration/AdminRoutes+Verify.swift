import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import Logging

// Verifying a database while it is served.

extension AdminRoutes {
    mutating func addVerify(_ desk: AdminDesk) {
        let path = "/admin/v1/databases/{database}/verify"
        add(
            [
                AdminRoute(
                    "GET", path,
                    AdminDescription(
                        "readVerification",
                        "The verification of a database that is under way, and how the last one ended.",
                        answer: "Verification", errors: [.databaseUnknown])
                ) { request throws(AdminError) in
                    try await desk.use(request) { tenant in
                        .json { json in Self.write(desk.verifying, of: tenant, to: &json) }
                    }
                },
                AdminRoute(
                    "POST", path,
                    AdminDescription(
                        "beginVerification", "Begins to verify a database, beside what it is used for.", status: 202,
                        answer: "Begun", errors: [.databaseUnknown, .conflict])
                ) { request throws(AdminError) in
                    try await desk.use(request) { tenant throws(AdminError) in
                        guard desk.verify(tenant) else {
                            let name = desk.verifying.running?.database ?? tenant.name
                            throw AdminError(
                                .conflict, "“\(name)” is being verified, and one is at a time. Wait for its end.")
                        }
                        return .json(status: 202) { $0.object { $0.field("database", tenant.name) } }
                    }
                },
            ], schemas: Self.schemas)
    }

    private static func write(_ work: VerifyWork, of tenant: Tenant, to json: inout JSONWriter) {
        json.object { json in
            if let running = work.running, running.opening == ObjectIdentifier(tenant) {
                json.name("running")
                json.object { json in
                    json.field("since", time: running.since)
                    json.field("step", running.step.rawValue)
                    json.field("percent", Int(running.done * 100))
                }
            }
            if let last = tenant.lastVerification {
                json.name("last")
                last.append(to: &json)
            }
        }
    }

    private static let schemas = """
            Verification:
              type: object
              additionalProperties: false
              properties:
                running:
                  type: object
                  required: [since, step, percent]
                  additionalProperties: false
                  properties:
                    since: {type: string, format: date-time}
                    step: {enum: [\(VerifyWork.Step.allCases.map(\.rawValue).joined(separator: ", "))]}
                    percent: {type: integer}
                last:
                  type: object
                  required: [time, milliseconds, isSound, objects, problems, problemCount]
                  additionalProperties: false
                  properties:
                    time: {type: string, format: date-time}
                    milliseconds: {type: integer}
                    isSound: {type: boolean}
                    objects: {type: integer}
                    problems: {type: array, items: {type: string}}
                    problemCount: {type: integer}
                    failure: {type: string}

        """
}

extension AdminDesk {
    /// False when another verification is under way.
    fileprivate func verify(_ tenant: Tenant) -> Bool {
        verifying.begin(tenant.served.source, of: ObjectIdentifier(tenant)) { [logger, tenant] outcome in
            tenant.lastVerification = outcome
            var metadata: Logger.Metadata = [
                "database": "\(tenant.name)", "seconds": "\(ShownProgress.seconds(outcome.seconds))",
                "problems": .number(outcome.problemCount),
            ]
            if let failure = outcome.failure {
                metadata["error"] = "\(failure)"
                return logger.warning("a database could not be verified to its end", metadata: metadata)
            }
            if outcome.isSound {
                logger.info("a database was verified", metadata: metadata)
            } else {
                logger.error(
                    "a database was verified and is not sound: read the problems with GET …/verify", metadata: metadata)
            }
        }
    }
}

extension VerifyWork.Outcome {
    fileprivate func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("time", time: time)
            json.field("milliseconds", Int(seconds * 1_000))
            json.field("isSound", isSound)
            json.field("objects", objects)
            json.name("problems")
            json.array(problems) { $1.write($0) }
            json.field("problemCount", problemCount)
            json.field("failure", ifAny: failure)
        }
    }
}
