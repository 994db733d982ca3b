// SPDX-License-Identifier: BSD-2-Clause
/* html_style.c: how report.html looks. Colours of curves are those of Okabe and Ito ("Color Universal Design", 2008),
 * which people with any kind of colour vision can tell apart, and each curve has a dash pattern and a label besides. */
#include "report/html.h"

static const char colours[] =
    "<style>\n"
    ":root{--paper:#fff;--ink:#16191d;--soft:#59626b;--line:#d9dee4;--panel:#f5f7f9;--link:#0b5a8f;--bad:#a33c00;"
    "--good:#00664a;--box:#0072b2;"
    "--s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#b5568f;--s4:#b87f00;--s5:#3d8fc4}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e7eaed;--soft:#a3adb7;--line:#343b43;"
    "--panel:#1c2026;--link:#7cc4f0;--bad:#ff9d5c;--good:#4fd0a4;--box:#56b4e9;"
    "--s0:#56b4e9;--s1:#ff8a3d;--s2:#2fc49a;--s3:#e08fc0;--s4:#e69f00;--s5:#f0e442}}\n";

static const char page[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0 auto;padding:2rem 1.25rem 3rem;max-width:75rem;background:var(--paper);color:var(--ink);"
    "font:1rem/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif;"
    "font-variant-numeric:tabular-nums}\n"
    "h1{font-size:2rem;line-height:1.2;margin:0;letter-spacing:-.01em}\n"
    "h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 1rem;padding-top:1rem;border-top:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:0}\n"
    "p{margin:.5rem 0}a{color:var(--link)}\n"
    "code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace}\n"
    "small,.soft{font-size:.8rem;color:var(--soft)}\n"
    ".over{font-size:.8rem;color:var(--soft);margin:0 0 .25rem;letter-spacing:.02em}\n"
    ".under{color:var(--soft);margin:.25rem 0 1rem}\n"
    ".tiles{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0;padding:0;list-style:none}\n"
    ".tiles li{background:var(--panel);border-radius:6px;padding:.4rem .8rem;font-size:.9rem}\n"
    ".tiles b{font-size:1.15rem}\n"
    ".tiles .bad{color:var(--bad);outline:1px solid}\n"
    ".note,.warning{border-left:3px solid var(--line);padding:.2rem .8rem;font-size:.9rem;max-width:60rem}\n"
    ".warning{border-color:var(--bad)}\n"
    "footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.8rem;color:var(--soft);"
    "max-width:60rem}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(16rem,1fr));gap:.8rem 2rem;margin:0}\n"
    ".facts dt{font-size:.8rem;color:var(--soft)}.facts dd{margin:0;overflow-wrap:anywhere}\n";

static const char tables[] =
    "table{border-collapse:collapse;width:100%;font-size:.9rem}\n"
    "caption{text-align:left;font-size:.8rem;color:var(--soft);padding-bottom:.3rem}\n"
    "th,td{text-align:left;vertical-align:baseline;padding:.32rem .6rem;border-bottom:1px solid var(--line)}\n"
    "th:first-child{padding-left:0}\n"
    "thead th{font-size:.8rem;font-weight:600;color:var(--soft);border-bottom:1px solid var(--soft)}\n"
    "tbody th{font-weight:400;white-space:nowrap}\n"
    ".group th{font-weight:600;padding-top:1.4rem;border-bottom:1px solid var(--soft)}\n"
    ".number{text-align:right;padding-right:0;white-space:nowrap;width:5.5rem;font-weight:600}\n"
    ".unit{padding-left:.3rem;white-space:nowrap;width:5rem}\n"
    ".sure{white-space:nowrap;width:9rem}\n"
    ".bar{display:inline-block;width:3rem;height:.4rem;margin-right:.3rem;background:var(--line);border-radius:2px;"
    "vertical-align:middle;overflow:hidden}\n"
    ".bar i{display:block;height:100%;background:var(--soft)}\n"
    ".declared small{display:block}\n"
    ".agrees{color:var(--good)}.differs{color:var(--bad)}\n"
    ".how{font-size:.8rem;color:var(--soft);min-width:14rem}.how small{white-space:nowrap}\n"
    ".none{color:var(--soft);font-style:italic}\n"
    ".flag{font-size:.75rem;color:var(--bad);border:1px solid;border-radius:3px;padding:0 .25rem}\n"
    "tr:target{background:var(--panel);outline:2px solid var(--link)}\n"
    ".levels td{white-space:nowrap}.levels a{color:inherit;text-decoration-color:var(--line)}\n";

static const char figures[] =
    "figure{margin:0}\n"
    "figcaption{font-size:.8rem;color:var(--soft);margin-top:.4rem}figcaption h3{color:var(--ink)}\n"
    "svg{display:block;overflow:visible;font-family:inherit}\n"
    "text{fill:var(--ink);font-size:.75rem}\n"
    ".hierarchy{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:2rem 3rem;"
    "align-items:start}\n"
    ".levels+figure{margin-top:2rem}\n"
    ".picture{width:100%;font-size:1rem}.picture text{text-anchor:middle}\n"
    ".picture .name{font-size:.95em;font-weight:600}.picture .part{font-size:.8em}\n"
    ".box{fill:var(--box);fill-opacity:.3;stroke:var(--box);stroke-width:1.5}\n"
    ".d0{fill-opacity:.42}.d1{fill-opacity:.32}.d2{fill-opacity:.24}.d3{fill-opacity:.17}.d4{fill-opacity:.11}"
    ".d5{fill-opacity:.06}\n"
    ".unknown{stroke-dasharray:5 4}\n"
    ".way{stroke:var(--soft);stroke-width:1.5}\n";

static const char plots[] =
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,31rem),1fr));gap:2.5rem 2rem}\n"
    ".plots>.wide{grid-column:1/-1}\n"
    ".frame{padding:1.7rem var(--right,1rem) 2.9rem 3.4rem}\n"
    ".plot{width:100%;height:17rem}.wide .plot{height:21rem}\n"
    ".plot path,.plot line{fill:none;vector-effect:non-scaling-stroke}\n"
    ".plot .grid{stroke:var(--line);stroke-width:1}\n"
    ".plot .edge{stroke:var(--soft);stroke-width:1}\n"
    ".plot text{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}\n"
    ".plot .tick{fill:var(--soft)}.plot .axis{font-weight:600;fill:var(--soft)}\n"
    ".plot .own{font-weight:600}\n"
    ".plot .end{text-anchor:end}.plot .middle{text-anchor:middle}\n"
    ".plot .band{stroke:none;fill-opacity:.22}\n"
    ".plot .curve{stroke-width:2;stroke-linejoin:round}\n"
    ".plot .dots{stroke-width:4.5;stroke-linecap:round}\n"
    ".plot .lone{stroke-width:8}\n"
    ".plot .level{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:2 3}\n"
    ".plot .s0{stroke:var(--s0)}.plot .s1{stroke:var(--s1)}.plot .s2{stroke:var(--s2)}"
    ".plot .s3{stroke:var(--s3)}.plot .s4{stroke:var(--s4)}.plot .s5{stroke:var(--s5)}\n"
    ".plot .b0{fill:var(--s0)}.plot .b1{fill:var(--s1)}.plot .b2{fill:var(--s2)}"
    ".plot .b3{fill:var(--s3)}.plot .b4{fill:var(--s4)}.plot .b5{fill:var(--s5)}\n"
    ".curve.s1{stroke-dasharray:7 3}.curve.s2{stroke-dasharray:2 3}.curve.s3{stroke-dasharray:9 3 2 3}"
    ".curve.s4{stroke-dasharray:4 4}.curve.s5{stroke-dasharray:12 3}\n"
    "details{font-size:.8rem;margin-top:.3rem}summary{color:var(--link);cursor:pointer}\n"
    "details table{width:auto;margin:.5rem 0;font-size:.8rem}details td,details thead th{text-align:right}\n"
    "details th:first-child,details td:first-child{padding-left:0}\n";

