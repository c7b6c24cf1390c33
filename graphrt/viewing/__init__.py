"""Pictures of functions: source, converted code, graph and program side by side, each tied to the others.

| module | what it has |
|---|---|
| `page` | `view`, and the page: one HTML file with all that it shows |
| `profiling` | `profile`: where the time of one call goes, as a table and as a trace |
| `recording` | one run of a program whose lines are timed, and whose values are looked at |
| `story` | what there is to show of a function, as data |
| `summaries` | a value in a few words and numbers |
"""
