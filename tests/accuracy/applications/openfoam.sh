# OpenFOAM: the lid-driven cavity by icoFoam, decomposed into a domain for each rank.
packages='openfoam'
prepare() {
    export WM_PROJECT_DIR=/usr/share/openfoam
    mkdir -p 0 constant system
    head_of() { printf 'FoamFile { version 2.0; format ascii; class %s; object %s; }\n' "$1" "$2"; }
    { head_of volVectorField U
      echo 'dimensions [0 1 -1 0 0 0 0]; internalField uniform (0 0 0);
boundaryField { lid { type fixedValue; value uniform (1 0 0); } walls { type noSlip; } sides { type empty; } }'; } >0/U
    { head_of volScalarField p
      echo 'dimensions [0 2 -2 0 0 0 0]; internalField uniform 0;
boundaryField { lid { type zeroGradient; } walls { type zeroGradient; } sides { type empty; } }'; } >0/p
    { head_of dictionary transportProperties; echo 'nu 0.01;'; } >constant/transportProperties
    { head_of dictionary blockMeshDict
      echo 'scale 0.1;
vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 0.1) (1 0 0.1) (1 1 0.1) (0 1 0.1));
blocks (hex (0 1 2 3 4 5 6 7) (32 32 1) simpleGrading (1 1 1));
edges (); boundary (
lid { type wall; faces ((3 7 6 2)); }
walls { type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0)); }
sides { type empty; faces ((0 3 2 1) (4 5 6 7)); });'; } >system/blockMeshDict
    { head_of dictionary controlDict
      echo 'application icoFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 0.1; deltaT 0.0025;
writeControl timeStep; writeInterval 40; writeFormat ascii; timeFormat general; runTimeModifiable false;'; } >system/controlDict
    { head_of dictionary fvSchemes
      echo 'ddtSchemes { default Euler; } gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; } laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; } snGradSchemes { default orthogonal; }'; } >system/fvSchemes
    { head_of dictionary fvSolution
      echo 'solvers { p { solver PCG; preconditioner DIC; tolerance 1e-6; relTol 0.05; } pFinal { $p; relTol 0; }
U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-5; relTol 0; } }
PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }'; } >system/fvSolution
    { head_of dictionary decomposeParDict
      echo "numberOfSubdomains $ranks; method simple; simpleCoeffs { n ($(grid "$ranks" |
          tr '\n' ' ') 1); delta 0.001; }"; } >system/decomposeParDict
    blockMesh >mesh.out && decomposePar -force >>mesh.out
    command=(icoFoam -parallel)
}
findings() { grep -E '^(Time = |smoothSolver|DICPCG|time step)' "$1"; }
