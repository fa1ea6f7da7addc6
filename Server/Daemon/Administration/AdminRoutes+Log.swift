import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayOpenAPI
import Logging

// The log: its newest lines, which the server keeps in memory.

extension AdminRoutes {
    mutating func addLog(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/log",
                    AdminDescription(
                        "readLog", "The newest lines of the log, the oldest of them first.",
                        parameters: [AdminPage.limitParameter, Self.afterLine, Self.level], answer: "LogLines")
                ) { request throws(AdminError) in
                    let (limit, level) = (AdminPage(request).limit, try request.level())
                    let page =
                        try AdminPage(request).afterNumber()
                        .map { desk.live.log.lines(after: $0, limit, from: level) }
                        ?? desk.live.log.newest(limit, from: level)
                    return .json { json in
                        json.object { json in
                            json.name("lines")
                            json.array(page.lines) { line, json in line.append(to: &json) }
                            json.field("next", page.next)
                        }
                    }
                }
            ], schemas: Self.schemas)
    }

    private static let afterLine = DescribedParameter(
        "after", .text, "Only lines behind this number; the value of next in the page before.")
    private static let level = DescribedParameter(
        "level", .text, "Only lines of this level and above: \(levels).")

    fileprivate static let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")

    private static let schemas = """
            LogLines:
              type: object
              required: [lines, next]
              additionalProperties: false
              properties:
                lines:
                  type: array
                  items:
                    type: object
                    required: [number, time, level, message, fields]
                    additionalProperties: false
                    properties:
                      number: {type: integer}
                      time: {type: string, format: date-time}
                      level: {enum: [\(levels)]}
                      message: {type: string}
                      fields: {type: object, additionalProperties: true}
                next: {type: integer}

        """
}

extension AdminRequest {
    /// The least level of the lines that are asked for.
    fileprivate func level() throws(AdminError) -> Logger.Level {
        guard let text = text("level") else { return .trace }
        guard let level = Logger.Level(rawValue: text) else {
            throw AdminError(.requestInvalid, "“\(text.prefix(40))” is no level. Levels are: \(AdminRoutes.levels).")
        }
        return level
    }
}
