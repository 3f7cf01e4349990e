# SPDX-License-Identifier: GPL-2.0
# Fish completion for ptwalk: commands, options and interfaces are those of its help.

function __ptwalk_pids
    echo self\tthe command itself
    __fish_complete_pids
end

# NAMEs of check --source, or of --without, with commas between them.
function __ptwalk_sources
    test "$argv" = without; or echo all
    ptwalk help check | sed -nE '/^The NAMEs/,/^$/s/^  ([^ ]+) +(.*)/\1\t\2/p'
end

# What "ptwalk explain" takes.
function __ptwalk_names
    ptwalk explain | sed -n 's/^  //p' | tr ' ' '\n' | sort -u
end

complete -c ptwalk -f
complete -c ptwalk -n __fish_use_subcommand -l version -d 'print the version'
complete -c ptwalk -l help -d 'print the help'

for __ptwalk_line in (ptwalk help 2>/dev/null | sed -nE 's/^  ([a-z]+) +(.*)  ([^ ].*)/\1\t\2\t\3/p')
    set -l command (string split \t $__ptwalk_line)
    set -l chosen "__fish_seen_subcommand_from $command[1]"
    complete -c ptwalk -n __fish_use_subcommand -a $command[1] -d $command[3]
    complete -c ptwalk -n '__fish_seen_subcommand_from help' -a $command[1]
    if string match -q 'PID*' -- $command[2]
        complete -c ptwalk -n $chosen -a '(__ptwalk_pids)'
    else if string match -q 'FILE*' -- $command[2]
        complete -c ptwalk -n $chosen -F
    end
    for line in (ptwalk help $command[1])
        string match -rq '^  (?:-(?<short>.), )?--(?<long>[a-z-]+)(?: (?<value>[A-Z]\S*))? *(?<what>.*)' -- $line
        or continue
        set -l option -c ptwalk -n $chosen -l $long -d "$what"
        test -z "$short"; or set -a option -s $short
        switch "$value"
            case ''
            case 'FILE*'
                set -a option -rF
            case 'NAME*'
                set -a option -xa "(__fish_complete_list , '__ptwalk_sources $long')"
            case 'PID*'
                set -a option -xa '(__fish_complete_list , __ptwalk_pids)'
            case '*'
                set -a option -x
        end
        complete $option
    end
end
complete -c ptwalk -n '__fish_seen_subcommand_from explain' -a '(__ptwalk_names)'
