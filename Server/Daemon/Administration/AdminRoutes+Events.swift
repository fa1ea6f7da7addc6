import CausewayAdmin
import CausewayHTTP
import CausewayOpenAPI

// Events: what happens, told while it happens.

extension AdminRoutes {
    mutating func addEvents(_ desk: AdminDesk) {
        add(
            AdminRoute(
                "GET", "/admin/v1/events",
                AdminDescription(
                    "followEvents", "New versions and numbers of sessions of each database, while they change.",
                    parameters: [Self.log, Self.linesAfter], answersEvents: true)
            ) { request throws(AdminError) in
                let after = try AdminPage(request).afterNumber()
                return try desk.live.answer(
                    linesAfter: request.flag("log") ? after ?? desk.live.log.newest : nil)
            })
    }

    private static let log = DescribedParameter("log", .flag, "Whether lines of the log are told too.")
    private static let linesAfter = DescribedParameter(
        "after", .text, "With log: the number of a line behind which lines are told. Without it, new lines are.")
}
