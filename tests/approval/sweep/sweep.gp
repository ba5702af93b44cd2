# gnuplot sweep.gp, in this folder, draws sweep.csv.
set terminal svg size 900,600 font 'sans-serif,13' background '#ffffff'
set output 'sweep.svg'
set datafile separator ','
set logscale x 2
set logscale y 10
set format x '2^{%L}'
set format y '10^{%L}'
set grid lt 1 lw 0.5 lc rgb '#cccccc'
set key outside right top noenhanced
set title 'reduction/sum, NVIDIA H200' noenhanced
set xlabel 'elements of in' noenhanced
set ylabel 'microseconds'
rows(who) = strcol(1) eq who ? $2 : NaN
times(who) = strcol(1) eq who && strcol(3) eq 'accepted' ? $2 : NaN
plot 'sweep.csv' using (rows('CPU oracle')):10 with lines lw 3 lc rgb '#bbbbbb' title 'roof: 4470 GB/s', \
     '' using (times('CPU oracle')):5:6:7 with yerrorlines lw 1.5 pt 7 lc rgb '#0072b2' ps 0.6 title 'CPU oracle', \
     '' using (times('baseline')):5:6:7 with yerrorlines lw 1.5 pt 5 lc rgb '#d55e00' ps 0.6 title 'baseline', \
     '' using (times('a name that is longer than its column')):5:6:7 with yerrorlines lw 1.5 pt 9 lc rgb '#009e73' ps 0.6 title 'a name that is longer than its column: no times'
