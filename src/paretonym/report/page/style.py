"""How a report looks: on a screen, on a phone and on paper."""

STYLE = """\
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #222; }
body { font: 16px/1.5 system-ui, "DejaVu Sans", Verdana, sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .3rem 0 .6rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid #b8b8b8; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
p { margin: .5rem 0; }
ul { padding-left: 1.3rem; }
.banner { border: 2px solid #a33b00; color: #a33b00; font-weight: bold; padding: .4rem .7rem; }
.warning { border: 2px solid #a33b00; background: #fdf3ee; padding: .4rem .7rem; }
.answer { border-left: 4px solid #0072b2; padding: .2rem .8rem; font-size: 1.05rem; }
.quiet { color: #555; font-size: .9rem; }
.wide { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ddd; }
table.narrow { width: auto; } .narrow th, .narrow td { padding-right: 1.5rem; }
th { border-bottom: 1px solid #222; }
td { overflow-wrap: anywhere; } td p { margin: 0 0 .25rem; }
.n { text-align: right; white-space: nowrap; overflow-wrap: normal; }
tr.chosen td { background: #eef6fb; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .6rem 0; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } figure svg { width: 100%; height: auto; }
figcaption { color: #555; font-size: .9rem; }
.sign td:first-child { width: 30%; } .sign td:nth-child(3) { width: 30%; }
.sign td { border-bottom: 1px solid #222; height: 2.6rem; vertical-align: bottom; color: #555; }
code { font-size: .9em; overflow-wrap: anywhere; }
@media (max-width: 30rem) {
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
  table.many { min-width: 40rem; }
  figure { overflow-x: auto; } figure svg { min-width: 34rem; }
}
@media print {
  body { font-size: 10pt; } main { max-width: none; padding: 0; }
  .wide, figure { overflow: visible; }
  h2, h3 { break-after: avoid; } figure, tr, .answer, .sign { break-inside: avoid; }
  @page { margin: 18mm 16mm; }
}
"""
