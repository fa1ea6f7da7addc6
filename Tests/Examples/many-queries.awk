# Writes a client with 20 model classes and 200 `where` expressions, as an app of some size has them.
BEGIN {
    print "import RealmSwift\n"
    for (i = 1; i <= 20; i++) {
        next_class = i % 20 + 1
        printf "class Model%d: Object {\n", i
        print "    @Persisted(primaryKey: true) var id: ObjectId"
        print "    @Persisted(indexed: true) var name = \"\""
        print "    @Persisted var note: String?"
        print "    @Persisted var count = 0"
        print "    @Persisted var weight: Double?"
        print "    @Persisted var isDone = false"
        print "    @Persisted var madeAt = Date()"
        print "    @Persisted var tags: MutableSet<String>"
        print "    @Persisted var scores: List<Int>"
        print "    @Persisted var places: Map<String, String>"
        print "    @Persisted var other: AnyRealmValue"
        printf "    @Persisted var next: Model%d?\n", next_class
        printf "    @Persisted var parts: List<Model%d>\n", next_class
        print "}\n"
    }
    expressions = 0
    for (i = 1; i <= 20; i++) {
        printf "func queries%d(_ realm: Realm, text: String, limit: Int, since: Date) -> Int {\n", i
        printf "    let all = realm.objects(Model%d.self)\n    var sum = 0\n", i
        row("$0.count > limit")
        row("$0.name == text && $0.isDone == true")
        row("$0.name.starts(with: \"a\", options: .caseInsensitive) || $0.note == nil")
        row("$0.count.contains(30...60) && !($0.weight < 2.5)")
        row("$0.madeAt >= since && $0.tags.containsAny(in: [\"quick\", text])")
        row("$0.next.name == text && $0.next.next.count > 5")
        row("$0.parts.count.avg > 3 && $0.parts.count > 1 || $0.scores.max < 7")
        row("($0.parts.isDone == false && $0.parts.name == text).count > 0")
        row("$0.places[\"Ulm\"] == text || $0.other == .int(7) || $0.note.like(\"Al?x*\")")
        row("($0.name == \"a\" || $0.name == \"b\" || $0.name == text) && ($0.count == 1 || $0.count == limit) && $0.weight != 4")
        print "    return sum\n}\n"
    }
    print "let realm = try Realm()"
    print "var sum = 0"
    for (i = 1; i <= 20; i++) printf "sum += queries%d(realm, text: \"x\", limit: 3, since: Date())\n", i
    printf "print(\"%d queries found \\(sum) objects\")\n", expressions
}
function row(expression) {
    printf "    sum += all.where { %s }.count\n", expression
    expressions++
}
