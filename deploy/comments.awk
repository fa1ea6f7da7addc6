# Takes the examples out of the comments of Swift files: `awk -f deploy/comments.awk -v made=FOLDER FILE...` writes a file of
# functions for each file that has some, one function an example, in which the compiler's errors point into the comment.
# Prints the public types whose own comments show nothing, as `file:line: name`.

FNR == 1 {
    finish()
    output = FILENAME
    sub(/^Sources\/Device\/[A-Za-z]*\//, "", output)
    gsub(/[^A-Za-z]+/, "_", output)
    sub(/_swift$/, "", output)
    shown = 0
}

/^ *\/\/\/ ?```swift$/ { inside = 1; size = 0; first = FNR + 1; shown = 1; next }
inside && /^ *\/\/\/ ?```$/ { inside = 0; write(); next }
inside { sub(/^ *\/\/\/ ?/, ""); lines[++size] = $0; next }
/^ *\/\/\// { next }
# Attributes stand between a comment and what it describes.
/^ *@[A-Za-z_]+(\([^)]*\))?$/ { next }
/^ *(@[A-Za-z_]+(\([^)]*\))? )*((public|open|final|indirect|nonisolated) )+(class|struct|enum|protocol|actor) [A-Z]/ && /(^| )(public|open) / && !shown {
    name = $0
    sub(/.* (class|struct|enum|protocol|actor) /, "", name)
    sub(/[^A-Za-z0-9].*/, "", name)
    print FILENAME ":" FNR ": " name
}
{ shown = 0 }
END { finish() }

function finish() { if (opened != "") close(opened); opened = "" }

function here(line) { return "#sourceLocation(file: \"" FILENAME "\", line: " line ")\n" }

# Statements become a function. What cannot stand inside of one, an extension or a type that a macro extends, stands beside it.
function write(    line, body, beside, outside) {
    for (line = 1; line <= size; line++) {
        if (lines[line] ~ /^(extension |import |@Observable |@MainActor @Observable )/) {
            outside = 1
            beside = beside here(first + line - 1)
        }
        if (outside) beside = beside lines[line] "\n"
        body = body (outside ? "" : lines[line]) "\n"
        if (outside && (lines[line] ~ /^(}|import )/ || lines[line] ~ /^[^ ].*}$/)) {
            outside = 0
            beside = beside "#sourceLocation()\n"
        }
    }
    if (opened == "") {
        opened = made "/" output ".swift"
        printf "import Observation\nimport RealmSwift\n" >opened
    }
    printf "%s\nfunc example_%s_%d() async throws {\n%s%s#sourceLocation()\n}\n", \
        beside, output, first, here(first), body >opened
}
