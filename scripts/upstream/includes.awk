# Includes: each once, those of the kernel first.
/^#include/ { if (!seen[$0]++) { if (/</) theirs = theirs $0 "\n"; else own = own $0 "\n" } next }
theirs own != "" { printf "%s%s", theirs, own; theirs = own = "" }
{ print }
