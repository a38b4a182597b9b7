# SPDX-License-Identifier: GPL-3.0-or-later
# Spack: put this file into packages/timeless/ of a repository of your own (spack repo create), and name your checkout:
#
#     spack dev-build --source-path CHECKOUT timeless@main
#
# Untested: no test of this project runs Spack.
from spack.package import *


class Timeless(AutotoolsPackage):
    """Captures an MPI run once as a time-independent trace, and predicts its time on another machine."""

    license("GPL-3.0-or-later AND BSD-3-Clause")

    version("main")

    variant("otf2", default=True, description="Write timelines in OTF2")

    for tool in ("autoconf", "automake", "libtool", "pkgconfig"):
        depends_on(tool, type="build")
    depends_on("cmocka", type="build")
    for library in ("elfutils", "expat", "gsl", "jansson", "libconfig", "papi", "pmix", "xxhash", "zstd"):
        depends_on(library)
    depends_on("openmpi@4.1:5.0")
    depends_on("simgrid@3.32:4.0+smpi")
    depends_on("otf2@3:", when="+otf2")

    def configure_args(self):
        # Spack links one MPI into a package.
        return ["--without-mpich"]
