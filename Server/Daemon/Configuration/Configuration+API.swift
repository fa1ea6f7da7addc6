import Yams

extension Configuration {
    static func readAPI(_ root: inout Section) -> Listen? {
        guard let node = root.node("api") else { return nil }
        var section = Section(node, path: "api")
        var api = Listen.backEnds
        if let host = section.text("host") {
            if host.isEmpty { section.note("host", nil, "The address is empty. 0.0.0.0 listens on every one.") }
            api.host = host
        }
        api.port = section.number("port", 0...65_535, default: api.port)
        root.take(section.finish())
        return api
    }
}
