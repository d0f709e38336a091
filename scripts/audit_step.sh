#!/bin/sh
# The audit of one table for a workflow (action.yml) or a hook: AUDIT_TABLE, AUDIT_SCHEMA and AUDIT_REQUIRE say what
# is checked. Ends as `paretonym audit` does: 0 if every check holds, 1 if one fails.
set -euf
set -- "$AUDIT_TABLE"
[ -z "${AUDIT_SCHEMA:-}" ] || set -- "$@" --schema "$AUDIT_SCHEMA"
for requirement in ${AUDIT_REQUIRE:-}; do
    set -- "$@" --require "$requirement"
done
exec ${PARETONYM:-paretonym} audit "$@"
