# SPDX-License-Identifier: GPL-2.0
#
# Reads a kernel log, prints what the kernel complains about, with the lines
# that follow, and exits 1 if there was anything. Of bad pages, which one bug makes of each,
# what differs from an earlier complaint in numbers only is printed without these lines.
# KNOWN_NOISE is a file with one regular expression a line: lines that match it do not
# count, and neither does the "cut here" right before one.

function known_noise(line,   i)
{
	for (i = 1; i <= patterns; i++)
		if (line ~ pattern[i])
			return 1
	return 0
}

# Whether there was such a complaint, but for numbers.
function again(line)
{
	gsub(/(0x)?[0-9a-f]*[0-9][0-9a-f]*/, "N", line)
	return line ~ /BUG: Bad page / && complained[line]++
}

BEGIN {
	while (KNOWN_NOISE && (getline line < KNOWN_NOISE) > 0)
		if (line !~ /^#/ && line != "")
			pattern[++patterns] = line

	# Where a message begins, and anywhere in it.
	start = "^(WARNING|BUG|INFO: (possible|trying to register|suspicious|rcu|task .* blocked for more|lockdep)|Oops|Internal error|Kernel panic|Bad page|UBSAN|KASAN|KCSAN|KFENCE|ODEBUG|DEBUG_LOCKS_WARN_ON|general protection|kernel BUG|kernel tried to execute|double fault|Unhandled fault|Unable to handle|unreferenced object|watchdog: BUG|refcount_t)"
	within = "(WARNING: |BUG: |kernel BUG at|Bad page (state|map)|Bad rss-counter|scheduling while atomic|bad: scheduling|unable to handle|Unable to handle kernel|Oops: |Oops \\[#|: [0-9a-f]+ .*\\[#[0-9]+\\]|Kernel panic|NULL pointer dereference|general protection fault|possible circular locking|possible recursive locking|possible irq lock inversion|inconsistent lock state|suspicious RCU usage|RCU used illegally|sleeping function called from invalid context|Voluntary context switch within RCU|lock held when returning to user space|bad unlock balance|Invalid wait context|held lock freed|detected stall|self-detected stall|rcu_preempt kthread starved|blocked for more than [0-9]+ seconds|soft lockup|hard LOCKUP|Hard LOCKUP|UBSAN: |KASAN: |KCSAN: |KFENCE: |BUG kmalloc|kmemleak: [0-9]+ new suspected|list_(add|del) corruption|refcount_t: |stack-protector: |usercopy: Kernel memory|Unused swap offset|Unused swap entry|page allocation failure|cut here|nobody cared|corrupted (page table|stack))"
	after = 40

	# For scripts/guest/console.c: "+", what a complaint looks like; "!", one after
	# which the kernel may not go on; "-", what is none.
	if (PATTERNS) {
		print "+" start "\n+" within
		print "!^(Oops|Internal error|Unable to handle|general protection|double fault|kernel BUG|illegal operation)|Oops: |Oops \\[#|BUG: (unable to handle|kernel NULL)|kernel BUG at|NULL pointer dereference"
		print "-^traps: |cut here"
		for (i = 1; i <= patterns; i++)
			print "-" pattern[i]
		exit
	}
}

{
	text = $0
	sub(/^<[0-9]+>/, "", text)
	sub(/^\[[ 0-9.]+\] ?(\[[ TC0-9]+\] ?)?/, "", text)
	# A program's own fault is not the kernel's.
	known = known_noise(text)
	bad = (text ~ start || text ~ within) && text !~ /^traps: / && !known
	if (held != "" && !known) {
		print held
		bad = 1
	}
	held = ""
	if (bad && text ~ /^-+\[ cut here \]-+$/) {
		held = text
		next
	}
	if (bad) {
		found = 1
		if (!again(text))
			show = after
		else if (show < 1)
			show = 1
	}
	if (show > 0 && shown < 400) {
		print text
		show--
		shown++
		if (!bad && text ~ /^---\[ end trace/)
			show = 0
	}
}

END {
	if (PATTERNS)
		exit 0
	if (held != "") {
		print held
		found = 1
	}
	exit found
}