static const char small_screens_and_paper[] =
    "@media screen and (max-width:50rem){\n"
    "body{padding:1.25rem 1rem 2rem}h1{font-size:1.5rem}\n"
    ".findings thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}\n"
    ".findings,.findings tbody{display:block}\n"
    ".findings tr{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .8rem;padding:.5rem 0;"
    "border-bottom:1px solid var(--line)}\n"
    ".findings th,.findings td{display:block;border:0;padding:0;width:auto;min-width:0}\n"
    ".findings tr>th{flex:1 0 100%}.findings .group th{padding-top:1rem}\n"
    ".findings .number{margin-right:-.5rem}.findings .how{flex:1 0 100%}.findings .how small{white-space:normal}\n"
    ".findings .declared:empty{display:none}.findings .declared small{display:inline}\n"
    ".levels,.differences table{font-size:.8rem}.levels td,.unit{white-space:normal}\n"
    ".levels th,.levels td,.differences th,.differences td{padding-left:.2rem;padding-right:.2rem}\n"
    ".differences tbody th{white-space:normal;overflow-wrap:anywhere}.number,.unit,.sure{width:auto}\n"
    ".sure .bar,.extra{display:none}\n"
    "}\n"
    "@media screen and (max-width:27rem){.levels{font-size:.7rem}.levels td,.levels th{overflow-wrap:anywhere}}\n"
    "@media print{\n"
    "body{padding:0;max-width:none;font-size:9.5pt}h1{font-size:1.5rem}.picture{font-size:.8rem}\n"
    "h2{break-after:avoid;margin-top:1.5rem}figure,tr,.tiles,.facts div{break-inside:avoid}\n"
    "thead{display:table-header-group}details{display:none}a{color:inherit;text-decoration:none}\n"
    ".box,.band,.bar,.bar i,.tiles li{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
    ".hierarchy{grid-template-columns:1fr 1fr;gap:1.5rem}.plots{grid-template-columns:1fr 1fr;gap:1rem}\n"
    ".plot{height:12rem}.wide .plot{height:16rem}table{font-size:8.5pt}.how,small{font-size:7.5pt}\n"
    "@page{margin:16mm 14mm}\n"
    "}\n"
    "</style>\n";

void html_style(struct writer *writer)
{
    write_string(writer, colours);
    write_string(writer, page);
    write_string(writer, tables);
    write_string(writer, figures);
    write_string(writer, plots);
    write_string(writer, small_screens_and_paper);
}
