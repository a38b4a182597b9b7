# PETSc: conjugate gradients with an algebraic multigrid preconditioner (GAMG) on a plane grid.
packages='libpetsc-real-dev'
prepare() {
    cat >ksp.c <<'C'
#include <petscksp.h>

int main(int argc, char **argv)
{
    Mat A;
    Vec x, b;
    KSP ksp;
    PetscInt n = 60, begin, end, its;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, NULL, 5, NULL, &A));
    PetscCall(MatGetOwnershipRange(A, &begin, &end));
    for (PetscInt row = begin; row < end; row++) {
        const PetscInt i = row / n, j = row % n;
        if (i > 0)
            PetscCall(MatSetValue(A, row, row - n, -1.0, INSERT_VALUES));
        if (i < n - 1)
            PetscCall(MatSetValue(A, row, row + n, -1.0, INSERT_VALUES));
        if (j > 0)
            PetscCall(MatSetValue(A, row, row - 1, -1.0, INSERT_VALUES));
        if (j < n - 1)
            PetscCall(MatSetValue(A, row, row + 1, -1.0, INSERT_VALUES));
        PetscCall(MatSetValue(A, row, row, 4.0, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1.0));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "iterations %d\n", (int)its));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&A));
    PetscCall(PetscFinalize());
    return 0;
}
C
    # shellcheck disable=SC2046
    mpicc -O2 ksp.c -o ksp $(pkg-config --cflags --libs petsc)
    command=(./ksp -ksp_type cg -pc_type gamg)
}
findings() { grep '^iterations' "$1"; }
