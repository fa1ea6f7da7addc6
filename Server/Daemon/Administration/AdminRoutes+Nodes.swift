import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayJournal
import CausewayJournalPostgreSQL

// Which nodes there are.

extension AdminRoutes {
    mutating func addNodes(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/nodes",
                    AdminDescription(
                        "listNodes", "The servers of one PostgreSQL, as each of them spoke last.", answer: "Nodes",
                        errors: [.notConfigured, .serverBusy])
                ) { _ throws(AdminError) in
                    let sight = try desk.nodes()
                    let age = (ContinuousClock.now - sight.taken).components.seconds
                    return .json { json in
                        json.object { json in
                            json.name("nodes")
                            json.array(sight.nodes) { $0.append(to: &$1, seenBefore: age) }
                        }
                    }
                }
            ], schemas: Self.schemas)
    }

    private static let schemas = """
            Nodes:
              type: object
              required: [nodes]
              additionalProperties: false
              properties:
                nodes:
                  type: array
                  items:
                    type: object
                    required: [place, program, generation, isHere, isThisOne, startedSecondsAgo, seenSecondsAgo, databases]
                    additionalProperties: false
                    properties:
                      place:
                        type: string
                        description: Its machine and the port that devices reach.
                      program:
                        type: string
                        description: The version of its software.
                      generation:
                        type: integer
                        description: The newest generation of the journal that its software knows.
                      isHere:
                        type: boolean
                        description: Whether it has said something in the last 15 seconds.
                      isThisOne: {type: boolean}
                      startedSecondsAgo: {type: integer}
                      seenSecondsAgo: {type: integer}
                      databases:
                        type: array
                        description: Of a node that is gone there are none.
                        items:
                          type: object
                          required: [name, isOpen]
                          additionalProperties: false
                          properties:
                            name: {type: string}
                            isOpen: {type: boolean}
                            position:
                              type: integer
                              description: The last entry of the journal that the node had applied when it was seen.

        """
}

extension AdminDesk {
    /// All nodes, as they were seen a few seconds ago. A node that is gone stays for a day.
    fileprivate func nodes() throws(AdminError) -> NodePresence.Sight {
        switch try requirePresence().lastSight {
        case .success(let sight)?: return sight
        case .failure(let failure)?: throw AdminError(.serverBusy, failure.message)
        case nil:
            throw AdminError(
                .serverBusy, "The server has just begun, and has not looked yet. Ask again in a few seconds.")
        }
    }

    /// Why what a generation of software brings cannot be switched on yet; nil when it can.
    func hindrance(to generation: UInt64, of tenant: Tenant) async throws(AdminError) -> String? {
        switch try await requirePresence().nodes(of: tenant.name, before: generation) {
        case .success(let older): return GenerationSwitch.hindrance(to: generation, by: older)
        case .failure(let failure): throw AdminError(.serverBusy, failure.message)
        }
    }

    private func requirePresence() throws(AdminError) -> NodePresence {
        guard let presence else {
            throw AdminError(
                .notConfigured,
                "The configuration has no section journal: this server is the only one of its databases.")
        }
        return presence
    }
}

extension NodeRegister.Known {
    /// - Parameter age: how many seconds ago it was known.
    fileprivate func append(to json: inout JSONWriter, seenBefore age: Int64) {
        json.object { json in
            json.field("place", saying.place)
            json.field("program", saying.program)
            json.field("generation", saying.generation)
            json.field("isHere", isHere)
            json.field("isThisOne", saying.node == NodePresence.id)
            json.field("startedSecondsAgo", saying.upSeconds + seenSecondsAgo + age)
            json.field("seenSecondsAgo", seenSecondsAgo + age)
            json.name("databases")
            json.array(saying.databases.sorted { $0.key < $1.key }) { database, json in
                json.object { json in
                    json.field("name", database.key)
                    json.field("isOpen", database.value != .notOpen)
                    if case .at(let position) = database.value { json.field("position", position) }
                }
            }
        }
    }
}
