import Causeway
import Foundation
import Testing

/// The rest of the page about filtering, as far as the types it needs exist: aggregates, quantifiers and the spellings
/// of the format string. Sets and geospatial shapes come later.
@Suite("The page about filtering: aggregates, quantifiers, spellings")
struct FormatStringTests {
    private func projects() throws -> Results<FilterPage.Project> {
        let realm = try memoryRealm(filterPage)
        try realm.write {
            func add(_ name: String, _ tasks: [[String: Any]]) {
                realm.create(FilterPage.Project.self, value: ["name": name, "tasks": tasks])
            }
            add(
                "low",
                [
                    ["name": "l1", "priority": 1, "progressMinutes": 2, "assignee": "Ali"],
                    ["name": "l2", "priority": 3],
                ])
            add(
                "high",
                [
                    ["name": "h1", "priority": 8, "progressMinutes": 90, "ratings": [5, 1]],
                    ["name": "h2", "priority": 10, "progressMinutes": 40, "assignee": "Ali", "isComplete": true],
                ])
            add("many", (1...6).map { ["name": "m\($0)", "priority": $0, "isComplete": true] })
            add("none", [])
        }
        return realm.objects(FilterPage.Project.self)
    }

    private func found(_ text: String, _ arguments: Any...) throws -> Set<String> {
        Set(try projects().filter(NSPredicate(format: text, argumentArray: arguments)).map(\.name))
    }

    private func found(_ isIncluded: (Query<FilterPage.Project>) -> Query<Bool>) throws -> Set<String> {
        Set(try projects().where(isIncluded).map(\.name))
    }

    @Test("S141 two conditions on a list may be met by two of its objects")
    func independent() throws {
        #expect(try found { ($0.tasks.progressMinutes > 1) && ($0.tasks.assignee == "Ali") } == ["low", "high"])
        #expect(try found("tasks.progressMinutes > 50 AND tasks.assignee == 'Ali'") == ["high"])
    }

    @Test("S163 the average of a property in a list")
    func average() throws {
        #expect(try found { $0.tasks.priority.avg > 5 } == ["high"])
        #expect(try found("tasks.@avg.priority > 3") == ["high", "many"])
    }

    @Test("S164 the largest value of a property in a list")
    func largest() throws {
        #expect(try found { $0.tasks.priority.max < 5 } == ["low"])
        #expect(try found("tasks.@max.priority < 5") == ["low"])
    }

    @Test("S165 the smallest value of a property in a list")
    func smallest() throws {
        #expect(try found { $0.tasks.priority.min > 5 } == ["high"])
        #expect(try found("tasks.@min.priority > 5") == ["high"])
    }

    @Test("S166 how many objects a list has")
    func count() throws {
        #expect(try found { $0.tasks.count > 5 } == ["many"])
        #expect(try found("tasks.@count > 5") == ["many"])
        #expect(try found { $0.tasks.count == 0 } == ["none"])
    }

    @Test("S167 the sum of a property in a list, zero for an empty one")
    func sum() throws {
        #expect(try found { $0.tasks.progressMinutes.sum > 100 } == ["high"])
        #expect(try found("tasks.@sum.progressMinutes > 100") == ["high"])
        #expect(try found("tasks.@sum.progressMinutes == 0") == ["many", "none"])
    }

    @Test("S170 a condition on the values of a list holds when any of them meets it, through two levels")
    func ratings() throws {
        #expect(try found { $0.tasks.ratings > 3 } == ["high"])
        #expect(try found { $0.tasks.ratings == 7 } == [])
    }

    @Test("S171 S187 a subquery asks several things of one object of a list")
    func subquery() throws {
        #expect(try found { ($0.tasks.isComplete == false && $0.tasks.assignee == "Ali").count > 0 } == ["low"])
        let text = "SUBQUERY(tasks, $task, $task.isComplete == false AND $task.assignee == %@).@count > 0"
        #expect(try found(text, "Ali") == ["low"])
        let counted = try found { ($0.tasks.priority > 2).count == 4 || ($0.tasks.ratings > 3).count == 1 }
        #expect(counted == ["many", "high"])
        #expect(try found { !($0.tasks.priority > 2).count.contains(1...2) } == ["many", "none"])
    }

    @Test("a subquery names properties as the code does, however they are stored")
    func subqueryOfRenamed() throws {
        let realm = try memoryRealm([Shelf.self, ShelfBook.self])
        try realm.write {
            realm.create(Shelf.self, value: ["books": [["title": "a", "pages": 5], ["title": "b", "pages": 9]]])
        }
        let shelves = realm.objects(Shelf.self)
        #expect(shelves.where { ($0.books.title == "b" && $0.books.pages > 5).count == 1 }.count == 1)
        #expect(shelves.filter("SUBQUERY(books, $b, $b.title == 'a' AND $b.pages > 5).@count > 0").isEmpty)
    }

    @Test("S173 a predicate of Foundation is made from a format string")
    func foundation() throws {
        let predicate = NSPredicate(format: "progressMinutes > 1 AND name == %@", "h1")
        let tasks = try projects()[0].realm?.objects(FilterPage.Task.self)
        #expect(tasks?.filter(predicate).count == 1)
    }

