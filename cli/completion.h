/* completion.h - completion in shells. */
#ifndef TL_COMPLETION_H
#define TL_COMPLETION_H

/* timeless completion bash|zsh: prints the shell's script. */
int completion(int argc, char **argv);

#endif
