# The pictures of README.md are those that its commands draw.
. "$top_srcdir/tests/tap.sh"
version=$(gnuplot --version) || exit 99
drawn_with=${DRAWN_WITH:-$(sed -n 's/.*Produced by GNUPLOT \(.*[0-9]\) *<.*/\1/p' "$top_srcdir/doc/pictures/timeline.svg")}
check 'the pictures are drawn' env timeless="$timeless" bash "$top_srcdir/doc/pictures/make.sh" "$scratch"
for picture in timeline sweep alltoall; do
    check "README.md shows $picture.svg" grep -q "^!\[..*\](doc/pictures/$picture.svg)$" "$top_srcdir/README.md"
    check "$picture.svg is drawn" grep -q '<svg' "$scratch/$picture.svg"
    if [ "$version" = "gnuplot $drawn_with" ] && [ "$(simgrid_version)" = 332 ]; then
        check "$picture.svg is the picture that its command draws" cmp "$scratch/$picture.svg" "$top_srcdir/doc/pictures/$picture.svg"
    else
        skip "$picture.svg is the picture that its command draws" "it was drawn with gnuplot $drawn_with and SimGrid 3.32, here is $version"
    fi
done
tap_done
