package import CausewayOpenAPI

/// The description of the admin API for programs: OpenAPI 3.1, made from the table of routes. `openapi.yaml` is a copy
/// that a test compares.
package enum AdminDocument {
    package static func text(_ routes: AdminRoutes) -> String {
        let calls = routes.all.compactMap(\.call)
        let names = calls.flatMap(\.pathParameters)
        let inOrder = names.enumerated().filter { index, name in !names[..<index].contains(name) }.map(\.element)
        return head + OpenAPIText.paths(calls) + "components:\n" + parameters(inOrder)
            + OpenAPIText.errorResponses(AdminError.Code.allCases.map { ($0.rawValue, $0.status) })
            + "  schemas:\n" + errorSchema + routes.schemas
    }

    private static let head = """
        openapi: 3.1.0
        info:
          title: Causeway admin API
          version: "1"
          summary: What an administrator asks of a server, and changes in it.
          description: |
            The specification is Server/Admin/ADMIN.md.
          license:
            name: Apache-2.0
            identifier: Apache-2.0
        servers:
          - url: http://localhost:7444
        security:
          - token: []

        """

    private static func parameters(_ names: [String]) -> String {
        var text = """
              securitySchemes:
                token:
                  type: http
                  scheme: bearer
              parameters:

            """
        for name in names {
            text += """
                    \(name):
                      name: \(name)
                      in: path
                      required: true
                      schema: {type: string, minLength: 1}

                """
        }
        return text
    }

    private static let errorSchema = """
            Error:
              type: object
              required: [code, message]
              additionalProperties: false
              properties:
                code: {enum: [\(AdminError.Code.allCases.map(\.rawValue).joined(separator: ", "))]}
                message: {type: string}

        """
}

extension AdminRoute {
    /// What a document says of it; nil for a route that is not described.
    package var call: DescribedCall? {
        guard let description else { return nil }
        var call = DescribedCall(
            description.name, method: method, path: pattern, summary: description.summary,
            answers: [
                DescribedCall.Answer(
                    description.status, schema: description.answer, isEventStream: description.answersEvents,
                    headers: description.answerHeaders)
            ])
        call.parameters = description.parameters
        call.headers = description.headers
        call.body = description.body
        call.isBodyOptional = description.isBodyOptional
        call.errorStatuses = Set((AdminDescription.commonErrors + description.errors).map(\.status)).sorted()
        return call
    }
}
