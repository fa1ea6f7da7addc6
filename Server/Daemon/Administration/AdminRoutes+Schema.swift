import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayTelemetry

// The schema of a database: what is in it, and taking out what no app declares any more.

extension AdminRoutes {
    mutating func addSchema(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}/schema",
                    AdminDescription(
                        "listSchema",
                        "The classes and their properties: who added them, and when they were last declared.",
                        parameters: AdminPage.parameters, answer: "SchemaClasses", errors: [.databaseUnknown])
                ) { request throws(AdminError) in
                    try await desk.use(request) { tenant throws(AdminError) in
                        let classes = try await desk.schemaClasses(of: tenant)
                        let page = AdminPage(request)
                        return page.answer("classes", page.cut(classes, by: \.name)) { $0.append(to: &$1) }
                    }
                },
                AdminRoute(
                    "POST", "/admin/v1/databases/{database}/schema/drop",
                    AdminDescription(
                        "dropFromSchema", "Drops a class with all objects, or a property with all values.",
                        body: "SchemaDropRequest", answer: "SchemaDrop", errors: [.databaseUnknown, .conflict])
                ) { request throws(AdminError) in
                    let subject = try SchemaSubject(
                        request.members("class", "property", "confirm", "evenIfDeclared"))
                    return try await desk.use(request) { tenant throws(AdminError) in
                        try await desk.drop(subject, in: tenant, by: request.address)
                    }
                },
            ], schemas: SchemaSchemas.text)
    }
}

extension AdminDesk {
    fileprivate func schemaClasses(of tenant: Tenant) async throws(AdminError) -> [SchemaClass] {
        let store = tenant.store
        return SchemaClass.classes(
            of: try await work(tenant) { () throws(StoreFailure) in try store.schemaElements() })
    }

    fileprivate func drop(
        _ subject: SchemaSubject, in tenant: Tenant, by address: String
    ) async throws(AdminError) -> HTTPAnswer {
        let (store, record, conversations) = (tenant.store, tenant.record, tenant.conversations)
        do throws(StoreFailure) {
            let (element, count) = try await conversations.work(for: nil) { () throws(StoreFailure) in
                let element = try subject.element(in: store)
                return (element, try store.objectsLost(with: subject.className, property: subject.property))
            }
            guard let confirm = subject.confirm else { return Self.answer(subject, element, count, isDropped: false) }
            try subject.check(confirm, element, for: .drop, now: conversations.now())
            try await conversations.alone(because: SchemaSubject.reason) { () throws(StoreFailure) in
                try record.drop(subject.className, property: subject.property)
            }
            telemetry.audit(
                AuditEvent(
                    .schemaDropped, database: tenant.name, user: "admin", address: address, subject: subject.name))
            return Self.answer(subject, element, count, isDropped: true)
        } catch {
            throw AdminError(ofSchema: error)
        }
    }

    private static func answer(
        _ subject: SchemaSubject, _ element: SchemaElement?, _ count: Int, isDropped: Bool
    ) -> HTTPAnswer {
        .json { json in
            json.object { json in
                json.field("name", subject.name)
                json.field("isDropped", isDropped)
                json.field("objects", count)
                json.field("declared", time: element?.declared ?? 0)
            }
        }
    }
}

extension SchemaSubject.Change {
    fileprivate static let drop = SchemaSubject.Change(
        verb: "drop", done: "dropped", consequence: "Its app would add it again, empty, or be refused.")
}

/// A class with its properties.
private struct SchemaClass {
    var itself: SchemaElement
    var properties: [SchemaElement] = []

    var name: String { itself.className }

    static func classes(of elements: [SchemaElement]) -> [SchemaClass] {
        var classes: [SchemaClass] = []
        for element in elements {
            if element.property == nil {
                classes.append(SchemaClass(itself: element))
            } else {
                classes[classes.count - 1].properties.append(element)
            }
        }
        return classes
    }

    func append(to json: inout JSONWriter) {
        json.object { json in
            json.members(ofClass: name, itself.kind, objects: itself.objects)
            itself.appendOrigin(to: &json)
            json.name("properties")
            json.array(properties) { element, json in
                json.object { json in
                    if let form = element.form { json.membersForPeople(of: form) }
                    element.appendOrigin(to: &json)
                }
            }
        }
    }
}

extension SchemaElement {
    fileprivate func appendOrigin(to json: inout JSONWriter) {
        json.field("addedBy", ifAny: addedBy)
        json.field("added", time: added)
        json.field("declared", time: declared)
    }
}

private enum SchemaSchemas {
    static let text = """
            SchemaClasses:
              type: object
              required: [classes]
              additionalProperties: false
              properties:
                classes:
                  type: array
                  items:
                    type: object
                    required: [name, is, kind, objects, properties]
                    additionalProperties: false
                    properties:
                      name: {type: string}
                      is: {type: string}
                      kind: {enum: [object, embedded, asymmetric]}
                      objects: {type: integer}
                      addedBy: {type: string}
                      added: {type: string, format: date-time}
                      declared: {type: string, format: date-time}
                      properties:
                        type: array
                        items:
                          type: object
                          required: [name, is, type]
                          additionalProperties: false
                          properties:
                            name: {type: string}
                            is: {type: string}
                            type: {type: string}
                            collection: {enum: [list, set, map]}
                            target: {type: string}
                            optional: {type: boolean}
                            primaryKey: {type: boolean}
                            indexed: {type: boolean}
                            fullText: {type: boolean}
                            counter: {type: boolean}
                            text: {type: boolean}
                            addedBy: {type: string}
                            added: {type: string, format: date-time}
                            declared: {type: string, format: date-time}
                next: {type: string}
            SchemaDropRequest:
              type: object
              required: [class]
              additionalProperties: false
              properties:
                class: {type: string, minLength: 1}
                property: {type: string}
                confirm:
                  type: string
                  description: Class, or Class.property, once more. Without it nothing is dropped.
                evenIfDeclared: {type: boolean}
            SchemaDrop:
              type: object
              required: [name, isDropped, objects]
              additionalProperties: false
              properties:
                name: {type: string}
                isDropped: {type: boolean}
                objects:
                  type: integer
                  description: The objects of the class, or those in which the property holds something.
                declared: {type: string, format: date-time}

        """
}
