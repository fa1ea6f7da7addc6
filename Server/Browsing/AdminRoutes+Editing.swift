package import CausewayAdmin
package import CausewayHTTP
import CausewayOpenAPI

// Changing objects that somebody looks at.

extension AdminRoutes {
    /// - Parameter edit: makes the change in the database of the name, and answers as the data API does.
    package mutating func addEditing(
        _ edit: @escaping @Sendable (_ database: String, ObjectEdit) async throws(AdminError) -> HTTPAnswer
    ) {
        add(
            [
                route(
                    .create, "POST", Self.ofClass,
                    AdminDescription(
                        "createObject", "Creates an object.", body: "Object", status: 201, answer: "ObjectWritten",
                        errors: BrowsingSchemas.writeErrors + [.objectExists]), edit),
                route(
                    .patch, "PATCH", Self.ofObject,
                    AdminDescription(
                        "patchObject", "Changes the named properties of an object.", headers: [Self.ifMatch],
                        body: "Patch", answer: "ObjectWritten",
                        errors: BrowsingSchemas.writeErrors + [.objectUnknown, .preconditionFailed]), edit),
                route(
                    .delete, "DELETE", Self.ofObject,
                    AdminDescription(
                        "deleteObject", "Deletes an object.", headers: [Self.ifMatch], answer: "ObjectWritten",
                        errors: BrowsingSchemas.writeErrors + [.objectUnknown, .preconditionFailed]), edit),
            ], schemas: BrowsingSchemas.written)
    }

    private static let ifMatch = DescribedParameter(
        "If-Match", .text,
        "The ETag of the object that was looked at: nothing is changed when it is another one by now.")

    private func route(
        _ kind: ObjectEdit.Kind, _ method: String, _ pattern: String, _ description: AdminDescription,
        _ edit: @escaping @Sendable (String, ObjectEdit) async throws(AdminError) -> HTTPAnswer
    ) -> AdminRoute {
        AdminRoute(
            method, pattern, bodyBytesMax: kind == .delete ? 0 : ObjectEdit.bodyBytesMax, isChange: true,
            description: description
        ) { request throws(AdminError) in
            try await edit(
                request["database"],
                ObjectEdit(kind: kind, className: request["class"], key: request["key"], request: request.request))
        }
    }
}
