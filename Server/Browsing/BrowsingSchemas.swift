import CausewayAdmin
import CausewayOpenAPI

/// What the document says of the answers.
enum BrowsingSchemas {
    static let searchErrors: [AdminError.Code] = [.databaseUnknown, .queryInvalid, .classUnknown, .tooCostly]
    static let objectErrors: [AdminError.Code] = [.databaseUnknown, .classUnknown, .objectUnknown]
    static let writeErrors: [AdminError.Code] = [
        .databaseUnknown, .classUnknown, .valueInvalid, .conflict, .operationInvalid, .serverOutOfSpace,
    ]

    static let etag = DescribedCall.Answer.Header("ETag", "The state of the object, for If-Match.")

    static let text = """
            Object:
              type: object
              description: The properties by their names, in the JSON forms of the data API.
            FoundObjects:
              type: object
              required: [version, count, from, objects]
              additionalProperties: false
              properties:
                version: {type: integer}
                count:
                  type: integer
                  description: How many objects the whole result has.
                from: {type: integer}
                objects:
                  type: array
                  items: {$ref: '#/components/schemas/Object'}
            QueryPlan:
              type: object
              required: [plan]
              additionalProperties: false
              properties:
                plan: {type: string}
            IncomingLinks:
              type: object
              required: [links]
              additionalProperties: false
              properties:
                links:
                  type: array
                  items:
                    type: object
                    required: [class, property, count, objects]
                    additionalProperties: false
                    properties:
                      class: {type: string}
                      property: {type: string}
                      count: {type: integer}
                      objects:
                        type: array
                        maxItems: \(LinkHolder.shownMax)
                        items: {type: object}

        """

    static let written = """
            Patch:
              type: object
              description: Values and edits of properties by their names, as the data API takes them.
            ObjectWritten:
              type: object
              required: [version, class, key, created]
              additionalProperties: false
              properties:
                version: {type: integer}
                class: {type: string}
                key: {}
                created: {type: boolean}

        """
}