    @Test("S176 names and values are substituted")
    func substitutions() throws {
        let predicate = NSPredicate(
            format: "%K > %@ AND %K == %@", "progressMinutes", NSNumber(1), "assignee", "Ali")
        let tasks = try projects()[0].realm?.objects(FilterPage.Task.self)
        #expect(Set(tasks?.filter(predicate).map(\.name) ?? []) == ["l1", "h2"])
    }

    @Test(
        "S180 each operator has several spellings, in any letter case",
        arguments: [
            ("priority = 8", 1), ("priority == 8", 1), ("priority != 8", 9), ("priority <> 8", 9),
            ("priority >= 8", 2), ("priority => 8", 2), ("priority <= 1", 2), ("priority =< 1", 2),
            ("priority IN {8, 10}", 2), ("priority in {8, 10}", 2), ("priority BETWEEN {8, 10}", 2),
            ("priority between {8, 10}", 2), ("8 < priority", 1),
        ])
    func operators(text: String, count: Int) throws {
        let tasks = try projects()[0].realm?.objects(FilterPage.Task.self)
        #expect(tasks?.filter(text).count == count, "\(text)")
    }

    @Test(
        "S182 and, or and not have two spellings each",
        arguments: [
            ("priority == 8 OR priority == 10", 2), ("priority == 8 || priority == 10", 2),
            ("priority > 5 AND isComplete == false", 1), ("priority > 5 && isComplete == false", 1),
            ("NOT priority > 1", 2), ("!(priority > 1)", 2), ("not priority > 1 and isComplete == true", 1),
            ("TRUEPREDICATE", 10), ("FALSEPREDICATE", 0),
        ])
    func logic(text: String, count: Int) throws {
        let tasks = try projects()[0].realm?.objects(FilterPage.Task.self)
        #expect(tasks?.filter(text).count == count, "\(text)")
    }

    @Test("S184 ALL asks it of every object of the list")
    func all() throws {
        #expect(try found("ALL tasks.isComplete == true") == ["many", "none"])
    }

    @Test("S185 ANY and SOME ask it of at least one")
    func any() throws {
        #expect(try found("ANY tasks.priority == 10") == ["high"])
        #expect(try found("SOME tasks.priority == 10") == ["high"])
    }

    @Test("S186 NONE asks it of no object of the list")
    func none() throws {
        #expect(try found("NONE tasks.isComplete == true") == ["low", "none"])
    }

    @Test("S147 a value is one of several")
    func membership() throws {
        let tasks = try #require(try projects()[0].realm).objects(FilterPage.Task.self)
        let assignees = ["Ali", "Jamie"]
        #expect(tasks.where { $0.assignee.in(assignees) }.count == 2)
        #expect(tasks.filter("assignee IN {'Ali', 'Jamie'}").count == 2)
        #expect(tasks.filter("assignee IN %@", assignees).count == 2)
    }

    @Test("S149 a range includes both its ends")
    func range() throws {
        let tasks = try #require(try projects()[0].realm).objects(FilterPage.Task.self)
        #expect(Set(tasks.where { $0.progressMinutes.contains(2...40) }.map(\.name)) == ["l1", "h2"])
        #expect(tasks.filter("progressMinutes BETWEEN {2, 40}").count == 2)
        #expect(tasks.where { $0.progressMinutes.contains(2..<40) }.count == 1)
    }

    private func dogsNamedFe() throws -> Results<Dog> {
        let realm = try memoryRealm(readPage)
        try realm.write {
            for name in ["Fé", "fe", "FE", "x"] { realm.add(Dog(value: ["name": name])) }
        }
        return realm.objects(Dog.self)
    }

    @Test("S157 [c] compares text without letter case")
    func caseInsensitive() throws {
        let dogs = try dogsNamedFe()
        #expect(dogs.where { $0.name.contains("f", options: .caseInsensitive) }.count == 3)
        #expect(dogs.filter("name CONTAINS[c] 'f'").count == 3)
    }

    @Test("S158 [d] compares text without marks")
    func diacriticInsensitive() throws {
        let dogs = try dogsNamedFe()
        #expect(dogs.where { $0.name.contains("e", options: .diacriticInsensitive) }.count == 2)
        #expect(dogs.filter("name CONTAINS[d] 'e'").count == 2)
    }

    @Test("S159 [cd] compares text without letter case and marks")
    func bothInsensitive() throws {
        #expect(try dogsNamedFe().filter("name CONTAINS[cd] 'e'").count == 3)
    }

    @Test("S177 a value of another type than the property's stops the program")
    func mismatch() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(filterPage).objects(FilterPage.Task.self).filter("priority == 'high'").count
        }
        #expect(
            lastWords(result).contains("Expected object of type int for property 'priority' on object of type 'Task'"))
    }
}

class Shelf: Object {
    @Persisted var books: List<ShelfBook>

    override class func propertiesMapping() -> [String: String] { ["books": "stored_books"] }
}

class ShelfBook: Object {
    @Persisted var title = ""
    @Persisted var pages = 0

    override class func propertiesMapping() -> [String: String] { ["title": "stored_title"] }
}
