# mpi_env.sh - sourced: what Open MPI needs for more ranks than cores, in a container, as root.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
       OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader \
       OMPI_MCA_btl_base_warn_component_unused=0 OPENBLAS_NUM_THREADS=1
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
