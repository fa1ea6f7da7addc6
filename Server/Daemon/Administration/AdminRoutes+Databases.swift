import CausewayAdmin
import CausewayHTTP
import CausewayJSON

// Databases: which there are, and how they are.

extension AdminRoutes {
    mutating func addDatabases(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/databases",
                    AdminDescription(
                        "listDatabases", "The databases, with their statistics.", parameters: AdminPage.parameters,
                        answer: "Databases")
                ) { request throws(AdminError) in
                    let page = AdminPage(request)
                    let (tenants, next) = page.cut(desk.tenants.all, by: \.name)
                    var reports: [DatabaseReport] = []
                    for tenant in tenants { reports.append(await desk.report(of: tenant)) }
                    let outages = desk.tenants.outages
                    return page.answer("databases", (reports, next)) { report, json in
                        report.append(to: &json)
                    } beside: { json in
                        guard !outages.isEmpty else { return }
                        json.name("notOpen")
                        json.array(outages) { outage, json in outage.append(to: &json) }
                    }
                },
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}",
                    AdminDescription(
                        "readDatabase", "One database, with its statistics and its classes.", answer: "Database",
                        errors: [.databaseUnknown])
                ) { request throws(AdminError) in
                    try await desk.use(request) { tenant throws(AdminError) in
                        var report = await desk.report(of: tenant)
                        report.classes = try await desk.classes(of: tenant)
                        return .json { report.append(to: &$0) }
                    }
                },
            ], schemas: DatabaseReport.schemas)
    }
}
