# Finds public members that no example beside them uses: `awk -f deploy/shown.awk EXCLUSIONS MEMBERS EXAMPLES...`. A line of
# MEMBERS is the path of one and the file that declares it; EXAMPLES are what comments.awk made. A member is used when its
# name is in an example of its own file. EXCLUSIONS are names, as `next` or `init(from:)`, with remarks behind `#`.

FNR == 1 { input++ }
input == 1 {
    sub(/ *#.*/, "")
    for (i = 1; i <= NF; i++) excluded[$i] = 1
    next
}
input == 2 { members[++count] = $1; files[count] = $2; known[$1] = 1; next }
/^#sourceLocation\(file/ { file = $0; sub(/.*Sources\/Device\//, "", file); sub(/".*/, "", file); next }
/^func example_/ { next }
{
    sub(/(^| +)\/\/.*/, "")
    text[file] = text[file] "\n" $0
    gsub(/[^A-Za-z0-9_]+/, " ")
    words = split($0, found, " ")
    for (i = 1; i <= words; i++) used[file, found[i]] = 1
}
END {
    for (i = 1; i <= count; i++) {
        parts = split(members[i], path, ".")
        operator = match(members[i], /[^A-Za-z0-9_.(:]+[(]/)
        name = operator ? substr(members[i], RSTART) : path[parts]
        whole = name
        sub(/[(].*/, "", name)
        # `AppError.invalidSession` is `AppError.Code.invalidSession` by another name, and codes are a table.
        if (members[i] ~ /Code\./ || (path[1] "." (parts > 2 ? path[2] "." : "") "Code." name) in known) continue
        if (name in excluded || whole in excluded) continue
        # A constructor is called by the name of its type.
        if (name == "init") name = path[parts - 1]
        if (operator ? index(text[files[i]], name) : (files[i], name) in used) continue
        print files[i] ": " members[i]
    }
}
