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
                    let drop = try SchemaDrop(request)
                    return try await desk.use(request) { tenant throws(AdminError) in
                        try await desk.drop(drop, in: tenant, by: request.address)
                    }
                },
            ], schemas: SchemaSchemas.text)
    }
}

/// What an administrator wants to drop.
private struct SchemaDrop: Sendable {
    var className: String
    var property: String?
    /// The name of what is dropped, once more. Without it nothing is dropped, and the answer says what would be lost.
    var confirm: String?
    /// Drops it although a device has declared it not long ago.
    var evenIfDeclared: Bool

    /// What a device has declared since then counts as in use. Devices note it once a day.
    static let declaredDays = 30

    var name: String { property.map { "\(className).\($0)" } ?? className }

    init(_ request: AdminRequest) throws(AdminError) {
        let body = try request.members("class", "property", "confirm", "evenIfDeclared")
        className = try body.requiredText("class")
        property = try body.text("property")
        confirm = try body.text("confirm")
        evenIfDeclared = try body.flag("evenIfDeclared")
    }
}

extension AdminDesk {
    fileprivate func schemaClasses(of tenant: Tenant) async throws(AdminError) -> [SchemaClass] {
        let store = tenant.store
        return SchemaClass.classes(
            of: try await work(tenant) { () throws(StoreFailure) in try store.schemaElements() })
    }

    fileprivate func drop(
        _ drop: SchemaDrop, in tenant: Tenant, by address: String
    ) async throws(AdminError) -> HTTPAnswer {
        let (store, conversations) = (tenant.store, tenant.conversations)
        do throws(StoreFailure) {
            let (element, count) = try await conversations.work(for: nil) { () throws(StoreFailure) in
                let element = try store.schemaElements().first { element in
                    element.className.isSame(as: drop.className) && element.isProperty(drop.property)
                }
                return (element, try store.objectsLost(with: drop.className, property: drop.property))
            }
            guard let confirm = drop.confirm else { return Self.answer(drop, element, count, isDropped: false) }
            try Self.check(drop, confirm, element, now: conversations.now())
            try await conversations.alone(because: Self.reason) { () throws(StoreFailure) in
                try store.drop(drop.className, property: drop.property)
            }
            telemetry.audit(
                AuditEvent(.schemaDropped, database: tenant.name, user: "admin", address: address, subject: drop.name))
            return Self.answer(drop, element, count, isDropped: true)
        } catch {
            // What cannot be dropped is told as it is.
            guard error.code == .schemaMismatch else { throw AdminError(error) }
            throw AdminError(.conflict, error.message)
        }
    }

    private static let reason =
        "The operator is changing the schema of the database. Connect again in a moment; nothing that was not sent is lost."

    private static func check(
        _ drop: SchemaDrop, _ confirm: String, _ element: SchemaElement?, now: UInt64
    ) throws(StoreFailure) {
        guard confirm.isSame(as: drop.name) else {
            throw StoreFailure(
                .conflict, "confirm is not “\(drop.name)”, so nothing was dropped. Repeat what you want to drop.")
        }
        let since = now - min(now, UInt64(SchemaDrop.declaredDays) * 86_400_000)
        guard let element, element.declared >= max(since, 1), !drop.evenIfDeclared else { return }
        throw StoreFailure(
            .conflict,
            "A device has declared “\(drop.name)” within the last \(SchemaDrop.declaredDays) days, so nothing was dropped. Its app "
                + "would add it again, empty, or be refused. To drop it all the same, send evenIfDeclared.")
    }

    private static func answer(
        _ drop: SchemaDrop, _ element: SchemaElement?, _ count: Int, isDropped: Bool
    ) -> HTTPAnswer {
        .json { json in
            json.object { json in
                json.field("name", drop.name)
                json.field("isDropped", isDropped)
                json.field("objects", count)
                json.field("declared", time: element?.declared ?? 0)
            }
        }
    }
}

extension SchemaElement {
    fileprivate func isProperty(_ name: String?) -> Bool {
        guard let property, let name else { return property == nil && name == nil }
        return property.isSame(as: name)
    }
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
            json.field("name", name)
            json.field("is", itself.words)
            json.field("objects", itself.objects)
            itself.appendOrigin(to: &json)
            json.name("properties")
            json.array(properties) { element, json in
                json.object { json in
                    json.field("name", element.property ?? "")
                    json.field("is", element.words)
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
                    required: [name, is, objects, properties]
                    additionalProperties: false
                    properties:
                      name: {type: string}
                      is: {type: string}
                      objects: {type: integer}
                      addedBy: {type: string}
                      added: {type: string, format: date-time}
                      declared: {type: string, format: date-time}
                      properties:
                        type: array
                        items:
                          type: object
                          required: [name, is]
                          additionalProperties: false
                          properties:
                            name: {type: string}
                            is: {type: string}
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
