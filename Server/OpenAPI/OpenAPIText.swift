/// Writes the parts of an OpenAPI 3.1 document that follow from a table of calls. Each API adds its head, its parameters
/// of paths and its schemas.
package enum OpenAPIText {
    /// The section `paths`, with calls of one path together.
    package static func paths(_ calls: [DescribedCall]) -> String {
        var text = "paths:\n"
        var seen: [String] = []
        for call in calls where !seen.contains(call.path) {
            seen.append(call.path)
            text += "  \(call.path):\n"
            for other in calls where other.path == call.path { text += operation(other) }
        }
        return text
    }

    /// The section `components/responses`: one response for each status that an error may have.
    ///
    /// - Parameter codes: all codes, each with its status.
    package static func errorResponses(_ codes: [(code: String, status: Int)]) -> String {
        var text = "  responses:\n"
        for status in Set(codes.map(\.status)).sorted() {
            let names = codes.filter { $0.status == status }.map(\.code)
            text += """
                    \(responseName(status)):
                      description: The code is \(names.joined(separator: ", or ")).
                      content:
                        application/json:
                          schema:
                            $ref: '#/components/schemas/Error'

                """
        }
        return text
    }

    private static func operation(_ call: DescribedCall) -> String {
        var lines = ["    \(call.method.lowercased()):", "      operationId: \(call.name)"]
        lines.append("      summary: \(quoted(call.summary))")
        if !call.needsToken { lines.append("      security: []") }
        let parameters =
            call.pathParameters.map { "        - $ref: '#/components/parameters/\($0)'" }
            + call.parameters.flatMap { parameter($0, in: "query") }
            + call.headers.flatMap { parameter($0, in: "header") }
        if !parameters.isEmpty { lines += ["      parameters:"] + parameters }
        if let body = call.body {
            lines += ["      requestBody:", "        required: \(!call.isBodyOptional)"]
            lines += content(body, indentation: "        ")
        }
        lines.append("      responses:")
        for answer in call.answers { lines += success(answer) }
        for status in call.errorStatuses {
            lines += ["        '\(status)':", "          $ref: '#/components/responses/\(responseName(status))'"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func success(_ answer: DescribedCall.Answer) -> [String] {
        let lines = ["        '\(answer.status)':", "          description: \(description(of: answer.status))"]
        guard let schema = answer.schema else {
            return lines + ["          content:"]
                + (answer.isEventStream
                    ? ["            text/event-stream:", "              schema: {type: string}"]
                    : ["            application/yaml:", "              schema: {type: object}"])
        }
        var headers = answer.headers.isEmpty ? [] : ["          headers:"]
        for header in answer.headers {
            headers += [
                "            \(header.name):", "              description: \(header.summary)",
                "              schema: {type: string}",
            ]
        }
        return lines + headers + content(schema, indentation: "          ")
    }

    private static func description(of status: Int) -> String {
        switch status {
        case 201: "Created."
        case 202: "Begun."
        default: "Done."
        }
    }

    private static func content(_ schema: String, indentation: String) -> [String] {
        [
            "content:", "  application/json:", "    schema:", "      $ref: '#/components/schemas/\(schema)'",
        ].map { indentation + $0 }
    }

    private static func parameter(_ parameter: DescribedParameter, in place: String) -> [String] {
        let schema =
            switch parameter.kind {
            case .text: "{type: string}"
            case .flag: "{type: boolean, default: false}"
            case .number(let range, let standard):
                "{type: integer, minimum: \(range.lowerBound), maximum: \(range.upperBound), default: \(standard)}"
            }
        return [
            "        - name: \(parameter.name)", "          in: \(place)",
            "          description: \(quoted(parameter.summary))", "          schema: \(schema)",
        ]
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    private static func responseName(_ status: Int) -> String { "Error\(status)" }
}
