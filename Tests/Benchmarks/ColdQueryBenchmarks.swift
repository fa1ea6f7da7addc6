import Causeway
import CausewayMeasuring
import Foundation

/// What an app asks first after it was started: the same questions on files that are opened anew and have no page in
/// memory. A disk's own memory, and that of a machine below this one, may hold the pages all the same.
@MainActor
struct ColdQueryBenchmarks {
    private let smoke: Bool
    private let data: DogData
    private let realmFile: URL
    private let sqliteFile: URL

    /// - Parameter hot: What filled the files; it must be gone before anything is run.
    init(after hot: QueryBenchmarks) {
        (smoke, data, realmFile, sqliteFile) = (hot.smoke, hot.data, hot.realmFile, hot.sqliteFile)
    }

    func run(_ report: ([Row]) -> Void) throws {
        guard PageCache.isOnDisk(realmFile) else {
            return print("query: cold rows are skipped, \(realmFile.path) is in memory (TMPDIR)")
        }
        let breed = "breed == '\(data.breeds[17])'"
        for condition in ["age < 2", "name CONTAINS 'ab'", breed] {
            let sql = condition.contains("CONTAINS") ? "instr(name, 'ab') > 0" : condition
            report([
                try row(
                    "count \(condition), cold", "SELECT count(*) FROM dog WHERE \(sql)",
                    ours: { [Double($0.objects(Dog.self).filter(condition).count)] }, theirs: { $0.answer() })
            ])
        }
        report([
            try row(
                "sum of age, cold", "SELECT total(age) FROM dog",
                ours: { [Double($0.objects(Dog.self).sum(of: \.age))] }, theirs: { $0.answer() }),
            try row(
                "sort \(data.count) by weight, all ids, cold", "SELECT id FROM dog ORDER BY weight",
                ours: { realm in
                    var ids: [Int] = []
                    for dog in realm.objects(Dog.self).sorted(byKeyPath: "weight") { ids.append(dog.id) }
                    return sampled(ids)
                },
                theirs: { sampled($0.integers()) }),
        ])
    }

    private func sampled(_ ids: [Int]) -> [Double] {
        [ids.count - 1, ids.count / 2, 0].map { data.dog(ids[$0]).weight }
    }

    private func row(
        _ name: String, _ sql: String, ours: @escaping (Realm) -> [Double],
        theirs: @escaping (SQLitePeer.Statement) -> [Double]
    ) throws -> Row {
        let duel = try Duel(
            cold: name, runs: smoke ? 1 : 5, ourFile: realmFile, theirFile: sqliteFile,
            ours: {
                let realm = try DogData.realm(realmFile)
                return { ours(realm) }
            },
            theirs: {
                let select = try SQLitePeer(sqliteFile).prepare(sql)
                return { theirs(select) }
            })
        return .less(
            QueryBenchmarks.group, duel.name, "ms", ours: duel.ours.median / 1e6,
            peer: ("SQLite", duel.theirs.median / 1e6), under: duel.conditions)
    }
}
