"""Pictures of functions: source, converted code, graph and program side by side, each tied to the others.

| module | what it has |
|---|---|
| `findings` | what the page says first: the NaN, what is slow, unrolled, traced again, removed |
| `history` | the traces of a function, what each cost, and why it was made |
| `page` | `view`, and the page: one HTML file with all that it shows |
| `places` | lines and expressions of the user's files |
| `profiling` | `profile`: where the time of one call goes, as a table and as a trace |
| `recording` | one run of a program whose lines are timed, and whose values are looked at |
| `statements` | what became of loops and branches |
| `story` | what there is to show of a function, as data |
"""
