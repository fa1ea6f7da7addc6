package import CausewayAdmin
import CausewayBrowsing
import CausewayConsole
import CausewayEnvironment
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayObjectStore

extension AdminRoutes {
    /// The console, and what it asks for to show the objects of a file.
    package static func browsing(_ file: BrowsedFile) -> AdminRoutes {
        var routes = AdminRoutes.console
        routes.add(
            About(
                kind: .file, version: Release.version, name: file.name, isWritable: file.isWritable, hasHistory: false
            ).route())
        routes.add(
            AdminRoute("GET", "/admin/v1/databases") { _ throws(AdminError) in
                let version = try await file.look { state throws(AdminError) in state.version }
                return .json { json in
                    json.object { json in
                        json.name("databases")
                        json.array([file.name]) { name, json in
                            json.object { json in
                                json.field("name", name)
                                json.field("version", version)
                            }
                        }
                    }
                }
            })
        routes.add(schema(of: file))
        routes.addBrowsing(of: file)
        if file.isWritable {
            routes.addEditing { name, edit throws(AdminError) in
                try await file.use(name) { _ throws(AdminError) in try await FileEdit(edit).answer(in: file) }
            }
        }
        return routes
    }

    private static func schema(of file: BrowsedFile) -> AdminRoute {
        AdminRoute(
            "GET", "/admin/v1/databases/{database}/schema",
            AdminDescription(
                "listSchema", "The classes and their properties.", parameters: AdminPage.parameters, answer: nil)
        ) { request throws(AdminError) in
            let page = AdminPage(request)
            return try await file.use(request["database"]) { database throws(AdminError) in
                try await database.look { state throws(AdminError) in
                    page.answer("classes", page.cut(state.classes, by: \.schema.name)) { $0.append(to: &$1) }
                }
            }
        }
    }
}

extension BrowsedState {
    fileprivate var classes: [FileClass] {
        transaction.schema.withoutNestedCollections.classes.map {
            FileClass(schema: $0, objects: transaction.table($0.name)?.count ?? 0)
        }
    }
}

/// A class of a file, as the console shows it.
private struct FileClass {
    var schema: ClassSchema
    var objects: Int

    func append(to json: inout JSONWriter) {
        json.object { json in
            json.members(ofClass: schema.name, schema.kind, objects: objects)
            json.name("properties")
            json.array(schema.properties) { property, json in
                json.object { $0.membersForPeople(of: property) }
            }
        }
    }
}
