#!/usr/bin/env bash
# skipped_tests.sh LOG: prints each skipped test of CTest's log LOG (build/Testing/Temporary/LastTest.log) with what it says: the reason and the cure.
set -euo pipefail
awk '/^[0-9]+\/[0-9]+ Testing: / {name = $3; count = 0}
     /^Skip regular expression found/ {
       if (count == 0) print "skipped " name ": no reason is given"
       for (i = 0; i < count; ++i) print "skipped " name ": " reasons[i]
       next
     }
     match($0, /skipped: /) {
       reason = substr($0, RSTART + RLENGTH)
       for (i = 0; i < count; ++i) if (reasons[i] == reason) next
       reasons[count++] = reason
     }' "$1"
