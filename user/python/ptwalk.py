# SPDX-License-Identifier: GPL-2.0
"""
Where the pages of a process really are, as the ptwalk module reads it from the page
tables: libptwalk for Python, in the words of the command's --json, ptwalk-json(7).

    import ptwalk

    for page in ptwalk.translate(pid, [0x5555555580d8]):
        print(page.get('paddr'), page['flags'])
    for extent in ptwalk.walk(pid):
        print(extent['start'], extent['pages'], extent['kind'], extent['vma'].get('name'))
    for finding in ptwalk.check(pid, '--lint'):
        print(finding)

translate(), walk() and dump() take a handle as @using, so that not each call connects
to the module anew. Addresses are numbers, or strings of hexadecimal digits as in the
answers; those of a range are its first and its last one. A process is its number, or
'self'. What fails raises OSError with the errno that libptwalk(3) lists and its message:
ProcessLookupError, PermissionError, FileNotFoundError (the module isn't loaded).

A handle is for one thread at a time.
"""
import ctypes
import json
import os
import subprocess

__all__ = ['Ptwalk', 'check', 'dump', 'translate', 'walk']

LEVELS = 5
LAST = (1 << 64) - 1
AT_ONCE = 128

u32, u64, pointer = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p


def _structure(name, *fields):
    return type(name, (ctypes.Structure,), {'_fields_': list(fields)})


# As in ptwalk.h and linux/ptwalk_record.h; of struct ptwalk_kernel what is read here.
Kernel = _structure('Kernel', ('version', u32), ('page_shift', u32), ('levels', u32),
                    ('level_shift', u32 * LEVELS), ('level_entries', u32 * LEVELS),
                    ('entry_size', u32 * LEVELS), ('flags', u32), ('kinds', u32),
                    ('vma_flags', u64), ('features', u32))
Vma = _structure('Vma', ('start', u64), ('last', u64), ('flags', u64), ('raw_flags', u64),
                 ('page_prot', u64), ('pgoff', u64), ('page_shift', u32), ('pkey', u32),
                 ('dev_major', u32), ('dev_minor', u32), ('inode', u64),
                 ('ops', ctypes.c_char * 128), ('has_policy', u32), ('policy', u32),
                 ('policy_nodes', u64), ('reserved', u64 * 2))
Translation = _structure('Translation', ('addr', u64), ('value', u64), ('bits', u64),
                         ('entry', u64 * LEVELS))
Extent = _structure('Extent', ('addr', u64), ('value', u64), ('pages', u64), ('bits', u64))

# enum ptwalk_names
NAMES = ['kind', 'level', 'flag', 'page_flag', 'marker', 'vma_flag', 'feature', 'memory_type']

_functions = {
    'ptwalk_open': (pointer,), 'ptwalk_close': (None, pointer),
    'ptwalk_error': (ctypes.c_int, pointer), 'ptwalk_strerror': (ctypes.c_char_p, pointer),
    'ptwalk_kernel': (ctypes.POINTER(Kernel), pointer),
    'ptwalk_name': (ctypes.c_char_p, ctypes.c_int, u32),
    'ptwalk_busy': (ctypes.c_int, pointer, ctypes.c_int),
    'ptwalk_translate_all': (ctypes.c_int, pointer, ctypes.c_int, pointer, ctypes.c_size_t,
                             pointer, pointer, pointer, pointer, pointer),
    'ptwalk_walk_start': (ctypes.c_int, pointer, ctypes.c_int, u64, u64, pointer),
    'ptwalk_walk_next': (ctypes.c_int, pointer, pointer, pointer),
    'ptwalk_walk_end': (None, pointer),
    'ptwalk_leaf_size': (u64, pointer, u64), 'ptwalk_memory_type': (u32, pointer, u64),
    'ptwalk_bits_kind': (u32, u64), 'ptwalk_bits_level': (u32, u64),
    'ptwalk_bits_flags': (u32, u64), 'ptwalk_bits_aux': (u32, u64),
    'ptwalk_bits_pkey': (u32, u64),
}


def _load():
    library = ctypes.CDLL('libptwalk.so.1')
    for name, (result, *arguments) in _functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_lib = _load()
_free = ctypes.CDLL(None).free
_free.restype, _free.argtypes = None, [pointer]


def _number(address):
    return int(address, 16) if isinstance(address, str) else address


def _pid(process):
    return os.getpid() if process == 'self' else int(process)


def _name(of, number, otherwise='value'):
    """The name of a number, as the command prints it."""
    name = _lib.ptwalk_name(NAMES.index(of), number)
    return name.decode() if name else f'{otherwise}_{number}'


def _mask(of, mask):
    return [_name(of, bit, 'bit') for bit in range(64) if mask >> bit & 1]


def _text(raw):
    """The name of a mapping, which may be anything but newlines."""
    try:
        return raw.replace(b'\\012', b'\n').decode()
    except UnicodeDecodeError:
        return ''.join(chr(c) if 32 <= c < 127 else '\\%03o' % c for c in raw)


