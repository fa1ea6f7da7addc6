import CausewayAdmin
import CausewayConversion
import CausewayHTTP
import CausewayIdentity
import CausewayJSON
import CausewayModel
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayTelemetry
import Logging

// Another type for a property. CONVERSIONS.md has the rules for its values.

extension AdminRoutes {
    mutating func addSchemaConversion(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "POST", "/admin/v1/databases/{database}/schema/convert",
                    AdminDescription(
                        "convertProperty", "Gives a property another type, and converts all values.",
                        body: "SchemaConversionRequest", answer: "SchemaConversion",
                        errors: [.databaseUnknown, .conflict])
                ) { request throws(AdminError) in
                    let call = try ConversionCall(request)
                    return try await desk.use(request) { tenant throws(AdminError) in
                        try await desk.convert(call, in: tenant, by: request.address)
                    }
                }
            ], schemas: ConversionCall.schemas)
    }
}

extension AdminDesk {
    fileprivate func convert(
        _ call: ConversionCall, in tenant: Tenant, by address: String
    ) async throws(AdminError) -> HTTPAnswer {
        let (store, record) = (tenant.store, tenant.record)
        let (conversations, rules) = (tenant.conversations, tenant.office.rules)
        do throws(StoreFailure) {
            let (found, element) = try await tenant.atLeisure { () throws(StoreFailure) in
                (try ConversionOutlook(call, store, rules), try call.subject.element(in: store))
            }
            guard let confirm = call.subject.confirm else { return found.answer(call, element) }
            try call.subject.check(confirm, element, for: .convert, now: conversations.now())
            try found.check(call)
            let report = try await conversations.alone(because: SchemaSubject.reason) { () throws(StoreFailure) in
                try record.convert(call.wanted)
            }
            let outcome = ConversionOutlook(report: report, brokenRules: [])
            // Something may have been written since the outlook.
            try outcome.check(call)
            noteConversion(call, report, of: tenant.name, by: address)
            return outcome.answer(call, nil)
        } catch {
            throw AdminError(ofSchema: error)
        }
    }

    private func noteConversion(
        _ call: ConversionCall, _ report: ConversionReport, of database: String, by address: String
    ) {
        logger.notice(
            "a property has another type",
            metadata: [
                "database": "\(database)", "property": "\(call.subject.name)", "from": "\(report.from)",
                "to": "\(report.to)", "objects": .number(report.objects), "replaced": .number(report.misfitCount),
            ])
        telemetry.audit(
            AuditEvent(
                .schemaConverted, database: database, user: "admin", address: address,
                subject: "\(call.subject.name) from \(report.from) to \(report.to)"))
    }
}

extension AdminError {
    /// Why the schema was not changed. What the schema does not permit is told as it is.
    init(ofSchema failure: StoreFailure) {
        guard failure.code == .schemaMismatch else {
            self.init(failure)
            return
        }
        self.init(.conflict, failure.message)
    }
}

extension SchemaSubject.Change {
    fileprivate static let convert = SchemaSubject.Change(
        verb: "convert", done: "converted",
        consequence: "Its app would be refused until there is a version of it with the new type.")
}
