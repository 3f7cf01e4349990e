# SPDX-License-Identifier: GPL-2.0
"""
Runs in the guest: the Python module ptwalk says of each kind of page what the command
says with --json, and the library's functions say what they are to. Prints TAP.
"""
import ctypes
import errno
import json
import os
import signal
import subprocess

import ptwalk

HELD = ('anon_every_other', 'thp', 'swapped', 'uffd_wp_marker', 'zero_page', 'file_shared',
        'hugetlb_shared', 'hwpoisoned', 'fixture_region', 'fork_before_write')
results = []


def result(what, wrong):
    results.append(not wrong)
    for line in wrong[:10]:
        print('#', line)
    print('ok' if not wrong else 'not ok', len(results), 'python:', what, flush=True)


def command(*words):
    out = subprocess.run(['ptwalk', *map(str, words), '--json'], check=True,
                         stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in out.splitlines()]


def differences(module, told):
    """Of lists of objects; what only the command can know is left out."""
    told = [{key: o[key] for key in o if key != 'file_in_swap'} for o in told]
    if len(module) != len(told):
        return [f'{len(module)} objects, and {len(told)}']
    if not told:
        return ['there is nothing to compare']
    return [f'{one} is {other}' for one, other in zip(module, told) if one != other]


def compare(name, handle):
    child = subprocess.Popen(['/selftests/hold', name], stdout=subprocess.PIPE)
    words = child.stdout.readline().split()
    if not words:
        result(f'{name} # SKIP there is none on this kernel', [])
        child.wait()
        return
    pid, start, pages = int(words[0]), int(words[1], 16), int(words[2])
    os.kill(pid, signal.SIGSTOP)
    addresses = [start + i * handle.page_size + i for i in range(min(pages, 300))] + [0]
    last = start + pages * handle.page_size - 1
    # Elsewhere are libraries, which the command has mapped, too, while it looks.
    wrong = differences(list(ptwalk.dump(pid, start, last, using=handle)),
                        command('dump', pid, f'{start:#x}-{last:#x}'))
    wrong += differences(list(handle.translate(pid, addresses)),
                         command('translate', pid, *map(hex, addresses)))
    part = list(ptwalk.walk(pid, hex(start), last, using=handle))
    if not part or part[0]['start'] != hex(start) or part[-1]['last'] != hex(last):
        wrong.append(f'a walk of {start:#x} to {last:#x} gives {part}')
    kinds = sorted({e['kind'] for e in part})
    os.kill(pid, signal.SIGCONT)
    child.kill()
    child.wait()
    result(f'{name}: dump, walk and translate of it, {", ".join(kinds)}', wrong)


def refused(error, call):
    try:
        call()
    except error as e:
        return [] if str(e) else ['there is no message']
    return ['nothing is refused']


def checked():
    """A right claim and a wrong one."""
    page = next(e for e in ptwalk.walk('self') if 'page' in e['flags'])
    wrong = []
    for pfn, status in ((int(page['pfn'], 16), 0), (int(page['pfn'], 16) + 1, 1)):
        with open('/tmp/claims', 'w') as claims:
            claims.write(f"{page['start']} {pfn * os.sysconf('SC_PAGE_SIZE'):#x}\n")
        told = list(ptwalk.check('--claims', '/tmp/claims', '--partial', os.getpid()))
        if told[-1]['type'] != 'summary' or told[-1]['status'] != status or \
                any(o['type'] == 'finding' for o in told) != bool(status):
            wrong.append(f'status {status} is {told}')
    return wrong


def closed():
    handle = ptwalk.Ptwalk()
    walk = handle.walk('self')
    next(walk)
    handle.close()
    return refused(ValueError, lambda: next(walk)) + \
        refused(ValueError, lambda: list(handle.translate('self', [0])))


def paths(handle):
    """ptwalk_vma_path(): the path that maps has of each mapping of a file, and its errors."""
    call, path, wrong, last = ptwalk._lib.ptwalk_vma_path, ctypes.create_string_buffer(4096), [], None
    call.restype, call.argtypes = ctypes.c_ssize_t, [ctypes.c_void_p, ctypes.c_int,
                                                     ctypes.c_void_p, ctypes.c_void_p,
                                                     ctypes.c_size_t]

    def expect(vma, size, length, text):
        got = call(handle._p, os.getpid(), ctypes.byref(vma), path, size)
        if got != length or size and path.value != text:
            wrong.append(f'{vma.start:#x}: {got} {path.value}, not {length} {text}')

    with open('/proc/self/maps', 'rb') as maps:
        lines = [line.rstrip(b'\n').split(b' ', 5) for line in maps]
    for span, _, _, _, inode, *name in lines:
        start, end = (int(part, 16) for part in span.split(b'-'))
        vma = ptwalk.Vma(start=start, last=end - 1, inode=int(inode))
        name = name[0].lstrip() if int(inode) else b''
        expect(vma, len(path), len(name), name)
        last = (vma, name) if name else last
    if not last:
        return ['no mapping has a file']
    vma, name = last
    expect(vma, len(name) + 1, len(name), name)
    expect(vma, len(name), -errno.ENAMETOOLONG, b'')
    expect(vma, 0, -errno.ENAMETOOLONG, None)
    vma.last += 1 << 12
    expect(vma, len(path), -errno.ESTALE, b'')
    return wrong


print('TAP version 13')
print(f'1..{len(HELD) + 7}')
with ptwalk.Ptwalk() as handle:
    for name in HELD:
        compare(name, handle)
    result('more addresses than one request takes', differences(
        list(handle.translate('self', [0] * 300)), command('translate', os.getpid(), *['0'] * 300)))
    result('paths of mappings', paths(handle))
    result('no process', refused(ProcessLookupError,
                                 lambda: list(handle.walk(2 ** 22 - 1))))
    result('a kernel thread', refused(OSError, lambda: list(handle.translate(2, [0]))))
result('check: its findings and its status', checked())
result('no summary', refused(subprocess.CalledProcessError,
                             lambda: list(ptwalk.check('--no-such-option'))))
result('a handle that was closed', closed())
raise SystemExit(not all(results))
