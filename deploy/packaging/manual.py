#!/usr/bin/env python3
"""Writes a manual page from what a program says of itself: PROGRAM --experimental-dump-help | manual.py VERSION DATE.

So every command and option of the program is on its page, and no other.
"""

import json
import sys


def escaped(text):
    """Text that roff prints as it is."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def spelled(argument):
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value)}\\fR"
    names = []
    for name in argument.get("names", []):
        dashes = "\\-" if name["kind"] == "short" else "\\-\\-"
        names.append(f"\\fB{dashes}{escaped(name['name'])}\\fR")
    text = ", ".join(names)
    return text if argument["kind"] == "flag" else f"{text} \\fI{escaped(value)}\\fR"


def arguments(command):
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True):
            continue
        print(".TP")
        print(spelled(argument))
        said = argument.get("abstract", "")
        if argument.get("defaultValue"):
            said = f"{said} Default: {argument['defaultValue']}.".strip()
        print(escaped(said) or "\\&")


def commands(command, above):
    for sub in command.get("subcommands", []):
        if sub["commandName"] == "help" or not sub.get("shouldDisplay", True):
            continue
        path = f"{above} {sub['commandName']}".strip()
        print(f".SS {escaped(path)}")
        print(escaped(sub.get("abstract", "")))
        if sub.get("discussion"):
            print(".PP")
            print(escaped(sub["discussion"]))
        arguments(sub)
        commands(sub, path)


def main():
    version, date = sys.argv[1:3]
    root = json.load(sys.stdin)["command"]
    name = root["commandName"]
    print(f'.TH {name.upper()} 1 "{date}" "Causeway {version}" "Causeway"')
    print(f".SH NAME\n{escaped(name)} \\- {escaped(root.get('abstract', '')).rstrip('.')}")
    print(f".SH SYNOPSIS\n.B {escaped(name)}\n.I command\n.RI [ options ]")
    if root.get("discussion"):
        print(f".SH DESCRIPTION\n{escaped(root['discussion'])}")
    print(".SH COMMANDS")
    commands(root, "")
    if name == "sync-server":
        print(".SH FILES\n.TP\n/etc/causeway/sync\\-server.yaml\nThe configuration of the packaged server.")
        print(".TP\n/usr/share/doc/causeway/sync\\-server.example.yaml\nEvery setting, explained.")
        print(".TP\n/var/lib/causeway\nKeys, databases, backups and the audit log of the packaged server.")
        print(".SH SIGNALS\n.TP\nSIGTERM, SIGINT\nEnds the server in the order that loses nothing.")
        print(".TP\nSIGHUP\nReads the configuration anew; sessions go on.")
        print(".SH SEE ALSO\n.BR causeway (1)")
    else:
        print(".SH ENVIRONMENT\n.TP\nCAUSEWAY_KEY\nThe key of an encrypted file, in hexadecimal digits.")
        print(".SH SEE ALSO\n.BR sync\\-server (1)")


main()
