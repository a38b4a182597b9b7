# mpi_env.sh - sourced: what Open MPI needs for more ranks than cores, in a container, as root.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
       OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader \
       OMPI_MCA_btl_base_warn_component_unused=0 OPENBLAS_NUM_THREADS=1
# The same for PRRTE, the launcher of Open MPI 5.
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
