import Causeway
import Foundation
import Testing

@Suite("The page about filtering")
struct FilteringTasksTests {
    private func tasks() throws -> Results<FilterPage.Task> {
        let realm = try memoryRealm(filterPage)
        try realm.write {
            realm.create(
                FilterPage.Task.self,
                value: ["name": "Update README", "assignee": "Ali", "priority": 6, "progressMinutes": 150])
            realm.create(
                FilterPage.Task.self,
                value: ["name": "Review pull request", "isComplete": true, "assignee": "Ali", "priority": 2])
            realm.create(
                FilterPage.Task.self,
                value: ["name": "eat friendly pie", "assignee": "Alex", "priority": 5, "progressMinutes": 120])
            realm.create(FilterPage.Task.self, value: ["name": "Élan", "priority": 9, "progressMinutes": 60])
        }
        return realm.objects(FilterPage.Task.self)
    }

    private func names(_ tasks: Results<FilterPage.Task>) -> Set<String> {
        Set(tasks.map(\.name))
    }

    @Test("S143 greater than")
    func greater() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { $0.priority > 5 }) == ["Update README", "Élan"])
        #expect(names(tasks.filter("priority > 5")) == ["Update README", "Élan"])
    }

    @Test("S144 greater than or equal")
    func greaterOrEqual() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { $0.progressMinutes >= 120 }) == ["Update README", "eat friendly pie"])
        #expect(names(tasks.filter("progressMinutes > 120")) == ["Update README"])
    }

    @Test("S145 equal to nil")
    func unassigned() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { $0.assignee == nil }) == ["Élan"])
        #expect(names(tasks.filter("assignee == nil")) == ["Élan"])
        #expect(names(tasks.filter("assignee == %@", NSNull())) == ["Élan"])
    }

    @Test("S146 the other comparisons are those of the language")
    func others() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { $0.assignee != "Ali" }) == ["eat friendly pie", "Élan"])
        #expect(names(tasks.where { $0.priority < 5 }) == ["Review pull request"])
        #expect(names(tasks.where { $0.priority <= 5 }) == ["Review pull request", "eat friendly pie"])
        #expect(names(tasks.filter("priority != 5 AND priority < 9")) == ["Update README", "Review pull request"])
        #expect(names(tasks.filter("priority <= 2")) == ["Review pull request"])
    }

    private func labelled() throws -> Results<FilterPage.Task> {
        let tasks = try tasks()
        try tasks.realm?.write {
            tasks.where { $0.name == "Update README" }[0].labels.insert(objectsIn: ["quick win", "docs"])
            tasks.where { $0.name == "Review pull request" }[0].labels.insert("bug")
            tasks.realm?.create(FilterPage.Project.self, value: ["name": "all", "tasks": Array(tasks)])
            tasks.realm?.create(FilterPage.Project.self, value: ["name": "none"])
        }
        return tasks
    }

    @Test("S148 a set contains a value")
    func setContains() throws {
        let tasks = try labelled()
        #expect(names(tasks.where { $0.labels.contains("quick win") }) == ["Update README"])
        #expect(names(tasks.filter("%@ IN labels", "bug")) == ["Review pull request"])
    }

    @Test("S150 a set contains one of several values")
    func setContainsAny() throws {
        let tasks = try labelled()
        let expected: Set = ["Update README", "Review pull request"]
        #expect(names(tasks.where { $0.labels.containsAny(in: ["quick win", "bug"]) }) == expected)
        #expect(names(tasks.filter("ANY labels IN {'quick win', 'bug'}")) == expected)
    }

    @Test("S169 a set within a list contains one of several values")
    func setWithinList() throws {
        let projects = try #require(try labelled().realm).objects(FilterPage.Project.self)
        #expect(
            projects.where { $0.tasks.labels.containsAny(in: ["quick win", "bug"]) }.map(\.name) == ["all"])
        #expect(projects.where { $0.tasks.labels.containsAny(in: ["none of them"]) }.isEmpty)
    }

    @Test("S151 conditions combine with and, or, not")
    func logic() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { ($0.assignee == "Ali") && ($0.isComplete == true) }) == ["Review pull request"])
        #expect(names(tasks.filter("assignee == 'Ali' AND isComplete == true")) == ["Review pull request"])
        #expect(names(tasks.where { $0.isComplete || $0.priority == 9 }) == ["Review pull request", "Élan"])
        #expect(names(tasks.where { !$0.isComplete && !($0.assignee == "Alex") }) == ["Update README", "Élan"])
        #expect(names(tasks.filter("NOT (isComplete == true OR assignee == 'Alex')")) == ["Update README", "Élan"])
    }

    @Test("S152 text that starts with")
    func starts() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { $0.name.starts(with: "e") }) == ["eat friendly pie"])
        #expect(names(tasks.where { $0.name.starts(with: "e", options: .caseInsensitive) }) == ["eat friendly pie"])
        #expect(names(tasks.where { $0.name.starts(with: "u", options: .caseInsensitive) }) == ["Update README"])
        #expect(names(tasks.filter("name BEGINSWITH[c] 'U'")) == ["Update README"])
        let both = tasks.where { $0.name.starts(with: "e", options: [.caseInsensitive, .diacriticInsensitive]) }
        #expect(names(both) == ["eat friendly pie", "Élan"])
        #expect(names(tasks.filter("name BEGINSWITH[cd] 'e'")) == ["eat friendly pie", "Élan"])
        #expect(tasks.where { $0.name.starts(with: "") }.isEmpty)
    }

    @Test("S153 text that contains")
    func contains() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { $0.name.contains("ie") }) == ["Review pull request", "eat friendly pie"])
        #expect(names(tasks.filter("name CONTAINS 'ie'")) == ["Review pull request", "eat friendly pie"])
        #expect(tasks.filter("name CONTAINS ''").isEmpty)
    }

    @Test("S154 text that ends with")
    func ends() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { $0.name.ends(with: "pie") }) == ["eat friendly pie"])
        #expect(names(tasks.filter("name ENDSWITH 'README'")) == ["Update README"])
        #expect(names(tasks.filter("name ENDSWITH[c] 'readme'")) == ["Update README"])
    }

    @Test("S155 text that is like a pattern")
    func like() throws {
        let tasks = try tasks()
        #expect(names(tasks.where { $0.assignee.like("Al?x") }) == ["eat friendly pie"])
        #expect(
            names(tasks.filter("assignee LIKE 'Al*'")) == ["Update README", "Review pull request", "eat friendly pie"])
        #expect(names(tasks.where { $0.assignee.like("al?x", caseInsensitive: true) }) == ["eat friendly pie"])
    }

    @Test(
        "S156 a question mark stands for exactly one character, a star for any number",
        arguments: [
            ("d?g", ["dog", "dig", "dug"]), ("d*g", ["dog", "dig", "dug", "ding", "dg"]),
            ("*d?g", ["dog", "dig", "dug", "a dog"]), ("dog", ["dog"]), ("?", []),
        ])
    func patterns(pattern: String, expected: [String]) throws {
        let realm = try memoryRealm(readPage)
        try realm.write {
            for name in ["dog", "dig", "dug", "ding", "dg", "a dog"] { realm.add(Dog(value: ["name": name])) }
        }
        let dogs = realm.objects(Dog.self)
        #expect(Set(dogs.where { $0.name.like(pattern) }.map(\.name)) == Set(expected))
        #expect(Set(dogs.filter("name LIKE %@", pattern).map(\.name)) == Set(expected))
    }
}
