# Joins the table of behaviours (first file) with the output of a test run (second): a verdict a row.
# Ends with 1 if a behaviour failed or has no test and no reason; reasons stand in the table as "cannot be on Linux: ...".

FNR == 1 { file++ }

# The last table says where the documents and Realm Swift differ: no rows of behaviours.
file == 1 && /^## Where/ { ended = 1 }

file == 1 && !ended && /^\| S[0-9][0-9][0-9] \|/ {
    split($0, cells, / \| /)
    number = substr(cells[1], 3)
    order[++count] = number
    title[number] = cells[2]
    if (match($0, /cannot be on Linux: [^|]*/)) reason[number] = substr($0, RSTART, RLENGTH)
}

# One behaviour may have several tests, and a test several cases and numbers: any that failed decides.
file == 2 && match($0, /Test "S[0-9][0-9][0-9] /) {
    outcome = $0 ~ /" (with [0-9]+ test cases? )?passed/ ? 1 : $0 ~ /" (with [0-9]+ test cases? )?failed/ ? 2 : 0
    rest = substr($0, RSTART + 6)
    while (outcome && rest ~ /^S[0-9][0-9][0-9] /) {
        number = substr(rest, 1, 4)
        if (outcome == 1) passed[number]++
        else failed[number]++
        rest = substr(rest, 6)
    }
}

END {
    for (i = 1; i <= count; i++) {
        number = order[i]
        if (failed[number]) { verdict = "FAILED"; bad++ }
        else if (passed[number]) { verdict = "passed"; good++ }
        else if (number in reason) { verdict = reason[number]; excused++ }
        else { verdict = "NO TEST"; missing++ }
        printf "%s  %-8s  %s\n", number, verdict, title[number]
    }
    printf "behaviours: %d of %d passed, %d failed, %d without a test, %d cannot be on Linux\n",
        good, count, bad, missing, excused
    exit (bad + missing > 0)
}
