# Timeless in a container: Debian 12 with Open MPI and SimGrid.
#
#     docker build -t timeless .
#     docker run --rm -v "$PWD:/work" timeless replay hpl.tl --platform star-1g --ranks-per-host 1
#
# A program under the tracer needs its MPI in the same container: take this image as the base of the program's.
# Untested: no test of this project builds this file.
FROM debian:12 AS build
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    autoconf automake libtool make gcc g++ gfortran libc6-dev pkg-config libzstd-dev libxxhash-dev libjansson-dev \
    libconfig-dev libgsl-dev libzip-dev libcmocka-dev libpapi-dev libpmix-dev libopenmpi-dev openmpi-bin libsimgrid-dev \
    libopen-trace-format2-dev libjs-chart.js
COPY . /timeless
WORKDIR /timeless/image-build
RUN (cd .. && autoreconf -fi) && ../configure --prefix=/usr/local && make -j"$(nproc)" && make install DESTDIR=/image

FROM debian:12
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    openmpi-bin libconfig9 libgsl27 libjansson4 libopen-trace-format2-10 libsimgrid3.32 libzip4 libzstd1 libgfortran5 \
    libpapi7.0 libopenblas0-pthread libjs-chart.js && rm -rf /var/lib/apt/lists/*
COPY --from=build /image/ /
RUN ldconfig
WORKDIR /work
ENTRYPOINT ["timeless"]
