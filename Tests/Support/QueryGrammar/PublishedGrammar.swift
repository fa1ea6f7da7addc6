/// The sentences of the published pages, each with its page and an example. A generated text says which of them it is made
/// of, and a run in which one of them never occurred has not tried the language.
package struct Production: Hashable, Sendable {
    package enum Page: Sendable {
        /// The page of the Realm Query Language.
        case queryLanguage
        /// The pages of NSPredicate: its format strings, and how Realm Swift reads them.
        case predicates
        /// The texts that realm-core writes for its own queries.
        case canonical
    }

    package let name: String
    package let page: Page
    package let example: String
}

package enum PublishedGrammar {
    package static let productions: [Production] =
        table(
            .queryLanguage,
            [
                ("==", "int == 1"), ("=", "int = 1"), ("!=", "int != 1"), ("<>", "int <> 1"), ("<", "int < 1"),
                ("<=", "int <= 1"), (">", "int > 1"), (">=", "int >= 1"), ("IN list", "int IN {0, 1, 2}"),
                ("BETWEEN", "int BETWEEN {1, 2}"), ("AND", "int == 1 AND in == 2"), ("&&", "int == 1 && in == 2"),
                ("OR", "int == 1 OR in == 2"), ("||", "int == 1 || in == 2"), ("NOT", "NOT int == 1"),
                ("!", "!(int == 1)"), ("group", "(int == 1)"), ("BEGINSWITH", "name BEGINSWITH 'a'"),
                ("ENDSWITH", "name ENDSWITH 'a'"), ("CONTAINS", "name CONTAINS 'a'"), ("LIKE", "name LIKE 'a*'"),
                ("TEXT", "name TEXT 'rex -dog'"), ("[c]", "name ==[c] 'A'"),
                ("oid", "objectId == oid(000707070707070707070707)"),
                ("uuid", "identifier == uuid(00090909-0909-0909-0909-090909090909)"), ("+", "int + 1 == 2"),
                ("-", "int - 1 == 2"), ("*", "2 * int > 6"), ("/", "int / 2 == 1"),
                ("grouped operands", "int >= 2 * (2 - 1) + 2"), ("two properties computed", "int * in == 4"),
                ("@type", "mixed.@type == 'string'"), ("@keys", "ANY map.@keys == 'a'"),
                ("@values", "ANY map.@values == 1"), ("entry", "map['a'] == 1"), ("count of a map", "map.@count > 1"),
                ("date with @", "date < 1970-01-01@00:00:02:0"), ("date with T", "date < 1970-01-01T00:00:02:5"),
                ("seconds", "date == T1:125000000"), ("@avg", "ints.@avg > 1"), ("@count", "ints.@count > 1"),
                ("@size", "ints.@size > 1"), ("@max", "ints.@max > 1"), ("@min", "ints.@min > 1"),
                ("@sum", "ints.@sum > 1"), ("operator over objects", "items.@avg.int > 1"),
                ("ANY", "ANY ints == 1"), ("SOME", "SOME ints == 1"), ("ALL", "ALL ints == 1"),
                ("NONE", "NONE ints == 1"), ("value IN collection", "1 IN ints"), ("plain list", "int == {1, 2}"),
                ("quantified list", "int == NONE {1, 2}"), ("list before", "ANY {1, 2, 3} > ALL ints"),
                ("both quantified", "ALL ints > ANY {1, 2}"), ("two collections", "ANY ints > ALL limits"),
                ("two lists", "ANY {1, 2, 3} > ALL {1, 2}"), ("through a link", "link.int == 1"),
                ("through a list", "ANY items.int == 1"), ("through two lists", "ANY items.ints == 1"),
                ("backlinks", "ANY @links.Item.items.int > 0"), ("@links.@count", "@links.@count == 0"),
                ("operator behind backlinks", "@links.Item.items.items.@avg.int > 1"),
                ("SUBQUERY", "SUBQUERY(items, $x, $x.int == 1).@count > 0"),
                ("SUBQUERY and property", "SUBQUERY(items, $x, $x.int == 1).@count >= int"),
                ("SORT", "int > 1 SORT(name ASC)"), ("DISTINCT", "int > 1 DISTINCT(name)"),
                ("LIMIT", "int > 1 LIMIT(5)"), ("argument", "int > $0"),
            ])
        + table(
            .predicates,
            [
                ("=<", "int =< 1"), ("=>", "int => 1"), ("TRUEPREDICATE", "TRUEPREDICATE"),
                ("FALSEPREDICATE", "FALSEPREDICATE"), ("nil", "optInt == nil"), ("NULL", "optInt == NULL"),
                ("YES", "bool == YES"), ("position", "ints[0] == 1"), ("FIRST", "ints[FIRST] == 1"),
                ("LAST", "ints[LAST] == 1"), ("SIZE", "ints[SIZE] == 1"), ("single quotes", "name == 'a'"),
                ("double quotes", "name == \"a\""), ("escape", "name == 'x\\'y'"), ("#name", "#in == 1"),
                ("hexadecimal", "int == 0x2"), ("constant before", "1 < int"), ("two properties", "int < in"),
            ])
        + table(
            .canonical,
            [
                ("backticks", "`in` == 1"), ("name of an operator", "in == 1"), ("true", "bool == true"),
                ("B64", "data == B64\"YQ==\""), ("B64 as text", "name == B64\"YQ==\""),
                ("binary", "data == binary('a')"),
                ("object", "link == obj('Item', 3)"), ("infinity", "double < inf"), ("not a number", "double == nan"),
                ("all digits", "decimal == 0.125000000000000001"), ("exponent", "double == 1.25e-1"),
                ("decimal", "decimal == decimal(0.125)"), ("size of a text", "name.@size > 2"),
                ("lengths", "names.length > 2"), ("element and property", "items[0].int == 1"),
                ("operator in each object", "ANY items.ints.@max > 1"), ("nil in order", "optInt >= nil"),
            ])

    private static func table(_ page: Production.Page, _ rows: [(String, String)]) -> [Production] {
        rows.map { Production(name: $0.0, page: page, example: $0.1) }
    }

    package static let names = Set(productions.map(\.name))
}
