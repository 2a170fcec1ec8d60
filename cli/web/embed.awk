# embed.awk - puts the style sheet and the modules into the page (docs/WEB.md).
#
#   awk -v css=FILE -v modules="FILE FILE..." -f embed.awk page.html
#
# All modules share one scope there: lines `import ... from ...;` go, `export ` in front of a declaration goes. So an
# import is one line without renaming, and names are unique over all modules.

function put(file, script,    line) {
    while ((getline line < file) > 0) {
        if (script) {
            if (line ~ /^import .* from ".*";$/) {
                continue
            }
            sub(/^export /, "", line)
        }
        print line
    }
    close(file)
}

/^@STYLE@$/ { put(css, 0); next }
/^@SCRIPT@$/ {
    n = split(modules, list, " ")
    for (i = 1; i <= n; i++) {
        put(list[i], 1)
    }
    next
}
{ print }
