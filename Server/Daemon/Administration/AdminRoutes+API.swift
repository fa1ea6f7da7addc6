import CausewayAdmin
import CausewayHTTP
import Synchronization

extension AdminRoutes {
    /// The admin API: every route below `/admin/v1`, with the document that describes them.
    static func api(_ desk: AdminDesk) -> AdminRoutes {
        var routes = AdminRoutes()
        routes.addDatabases(desk)
        routes.addDatabaseChanges(desk)
        routes.addSessions(desk)
        routes.addShuttingOut(desk)
        routes.addUsers(desk)
        routes.addAccounts(desk)
        routes.addClients(desk)
        routes.addBackups(desk)
        routes.addVerify(desk)
        routes.addNodes(desk)
        routes.addJournal(desk)
        routes.addLog(desk)
        routes.addEvents(desk)
        routes.addReload(desk)
        routes.addPermissions(desk)
        routes.addRefusals(desk)
        routes.addSchema(desk)
        routes.addSchemaConversion(desk)
        routes.addObjects(desk)
        let document = AdminDocument.text(routes)
        routes.add(AdminRoute("GET", "/admin/v1/openapi.yaml") { _ in .text(document, type: "application/yaml") })
        return routes
    }
}
