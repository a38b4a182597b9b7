# The pictures of README.md, doc/, doc/tutorials and doc/studies are those that their commands draw. That of the
# noise, which takes 20 s, is not drawn.
. "$top_srcdir/tests/tap.sh"
version=$(gnuplot --version) || exit 99
drawn_with=${DRAWN_WITH:-$(sed -n 's/.*Produced by GNUPLOT \(.*[0-9]\) *<.*/\1/p' "$top_srcdir/doc/pictures/timeline.svg")}
check 'the pictures are drawn' env timeless="$timeless" bash "$top_srcdir/doc/pictures/make.sh" "$scratch" timeline sweep \
    alltoall latency ranks
check 'the picture of errors is drawn from the tables' bash "$top_srcdir/tests/accuracy/picture.sh" "$scratch/errors.svg"
for picture in timeline sweep alltoall latency ranks errors; do
    page=doc/TOUR.md folder=
    case $picture in
    timeline) page=README.md folder=doc/ ;;
    errors) page=doc/LIMITS.md ;;
    latency) page=doc/tutorials/performance.md folder=../ ;;
    ranks) page=doc/tutorials/noise.md folder=../ ;;
    esac
    check "$page shows $picture.svg" grep -q "^!\[..*\](${folder}pictures/$picture.svg)$" "$top_srcdir/$page"
    check "$picture.svg is drawn" grep -q '<svg' "$scratch/$picture.svg"
    if [ "$version" = "gnuplot $drawn_with" ] && [ "$(simgrid_version)" = 332 ]; then
        check "$picture.svg is the picture that its command draws" cmp "$scratch/$picture.svg" "$top_srcdir/doc/pictures/$picture.svg"
    else
        skip "$picture.svg is the picture that its command draws" "it was drawn with gnuplot $drawn_with and SimGrid 3.32, here is $version"
    fi
done
tap_done
