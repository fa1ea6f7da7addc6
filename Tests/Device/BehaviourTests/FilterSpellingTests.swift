import Causeway
import Foundation
import Testing

// The page about filtering: what its tables of operators say beyond the examples.

private class Workplace: Object {
    @Persisted var name = ""
    @Persisted var address: WorkplaceAddress?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class WorkplaceAddress: EmbeddedObject {
    @Persisted var zipcode = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Employee: Object {
    @Persisted var name = ""
    @Persisted var hired = Date(timeIntervalSince1970: 0)
    @Persisted var whole = 0
    @Persisted var single: Float = 0
    @Persisted var double = 0.0
    @Persisted var ratings: List<Int>
    @Persisted var workplace: Workplace?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("The page about filtering: its tables of operators")
struct FilterSpellingTests {
    private func employees() throws -> Results<Employee> {
        let realm = try memoryRealm([Employee.self, Workplace.self, WorkplaceAddress.self])
        try realm.write {
            for (index, name) in ["Ali", "Élan", "alex", "Zoë"].enumerated() {
                let employee = Employee()
                employee.name = name
                employee.hired = Date(timeIntervalSince1970: Double(index) * 86_400)
                (employee.whole, employee.single, employee.double) = (index, Float(index), Double(index))
                employee.ratings.append(objectsIn: Array(repeating: index, count: index))
                if index < 2 {
                    employee.workplace = Workplace(value: ["name": "w\(index)", "address": ["zipcode": 10011 + index]])
                }
                realm.add(employee)
            }
        }
        return realm.objects(Employee.self)
    }

    private func names(_ text: String, _ arguments: Any...) throws -> [String] {
        try employees().filter(NSPredicate(format: text, argumentArray: arguments)).map(\.name).sorted()
    }

    @Test("S140 the typed query and the predicate stand side by side")
    func bothAPIs() throws {
        let employees = try employees()
        #expect(employees.where { $0.whole > 1 }.filter("double < 3").map(\.name) == ["alex"])
        #expect(employees.filter("double < 3").where { $0.whole > 1 }.map(\.name) == ["alex"])
    }

    @Test("S160 text is equal letter for letter, and ordered by its characters' codes")
    func textEquality() throws {
        #expect(try names("name == 'Ali'") == ["Ali"])
        #expect(try names("name == 'ali'") == [])
        #expect(try names("name != 'Ali'").count == 3)
        #expect(try employees().where { $0.name == "alex" }.count == 1)
        #expect(try employees().sorted(byKeyPath: "name").map(\.name) == ["Ali", "Zoë", "alex", "Élan"])
    }

    @Test("S161 letter case is folded for the Latin letters up to code point 591, and beyond as Unicode does")
    func latinLimit() throws {
        #expect(try names("name ==[c] 'éLAN'") == ["Élan"])
        #expect(try names("name ==[c] 'ZOË'") == ["Zoë"])
        let realm = try memoryRealm([Employee.self, Workplace.self, WorkplaceAddress.self])
        try realm.write { realm.create(Employee.self, value: ["name": "ωμέγα"]) }
        #expect(realm.objects(Employee.self).filter("name ==[c] 'ΩΜΈΓΑ'").count == 1)
        #expect(realm.objects(Employee.self).filter("name ==[c] 'ΩΜΕΓΑ'").isEmpty)
        #expect(realm.objects(Employee.self).filter("name ==[cd] 'ΩΜΕΓΑ'").count == 1)
    }

    @Test("S168 a list of values is counted as well")
    func countOfValues() throws {
        #expect(try employees().where { $0.ratings.count > 1 }.map(\.name).sorted() == ["Zoë", "alex"])
        #expect(try names("ratings.@count > 1") == ["Zoë", "alex"])
    }

    @Test("S174 an expression is a key path, an operator and a value, with up to two arguments")
    func expressions() throws {
        #expect(try names("whole == 3") == ["Zoë"])
        #expect(try names("3 == whole") == ["Zoë"])
        #expect(try names("name == 'Ali'") == ["Ali"])
        #expect(try names("whole == double") == ["Ali", "Zoë", "alex", "Élan"])
    }

    @Test("S175 a path leads through a relation and on into an embedded object")
    func deepPath() throws {
        #expect(try names("workplace.address.zipcode == 10012") == ["Élan"])
        #expect(try employees().where { $0.workplace.address.zipcode == 10012 }.map(\.name) == ["Élan"])
    }

    @Test("S178 numbers of any types compare with each other")
    func mixedNumbers() throws {
        #expect(try names("whole == %@", 2.0) == ["alex"])
        #expect(try names("single == %@", 2) == ["alex"])
        #expect(try names("double == %@", Float(2)) == ["alex"])
        #expect(try names("whole > %@", 1.5) == ["Zoë", "alex"])
    }

    @Test(
        "S179 BETWEEN takes numbers and dates, includes both ends, and is spelt in any letter case",
        arguments: ["whole BETWEEN {1, 2}", "double between {1, 2}", "single Between {0.5, 2.0}"])
    func between(text: String) throws {
        #expect(try names(text) == ["alex", "Élan"])
        let days = [1, 2].map { Date(timeIntervalSince1970: Double($0) * 86_400) }
        #expect(try names("hired BETWEEN %@", days) == ["alex", "Élan"])
        #expect(try names("hired BETWEEN {%@, %@}", days[0], days[1]) == ["alex", "Élan"])
        #expect(try employees().where { $0.hired.contains(days[0]...days[1]) }.count == 2)
    }

    @Test("S180 dates compare as earlier and later")
    func dates() throws {
        let second = Date(timeIntervalSince1970: 86_400)
        #expect(try names("hired < %@", second) == ["Ali"])
        #expect(try names("hired >= %@", second) == ["Zoë", "alex", "Élan"])
        #expect(try employees().where { $0.hired > second }.count == 2)
    }

    @Test("S181 IN has a list on its right, or text that contains the left")
    func membership() throws {
        #expect(try names("name IN {'Ali', 'Zoë'}") == ["Ali", "Zoë"])
        #expect(try names("name in %@", ["alex"]) == ["alex"])
        #expect(try names("'l' IN name") == ["Ali", "alex", "Élan"])
    }

    @Test(
        "S183 operators of text are spelt in any letter case",
        arguments: [
            ("name beginswith 'A'", ["Ali"]), ("name BEGINSWITH[c] 'a'", ["Ali", "alex"]),
            ("name endsWith 'x'", ["alex"]), ("name Contains 'l'", ["Ali", "alex", "Élan"]),
            ("name like 'A*'", ["Ali"]), ("name LIKE[c] 'a?e*'", ["alex"]), ("name = 'Ali'", ["Ali"]),
            ("name <> 'Ali'", ["Zoë", "alex", "Élan"]),
        ])
    func textOperators(text: String, expected: [String]) throws {
        #expect(try names(text) == expected, "\(text)")
    }

    @Test("S188 the page's own project: one task of Alex with priority 5")
    func pageSetup() throws {
        let realm = try memoryRealm(filterPage)
        try realm.write {
            let project = FilterPage.Project()
            project.name = "New Project"
            let task = FilterPage.Task()
            task.assignee = "Alex"
            task.priority = 5
            project.tasks.append(task)
            realm.add(project)
        }
        let projects = realm.objects(FilterPage.Project.self)
        let tasks = realm.objects(FilterPage.Task.self)
        #expect(tasks.where { $0.priority > 5 }.count == 0)
        #expect(tasks.where { $0.assignee == nil }.count == 0)
        let assignees = ["Ali", "Jamie"]
        #expect(tasks.where { $0.assignee.in(assignees) }.count == 0)
        #expect(projects.where { ($0.tasks.isComplete == false && $0.tasks.assignee == "Alex").count > 0 }.count == 1)
        #expect(projects.filter("NONE tasks.isComplete == true").count == 1)
        #expect(projects.filter("ANY tasks.priority == 10").count == 0)
    }
}
