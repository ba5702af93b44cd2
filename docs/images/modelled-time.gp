# Modelled against measured speedups: gnuplot -e "points='FILE.tsv'" docs/images/modelled-time.gp
# FILE.tsv is what `cugrade_calibrate judge --points` writes.
set terminal svg size 640,600 font 'sans-serif,13' background '#ffffff'
set output 'docs/images/modelled-time.svg'
set datafile separator "\t"
set logscale xy
set xrange [1e-3:3e3]
set yrange [1e-3:3e3]
set format xy '%g'
set xlabel 'speedup measured on an H200'
set ylabel 'speedup modelled from counts'
set key top left
set grid
half(name, x) = (strcol(2) eq name) ? x : NaN
plot x with lines lc rgb '#888888' title 'equal', \
     points using (half('fitted', $3)):4 with points pt 6 ps 0.6 lc rgb '#1b6ca8' title 'fitted to', \
     points using (half('unseen', $3)):4 with points pt 7 ps 0.6 lc rgb '#c8553d' title 'not seen by the fit'
