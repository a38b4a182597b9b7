# secrets.sh - neither a trace nor the archive of a calibration holds secrets of the command line or
# of the environment.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
printf '#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n' >short.c
"$MPICC" -o short short.c || exit 99
export SLURM_JOB_ID=17 SLURM_JOB_COMMENT=s3cret SLURM_SPANK_X=s3cret SLURM_JWT=s3cret OMPI_MCA_plugin_x=s3cret \
    TIMELESS_TOKEN=s3cret UCX_KEY=s3cret
secrets=(--password=s3cret --token s3cret PASSWORD=s3cret --auth --api-key s3cret 'Authorization: Bearer s3cret'
    https://me:s3cret@host/path -genv API_TOKEN s3cret -env HOME h --url=ftp://s3cret@host -n 5
    -p s3cret --pw=s3cret --db-pwd s3cret MYSQL_PWD=s3cret ghp_s3cretAAAAAAAAAAAAAAAA pre=glpat-s3cretAAAAAAAAAAAA
    eyJhbGciOiJI.eyJzMmNyZXQiOiJzM2NyZXQifQ.s3cret -p 4 -p 2x2 npw=4 PWD=/tmp pw.x sk-short)
"$timeless" record -q --volume cputime --no-pack -o t.tl -- "$MPIRUN" -np 1 ./short "${secrets[@]}" || exit 99
has() { grep -aq -e "$2" "$1"; }
lacks() { [ -s "$1" ] && ! grep -a -e "$2" "$1"; }
check 'a trace has the command line' has t.tl '\./short --password=(withheld) --token (withheld) PASSWORD=(withheld) --auth'
check 'to its end' has t.tl \
    ' Authorization:(withheld) https://(withheld)@host/path -genv API_TOKEN (withheld) -env HOME h --url=ftp://(withheld)@host -n 5'
check 'without short options and tokens' has t.tl \
    ' -p (withheld) --pw=(withheld) --db-pwd (withheld) MYSQL_PWD=(withheld) (withheld) pre=(withheld) (withheld) -p 4 -p 2x2 npw=4 PWD=/tmp pw.x sk-short'
check 'without its secrets' lacks t.tl s3cret
"$timeless" calibrate noise --max-seconds 1 --archive ./token=s3cret -o noise >calibrate.log 2>&1 || { cat calibrate.log; exit 99; }
(cd token=s3cret && find . -type f -print -exec cat {} +) >all
check 'an archive has the job' has all '^SLURM_JOB_ID=17$'
check 'an archive has the names of variables' has all '^SLURM_JOB_COMMENT is set, its value withheld$'
check 'without values that may be secrets' lacks all s3cret
tap_done
