# gnuplot roofline.gp, in this folder, draws roofline.csv.
set terminal svg size 900,600 font 'sans-serif,13' background '#ffffff'
set output 'roofline.svg'
set datafile separator ','
set logscale xy
set xrange [0.0625:64]
set samples 400
set format y '10^{%L}'
set grid lt 1 lw 0.5 lc rgb '#cccccc'
set yrange [*:6.4e+05]
set key left top noenhanced
set title 'it''s.cu of reduction, NVIDIA H200' noenhanced
set xlabel 'operations per byte'
set ylabel 'Gop/s'
bandwidth = 4000
peak = 32000
doubles = 16000
point(who) = strcol(1) eq who ? $6 : NaN
plot x * bandwidth < peak ? x * bandwidth : peak with lines lw 3 lc rgb '#bbbbbb' \
         title sprintf('roof: %.0f GB/s, %.0f Gop/s', bandwidth, peak), \
     x * bandwidth < doubles ? NaN : doubles with lines lw 2 dt 2 lc rgb '#bbbbbb' \
         title sprintf('of doubles: %.0f Gop/s', doubles), \
     'roofline.csv' using (point('sum')):7 with points lw 1.5 pt 7 lc rgb '#0072b2' ps 1 title 'sum', \
     '' using (point('sum')):7:1 with labels left offset 0.7,0.5 noenhanced notitle, \
     'roofline.csv' using (point('cubes')):7 with points lw 1.5 pt 5 lc rgb '#d55e00' ps 1 title 'cubes', \
     '' using (point('cubes')):7:1 with labels left offset 0.7,0.5 noenhanced notitle
