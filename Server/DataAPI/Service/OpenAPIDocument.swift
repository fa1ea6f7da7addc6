import CausewayJSON

/// The description of the API for programs: OpenAPI 3.1, made from `APICall.all`. `openapi.yaml` is a copy that a test
/// compares.
package enum OpenAPIDocument {
    package static let text = head + paths + "components:\n" + parameters + responses + schemas

    private static let head = """
        openapi: 3.1.0
        info:
          title: Causeway data API
          version: "1"
          summary: The objects of a database, for programs that are no devices.
          description: |
            The specification is Server/DataAPI/API.md: the JSON form of every type, the errors, the limits, the guarantees.
          license:
            name: Apache-2.0
            identifier: Apache-2.0
        servers:
          - url: https://localhost:7445/api/v1
        security:
          - token: []

        """

    // MARK: - Paths

    private static var paths: String {
        var text = "paths:\n"
        var seen: [String] = []
        for call in APICall.all where !seen.contains(call.pathText) {
            seen.append(call.pathText)
            text += "  \(call.pathText):\n"
            for other in APICall.all where other.pathText == call.pathText { text += operation(other) }
        }
        return text
    }

    private static func operation(_ call: APICall) -> String {
        var lines = ["    \(call.method.lowercased()):", "      operationId: \(call.name.rawValue)"]
        lines.append("      summary: \(quoted(call.summary))")
        if !call.namesDatabase { lines.append("      security: []") }
        let parameters =
            call.pathParameters.map { "        - $ref: '#/components/parameters/\($0)'" }
            + call.parameters.flatMap { parameter($0, in: "query") }
            + call.headers.flatMap { parameter($0, in: "header") }
        if !parameters.isEmpty { lines += ["      parameters:"] + parameters }
        if let body = call.body {
            lines += ["      requestBody:", "        required: true"] + content(body.rawValue, indentation: "        ")
        }
        lines.append("      responses:")
        for status in call.answer.statuses { lines += success(status, call) }
        for status in call.errorStatuses {
            lines += ["        '\(status)':", "          $ref: '#/components/responses/\(responseName(status))'"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func success(_ status: Int, _ call: APICall) -> [String] {
        let lines = ["        '\(status)':", "          description: \(status == 201 ? "Created." : "Done.")"]
        guard let schema = call.answer.schema else {
            return lines + [
                "          content:", "            application/yaml:", "              schema: {type: object}",
            ]
        }
        let etag =
            call.name == .readObject
            ? [
                "          headers:", "            ETag:",
                "              description: The state of the object, for If-Match.",
                "              schema: {type: string}",
            ] : []
        return lines + etag + content(schema, indentation: "          ")
    }

    private static func content(_ schema: String, indentation: String) -> [String] {
        [
            "content:", "  application/json:", "    schema:", "      $ref: '#/components/schemas/\(schema)'",
        ].map { indentation + $0 }
    }

    private static func parameter(_ parameter: APICall.Parameter, in place: String) -> [String] {
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

    // MARK: - Components

    private static let parameters = """
          securitySchemes:
            token:
              type: http
              scheme: bearer
              bearerFormat: JWT
          parameters:
            database:
              name: database
              in: path
              required: true
              schema: {type: string}
            class:
              name: class
              in: path
              required: true
              schema: {type: string}
            key:
              name: key
              in: path
              required: true
              description: The primary key. An ObjectId and a UUID are written in hexadecimal digits.
              schema: {type: string, minLength: 1}

        """

    private static var responses: String {
        var text = "  responses:\n"
        for status in Set(APIError.Code.allCases.map(\.status)).sorted() {
            let codes = APIError.Code.allCases.filter { $0.status == status }.map(\.rawValue)
            text += """
                    \(responseName(status)):
                      description: The code is \(codes.joined(separator: ", or ")).
                      content:
                        application/json:
                          schema:
                            $ref: '#/components/schemas/Error'

                """
        }
        return text
    }

    private static func responseName(_ status: Int) -> String { "Error\(status)" }

    private static var schemas: String {
        """
          schemas:
            Error:
              type: object
              required: [code, message]
              properties:
                code:
                  type: string
                  enum: [\(APIError.Code.allCases.map(\.rawValue).joined(separator: ", "))]
                message: {type: string}
                operation: {type: integer, description: 'Of a transaction, the operation that is meant, from 0.'}
                refusals:
                  type: array
                  items:
                    type: object
                    required: [operation, code, message]
                    properties:
                      operation: {type: integer}
                      code: {type: string}
                      message: {type: string}
            Object:
              type: object
              description: The properties of an object by their names. API.md lists the form of every type.
              additionalProperties: true
            Patch:
              type: object
              description: 'Values, or edits such as {"$increment": 1}, by the names of properties.'
              additionalProperties: true
            Page:
              type: object
              required: [version, objects]
              properties:
                version: {type: integer}
                objects:
                  type: array
                  items: {$ref: '#/components/schemas/Object'}
                next: {type: string}
                count: {type: integer}
                cut:
                  type: object
                  required: [code, message]
                  properties:
                    code: {type: string}
                    message: {type: string}
            Result:
              type: object
              required: [class, key, created]
              properties:
                class: {type: string}
                key: {description: 'The primary key, in its JSON form.'}
                created: {type: boolean}
            Written:
              allOf:
                - $ref: '#/components/schemas/Result'
                - type: object
                  required: [version]
                  properties:
                    version: {type: integer}
            Transaction:
              type: object
              required: [operations]
              additionalProperties: false
              properties:
                operations:
                  type: array
                  minItems: 1
                  maxItems: \(Write.countMax)
                  items:
                    type: object
                    properties:
                      create: {type: string}
                      put: {type: string}
                      patch: {type: string}
                      delete: {type: string}
                      key: {}
                      object: {$ref: '#/components/schemas/Object'}
                      ifMatch: {type: string}
                    additionalProperties: false
            Committed:
              type: object
              required: [version, results]
              properties:
                version: {type: integer}
                results:
                  type: array
                  items: {$ref: '#/components/schemas/Result'}
            Schema:
              type: object
              required: [classes]
              properties:
                classes:
                  type: array
                  items:
                    type: object
                    required: [name, kind, properties]
                    properties:
                      name: {type: string}
                      kind: {enum: [object, embedded, asymmetric]}
                      properties:
                        type: array
                        items:
                          type: object
                          required: [name, type]
                          properties:
                            name: {type: string}
                            type: {type: string}
                            collection: {enum: [list, set, map]}
                            target: {type: string}
                            optional: {type: boolean}
                            primaryKey: {type: boolean}
                            indexed: {type: boolean}
                            counter: {type: boolean}
                            text: {type: boolean}

        """
    }
}
