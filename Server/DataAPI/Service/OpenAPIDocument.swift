import CausewayOpenAPI

/// The description of the API for programs: OpenAPI 3.1, made from `APICall.all`. `openapi.yaml` is a copy that a test
/// compares.
package enum OpenAPIDocument {
    package static let text =
        head + OpenAPIText.paths(APICall.all.map(\.described)) + "components:\n" + parameters + responses + schemas

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
        OpenAPIText.errorResponses(APIError.Code.allCases.map { ($0.rawValue, $0.status) })
    }

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
                            fullText: {type: boolean}
                            counter: {type: boolean}
                            text: {type: boolean}

        """
    }
}