class Ptwalk:
    """A connection to the module; also for with statements."""

    def __init__(self):
        self._p = _lib.ptwalk_open()
        if not self._p:
            raise MemoryError
        try:
            self._check(_lib.ptwalk_error(self._p))
        except OSError:
            self.close()
            raise
        self.kernel = Kernel.from_buffer_copy(_lib.ptwalk_kernel(self._p).contents)
        self.page_size = 1 << self.kernel.page_shift
        self.features = set(_mask('feature', self.kernel.features))

    def close(self):
        if self._p:
            _lib.ptwalk_close(self._p)
        self._p = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def _check(self, result):
        if result < 0:
            raise OSError(-result, _lib.ptwalk_strerror(self._p).decode())
        return result

    def _handle(self):
        if not self._p:
            raise ValueError('the handle is closed')
        return self._p

    def _entry(self, value, bits, offset=0):
        """What an entry holds: "entry" of ptwalk-json(7)."""
        kind = _name('kind', _lib.ptwalk_bits_kind(bits))
        e = {'kind': kind}
        if kind == 'no-vma':
            return e
        e['level'] = _name('level', _lib.ptwalk_bits_level(bits))
        e['page_size'] = _lib.ptwalk_leaf_size(self._p, bits)
        if kind == 'marker':
            e['marker'] = _mask('marker', value)
        elif kind in ('swap', 'unknown'):
            e['swap_type'] = _lib.ptwalk_bits_aux(bits)
            e['swap_offset'] = hex(value)
        elif kind not in ('none', 'bad'):
            e['pfn'] = hex(value)
        if kind == 'present':
            e['paddr'] = hex(value << self.kernel.page_shift | offset)
            number = _lib.ptwalk_memory_type(self._p, bits)
            e['memory_type'] = (_name('memory_type', number) if number else
                                'index %d' % _lib.ptwalk_bits_aux(bits))
            if 'pkeys' in self.features:
                e['pkey'] = _lib.ptwalk_bits_pkey(bits)
        e['flags'] = _mask('flag', _lib.ptwalk_bits_flags(bits))
        return e

    def _names(self, pid):
        """The names of the mappings, by their first addresses."""
        if self._check(_lib.ptwalk_busy(self._handle(), pid)):
            return {}
        names = {}
        with open(f'/proc/{pid}/maps', 'rb') as maps:
            for line in maps:
                fields = line.rstrip(b'\n').split(b' ', 5)
                if len(fields) == 6 and fields[5].strip():
                    names[int(fields[0].split(b'-')[0], 16)] = _text(fields[5].lstrip())
        return names

    def _vma(self, vma, names):
        v = {'start': hex(vma.start), 'last': hex(vma.last),
             'flags': _mask('vma_flag', vma.flags), 'raw_flags': hex(vma.raw_flags),
             'page_prot': hex(vma.page_prot), 'pgoff': hex(vma.pgoff), 'pkey': vma.pkey,
             'page_size': 1 << vma.page_shift}
        if vma.inode:
            v['dev'] = f'{vma.dev_major}:{vma.dev_minor}'
            v['inode'] = vma.inode
        if vma.ops:
            v['ops'] = vma.ops.decode(errors='replace')
        if vma.start in names:
            v['name'] = names[vma.start]
        return v

    def translate(self, process, addresses):
        """Each address as a "translation"."""
        pid, addresses = _pid(process), [_number(a) for a in addresses]
        for first in range(0, len(addresses), AT_ONCE):
            part = addresses[first:first + AT_ONCE]
            out = (Translation * len(part))()
            vmas, nr, levels = pointer(), ctypes.c_size_t(), u32()
            self._check(_lib.ptwalk_translate_all(
                self._handle(), pid, (u64 * len(part))(*part), len(part), out, None,
                ctypes.byref(vmas), ctypes.byref(nr), ctypes.byref(levels)))
            _free(vmas)
            yield from [{'type': 'translation', 'pid': pid, 'vaddr': hex(t.addr),
                         **self._entry(t.value, t.bits, t.addr % self.page_size)}
                        for t in out]

    def walk(self, process, start=0, last=LAST):
        """Pages that are mapped alike, each time as an "extent", with its "vma"."""
        pid, walk = _pid(process), pointer()
        names = self._names(pid)
        self._check(_lib.ptwalk_walk_start(self._handle(), pid, _number(start), _number(last),
                                           ctypes.byref(walk)))
        extent, vma, known, told = Extent(), ctypes.POINTER(Vma)(), None, None
        try:
            while self._check(_lib.ptwalk_walk_next(walk, ctypes.byref(extent),
                                                    ctypes.byref(vma))):
                key = (vma[0].start, vma[0].last, vma[0].flags)
                if key != known:
                    known, told = key, self._vma(vma[0], names)
                yield {'type': 'extent', 'pid': pid, 'start': hex(extent.addr),
                       'last': hex(extent.addr + extent.pages * self.page_size - 1),
                       'pages': extent.pages, **self._entry(extent.value, extent.bits),
                       'vma': told}
                self._handle()
        finally:
            # A handle that was closed has taken it along.
            if self._p:
                _lib.ptwalk_walk_end(walk)

    def dump(self, process, start=0, last=LAST):
        """The same, as ptwalk dump --json prints it: a "vma", then its extents."""
        vma = None
        for extent in self.walk(process, start, last):
            if extent['vma'] is not vma:
                vma = extent['vma']
                yield {'type': 'vma', 'pid': extent['pid'], **vma}
            del extent['vma']
            yield extent


def translate(process, addresses, using=None):
    yield from (using or Ptwalk()).translate(process, addresses)


def walk(process, start=0, last=LAST, using=None):
    yield from (using or Ptwalk()).walk(process, start, last)


def dump(process, start=0, last=LAST, using=None):
    yield from (using or Ptwalk()).dump(process, start, last)


def check(*arguments, command='ptwalk'):
    """
    What the command finds: the objects of ptwalk check --json, of which the last is the
    "summary", with its exit status. Its arguments are those of ptwalk-check(1): processes,
    '--all', ranges, options. Raises CalledProcessError if it ended without a summary.
    """
    with subprocess.Popen([command, 'check', '--json', *map(str, arguments)],
                          stdout=subprocess.PIPE) as child:
        told = None
        for line in child.stdout:
            told = json.loads(line)
            yield told
    if not told or told['type'] != 'summary':
        raise subprocess.CalledProcessError(child.returncode, child.args)
