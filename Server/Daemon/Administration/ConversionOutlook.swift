import CausewayAdmin
import CausewayConversion
import CausewayHTTP
import CausewayIdentity
import CausewayJSON
import CausewayModel
import CausewayStore
import CausewayStoreEmbedded

/// What a conversion would do, and what keeps it from being done.
struct ConversionOutlook: Sendable {
    var report: ConversionReport
    /// The rules that fit the schema as it is, and not as it would be: key and reason.
    var brokenRules: [String]

    init(report: ConversionReport, brokenRules: [String]) {
        self.report = report
        self.brokenRules = brokenRules
    }

    init(_ call: ConversionCall, _ store: StoreEmbedded, _ rules: PermissionRules?) throws(StoreFailure) {
        report = try store.preview(call.wanted)
        let schema = try store.snapshot().schema
        do throws(PropertyMapping.Refusal) {
            brokenRules = rules?.problems(of: try call.wanted.applied(to: schema), besidesThoseOf: schema) ?? []
        } catch {
            throw StoreFailure(.schemaMismatch, error.message)
        }
    }

    /// - Throws: `conflict` with what keeps it from being done.
    func check(_ call: ConversionCall) throws(StoreFailure) {
        if let rule = brokenRules.first {
            throw StoreFailure(
                .conflict,
                "Nothing was converted, because permission rules do not fit the new type. The first of \(brokenRules.count) is "
                    + "\(rule) Let them permit nothing, reload, convert, and write them anew.")
        }
        guard call.wanted.misfits == .refuse, !report.misfits.isEmpty else { return }
        let reasons = report.misfits.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \($0.value)" }
        throw StoreFailure(
            .conflict,
            "\(report.misfitCount) of \(report.objects) values do not fit \(report.to), so nothing was converted "
                + "(\(reasons.joined(separator: ", "))). Correct them, or send misfits.")
    }

    func answer(_ call: ConversionCall, _ element: SchemaElement?) -> HTTPAnswer {
        .json { json in
            json.object { json in
                json.field("name", call.subject.name)
                json.field("isConverted", report.isConverted)
                json.field("from", report.from)
                json.field("to", report.to)
                json.field("objects", report.objects)
                json.name("misfits")
                json.object { json in
                    for reason in Misfit.allCases {
                        if let count = report.misfits[reason] { json.field(reason.rawValue, count) }
                    }
                }
                json.name("brokenRules")
                json.array(brokenRules) { rule, json in json.write(rule) }
                json.field("declared", time: element?.declared ?? 0)
            }
        }
    }
}

extension PermissionRules {
    fileprivate func problems(of schema: Schema, besidesThoseOf before: Schema) -> [String] {
        // A rule may have had another problem before.
        let known = Set(problems(in: before))
        return problems(in: schema).filter { !known.contains($0) }.map { "\($0.key): \($0.message)" }
    }
}
