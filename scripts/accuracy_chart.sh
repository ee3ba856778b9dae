#!/usr/bin/env bash
# Draws measured/accuracy.yaml as SVG: for each group of at least five measured runs its median and largest error. Usage: accuracy_chart.sh < measured/accuracy.yaml
set -euo pipefail

# One line for each group, sorted by median: median, largest error, runs, label.
groups=$(sed -nE 's/^  - \{stack: ([^,]+), system: ([^,]+), kind: "([^"]*)", rows: ([0-9]+), median: ([0-9.]+), worst: ([0-9.]+)\}$/\5|\6|\4|\1, \2, \3/p' |
  awk -F'|' '$3 >= 5' | LC_ALL=C sort -t'|' -k1,1n -k2,2n -k4,4)

LC_ALL=C awk -F'|' '
BEGIN {
  left = 400; wide = 480; high = 18; top = 46; most = 60
}
function x(share) { share = 100 * share; if (share > most) share = most; return left + wide * share / most }
{ median[NR] = $1; worst[NR] = $2; runs[NR] = $3; label[NR] = $4 }
END {
  bottom = top + NR * high
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n", left + wide + 70, bottom + 30
  printf "<title>Errors of computed times against measured ones</title>\n"
  printf "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
  printf "<text x=\"%d\" y=\"16\" text-anchor=\"end\">stack, machine, kind of run (runs)</text>\n", left - 8
  printf "<text x=\"%d\" y=\"16\">error of the computed time: median (dot), largest (line); lines with an arrow go on</text>\n", left
  for (percent = 0; percent <= most; percent += 10) {
    at = x(percent / 100)
    printf "<path d=\"M%.1f %d V%d\" stroke=\"%s\"/>\n", at, top - 8, bottom, percent == 10 ? "#999" : "#e2e2e2"
    printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d %%</text>\n", at, top - 14, percent
  }
  for (i = 1; i <= NR; ++i) {
    y = top + (i - 0.5) * high
    color = median[i] <= 0.1 ? "#1f6fb4" : "#c2541b"
    printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s (%d)</text>\n", left - 8, y + 4, label[i], runs[i]
    printf "<path d=\"M%.1f %.1f H%.1f\" stroke=\"%s\" stroke-width=\"2\" opacity=\"0.45\"/>\n", x(median[i]), y, x(worst[i]), color
    if (100 * worst[i] > most) printf "<path d=\"M%.1f %.1f l-6 -4 v8 z\" fill=\"%s\" opacity=\"0.6\"/>\n", x(1) + 4, y, color
    printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x(median[i]), y, color
    printf "<text x=\"%d\" y=\"%.1f\">%.1f %%</text>\n", left + wide + 14, y + 4, 100 * median[i]
  }
  printf "<text x=\"%d\" y=\"%d\">no constant was fitted to these runs; %d groups of at least five runs</text>\n", left, bottom + 20, NR
  printf "</svg>\n"
}' <<< "$groups"
