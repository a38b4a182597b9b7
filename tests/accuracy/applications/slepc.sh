# SLEPc: four eigenvalues of a tridiagonal matrix by Krylov-Schur.
packages='libslepc-real-dev'
prepare() {
    cat >eps.c <<'C'
#include <slepceps.h>

int main(int argc, char **argv)
{
    Mat A;
    EPS eps;
    PetscInt n = 400, begin, end, found;
    PetscScalar value;
    PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, &A));
    PetscCall(MatGetOwnershipRange(A, &begin, &end));
    for (PetscInt row = begin; row < end; row++) {
        if (row > 0)
            PetscCall(MatSetValue(A, row, row - 1, -1.0, INSERT_VALUES));
        if (row < n - 1)
            PetscCall(MatSetValue(A, row, row + 1, -1.0, INSERT_VALUES));
        PetscCall(MatSetValue(A, row, row, 2.0 + row * 1e-3, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOperators(eps, A, NULL));
    PetscCall(EPSSetProblemType(eps, EPS_HEP));
    PetscCall(EPSSetDimensions(eps, 4, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &found));
    for (PetscInt i = 0; i < found && i < 4; i++) {
        PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "eigenvalue %.6f\n", (double)value));
    }
    PetscCall(EPSDestroy(&eps));
    PetscCall(MatDestroy(&A));
    PetscCall(SlepcFinalize());
    return 0;
}
C
    # shellcheck disable=SC2046
    mpicc -O2 eps.c -o eps $(pkg-config --cflags --libs slepc petsc)
    command=(./eps)
}
findings() { grep '^eigenvalue' "$1"; }
