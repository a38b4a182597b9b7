# Meep: light in a bent waveguide, finite differences in time.
packages='meep-openmpi python3-meep-openmpi'
prepare() {
    cat >bend.py <<'IN'
import meep as mp

sim = mp.Simulation(
    cell_size=mp.Vector3(16, 16, 0),
    boundary_layers=[mp.PML(1.0)],
    geometry=[
        mp.Block(mp.Vector3(12, 1, mp.inf), center=mp.Vector3(-2.5, -3.5), material=mp.Medium(epsilon=12)),
        mp.Block(mp.Vector3(1, 12, mp.inf), center=mp.Vector3(3.5, 2), material=mp.Medium(epsilon=12)),
    ],
    sources=[mp.Source(mp.ContinuousSource(wavelength=2 * 11**0.5, width=20), component=mp.Ez,
                       center=mp.Vector3(-7, -3.5), size=mp.Vector3(0, 1))],
    resolution=10,
)
sim.run(until=20)
value = sim.get_field_point(mp.Ez, mp.Vector3(3.5, 0))
if mp.am_master():
    print("field %.6f" % value.real)
IN
    command=(/usr/bin/python3 bend.py)
}
findings() { grep '^field' "$1"; }
