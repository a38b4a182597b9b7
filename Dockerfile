# Timeless in a container: Debian 12 with Open MPI and SimGrid.
#
#     docker build -t timeless .
#     docker run --rm -v "$PWD:/work" timeless replay hpl.tl --platform star-1g --ranks-per-host 1
#
# A program under the tracer needs its MPI in the same container: take this image as the base of the program's.
# Untested: no test of this project builds this file. The Debian packages that it builds and installs are tested
# (tests/packages.sh).
FROM debian:12 AS build
ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get update && apt-get install -y --no-install-recommends build-essential
COPY . /build/timeless
WORKDIR /build/timeless
RUN apt-get build-dep -y --no-install-recommends ./ && \
    DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc -b

FROM debian:12
COPY --from=build /build/timeless_*.deb /build/libtimeless0_*.deb /packages/
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y /packages/*.deb && \
    rm -rf /packages /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["timeless"]
