# SPDX-License-Identifier: GPL-2.0
"""
Runs in the guest: asks the module through the kernel's own YNL client, which
knows nothing of us but our specification, and compares its answers with those
of the ptwalk command. Prints KTAP.
"""
import ctypes
import json
import mmap
import os
import signal
import struct
import subprocess
import sys

import yaml

sys.path.insert(0, '/ynl')
from pyynl.lib import YnlFamily, NlError

SPEC = '/ynl/ptwalk.yaml'
DEVICES = '/ynl/ptwalk_device.yaml'
PAGE = mmap.PAGESIZE
KERNEL = tuple(int(x) for x in os.uname().release.split('.')[:2])

# These change with whoever else maps a file's pages at the moment.
OF_THE_MOMENT = {'exclusive', 'head-exclusive', 'maybe-shared'}

# And these of a page with reclaim, which also holds references meanwhile.
OF_THE_LISTS = {'locked', 'referenced', 'lru', 'active', 'maybe-pinned'}


def command(*args):
    """The JSON lines that ptwalk prints."""
    out = subprocess.run(['ptwalk', *args, '--json'], check=True,
                         stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in out.splitlines()]


def hexa(value):
    return '%#x' % value


def compare(what, ynl, ptwalk):
    """The differences, as lines of text."""
    if isinstance(ynl, dict) and isinstance(ptwalk, dict):
        return [line for key in sorted(ynl.keys() | ptwalk.keys(), key=str)
                for line in compare(f'{what} {key}', ynl.get(key), ptwalk.get(key))]
    if ynl != ptwalk:
        return [f'{what}: YNL has {ynl}, ptwalk {ptwalk}']
    return []


class Client:
    """What our families answer, in the terms of the command's JSON."""

    def __init__(self, spec, devices):
        self.spec = spec
        self.family = YnlFamily(spec, schema='')
        self.devices = YnlFamily(devices, schema='')
        self.info = self.family.do('info', {})
        self.page_shift = self.info['page-shift']
        self.level_shift = {x['level']: x['shift'] for x in self.info['level']}

    def const(self, name):
        return self.family.consts[name]['value']

    def name(self, enum, value):
        return self.family.consts[enum].entries_by_val[value].name

    def names(self, enum, mask):
        return {self.name(enum, bit) for bit in range(mask.bit_length()) if mask >> bit & 1}

    def bits(self, bits):
        """kind, level, list bit, aux, flags, as ptwalk_record.h has them"""
        return (self.name('kind', bits >> self.const('bits-kind-shift') & 0xff),
                bits >> self.const('bits-level-shift') & 0x7f,
                bits >> self.const('bits-list-shift') & 1,
                bits >> self.const('bits-aux-shift') & 0xff,
                self.names('flag', bits >> self.const('bits-flags-shift')))

    def record(self, bits, value, offset=0):
        kind, level, _, aux, flags = self.bits(bits)
        if kind == 'no-vma':
            return {'kind': kind}
        level = self.name('level', level)
        out = {'kind': kind, 'level': level, 'flags': flags,
               'page_size': 1 << self.level_shift[level]}
        if kind in ('swap', 'unknown'):
            out |= {'swap_type': aux, 'swap_offset': hexa(value)}
        elif kind == 'marker':
            out['marker'] = self.names('marker', value)
        elif kind not in ('none', 'bad'):
            out['pfn'] = hexa(value)
        if kind == 'present':
            out['paddr'] = hexa((value << self.page_shift) + offset)
            if 'pkeys' in self.info['features']:
                out['pkey'] = bits >> self.const('bits-pkey-shift') & 0xff
            memory_type = self.info['memory-types'][aux]
            out['memory_type'] = self.name('memory-type', memory_type)
        return out

    @staticmethod
    def vma(vma):
        out = {key.replace('-', '_'): hexa(vma[key])
               for key in ('start', 'last', 'raw-flags', 'page-prot', 'pgoff')}
        out['flags'] = vma['flags']
        out['page_size'] = 1 << vma['page-shift']
        out['pkey'] = vma.get('pkey', 0)
        if 'ops' in vma:
            out['ops'] = vma['ops']
        if vma.get('inode'):
            out['dev'] = f"{vma['dev-major']}:{vma['dev-minor']}"
            out['inode'] = vma['inode']
        return out

    def page(self, flags, counts, folio_counts, place):
        """None where the kernel counts no page as mapped"""
        if not flags | counts | folio_counts | place:
            return None
        return {'flags': self.names('page-flag', flags), 'references': counts & 0xffffffff,
                'mapcount': counts >> 32, 'folio_mapcount': folio_counts & 0xffffffff,
                'folio_entire_mapcount': folio_counts >> 32, 'order': place & 0xff,
                'node': place >> 8 & 0xffffff, 'offset': place >> 32}

    def describe(self):
        info = self.info
        return {
            'page_size': 1 << self.page_shift,
            'levels': sorted((x['level'], x['shift'], x['entries'], x['entry-size'])
                             for x in info['level']),
            'physical_bits': info['phys-bits'], 'zero_pfn': hexa(info['zero-pfn']),
            'features': info['features'], 'kinds': info['kinds'],
            'flags': info['flags'], 'vma_flags': info['vma-flags'],
            'swap_type_bits': info['swap-type-bits'],
            'swap_types': sorted((x['type'], x['kind']) for x in info['swap-type']),
            'memory_types': [self.name('memory-type', x) for x in info['memory-types']],
        }

    def translate(self, pid, addresses):
        """As many in each request as the specification allows, and then the rest."""
        spec = self.family.ops['translate'].attr_set['addresses']
        most = spec.yaml['checks']['max-len'] // 8
        while addresses:
            answered = list(self.translate_some(pid, addresses[:most]))
            yield from answered
            addresses = addresses[len(answered):]

    def translate_some(self, pid, addresses):
        reply = self.family.do('translate', {'pid': pid, 'addresses': addresses,
                                             'want-pages': True})
        vmas = [self.vma(x) for x in reply['vma']]
        words, page_words = iter(reply['translations']), iter(reply['pages'])
        pages = zip(*[page_words] * (reply['page-bytes'] // 8))
        for addr, value, bits, *entries in zip(*[words] * (reply['translation-bytes'] // 8)):
            page = self.page(*next(pages)[:4])
            out = {'vaddr': hexa(addr)} | self.record(bits, value, addr % PAGE)
            level = self.bits(bits)[1]
            out['entries'] = {}
            if out['kind'] != 'no-vma':
                out['entries'] = {self.name('level', i): hexa(entries[i])
                                  for i in range(level, 5)
                                  if self.name('level', i) in reply['levels']}
            out['vma'] = next((x for x in vmas if int(x['start'], 16) <= addr
                               <= int(x['last'], 16)), None)
            if page:
                out['page'] = page
            yield out

    def stream(self, request):
        """All messages but the first, which tells what the process is."""
        return [x for x in self.family.dump('walk', request) if 'runs' in x]

    def dump(self, pid, **limits):
        """All pages by address, and all VMAs by their start."""
        pages, vmas = {}, {}
        for message in self.stream({'pid': pid} | limits):
            addr = message['start']
            vmas[hexa(message['vma']['start'])] = self.vma(message['vma'])
            words, head = message['runs'], message['run-bytes'] // 8
            while words:
                bits, count = words[:2]
                kind, _, listed, _, _ = self.bits(bits)
                values = words[head:head + (count if listed else 1)]
                words = words[head + len(values):]
                ascends = 'present' == kind or self.is_between(kind)
                for i in range(count):
                    value = values[i] if listed else values[0] + (i if ascends else 0)
                    pages[addr] = self.record(bits, value)
                    addr += PAGE
        return pages, vmas

    def is_between(self, kind):
        entries = self.family.consts['kind'].entries
        return entries['present'].value < entries[kind].value <= \
            entries['device-exclusive'].value


def hold_kernel_still():
    """DAMON clears accessed bits and khugepaged moves pages, here and there."""
    for path, value in (('/sys/module/damon_stat/parameters/enabled', 'N'),
                        ('/sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan', '1'),
                        ('/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs',
                         '1000000')):
        if os.path.exists(path):
            with open(path, 'w') as file:
                file.write(value)


def sets(record):
    """Lists without an order, as sets; without what is of no interest here."""
    for key in ('flags', 'features', 'kinds', 'vma_flags', 'marker'):
        if key in record:
            record[key] = set(record[key])
    for key in ('type', 'pid', 'name', 'resources', 'pci_device'):
        record.pop(key, None)
    if record.get('vma'):
        sets(record['vma'])
    return record


def compare_info(client, _):
    ynl = client.describe()
    ptwalk = sets(command('info')[0])
    ptwalk['levels'] = sorted((x['level'], x['shift'], x['entries'], x['entry_size'])
                              for x in ptwalk['levels'])
    ptwalk['swap_types'] = sorted((x['type'], x['kind']) for x in ptwalk['swap_types'])
    return compare('info', ynl, {key: ptwalk.get(key) for key in ynl})


def compare_translate(client, held):
    addresses = [held.start + i * PAGE + i for i in range(0, held.pages, 7)]
    addresses += [0, 8 * PAGE - 1]
    ynl = list(client.translate(held.pid, addresses))
    ptwalk = [sets(x) for x in command('translate', '-v', str(held.pid),
                                       *map(hexa, addresses))]
    for one in ptwalk:  # what the command learns from other answers, and from sysfs
        for key in ('block', 'memory_type_index', 'node', 'pinning', 'file_in_swap'):
            one.pop(key, None)
    for one in ynl + ptwalk:
        if 'page' in one:
            one['page'].pop('references')
            one['page']['flags'] = set(one['page']['flags']) - OF_THE_LISTS
    kinds = {x['kind'] for x in ynl}
    out = [] if {'present', 'none', 'no-vma'} <= kinds else [f'only {kinds} were met']
    # ptwalk refuses an address of the kernel, and the module says that nothing is there.
    last = [x['kind'] for x in client.translate(held.pid, [held.start, (1 << 64) - 1])]
    if last[1:] != ['no-vma']:
        out.append(f'the last address of all: {last}')
    if len(ynl) != len(ptwalk):
        out.append(f'{len(ynl)} translations and {len(ptwalk)}')
    for one, other in zip(ynl, ptwalk):
        out += compare(f"translate {one['vaddr']}", one, other)
    return out


def compare_dump(client, held):
    pages, vmas = client.dump(held.pid)
    other_pages, other_vmas = {}, {}
    for line in command('dump', str(held.pid)):
        start = int(line['start'], 16)
        if line['type'] == 'vma':
            other_vmas[line['start']] = sets(line)
            continue
        ascends = 'pfn' if 'pfn' in line else 'swap_offset'
        for i in range(line['pages']):
            page = {x: line[x] for x in line if x not in ('start', 'last', 'pages')}
            for key, step in ((ascends, 1), ('paddr', PAGE)):
                if key in page:
                    page[key] = hexa(int(page[key], 16) + i * step)
            other_pages[start + i * PAGE] = sets(page)
    end = held.start + held.pages * PAGE
    for addr in list(pages) + list(other_pages):
        if not held.start <= addr < end:
            for side in (pages, other_pages):
                if addr in side:
                    side[addr]['flags'] -= OF_THE_MOMENT
    return compare('vma', vmas, other_vmas) + \
        compare('page', {hexa(x): pages[x] for x in pages},
                {hexa(x): other_pages[x] for x in other_pages})


def compare_part(client, held):
    """Limits that the client puts into the request are kept."""
    start, last = held.start + 3 * PAGE, held.start + 10 * PAGE - 1
    pages, _ = client.dump(held.pid, start=start, last=last)
    return compare('addresses', sorted(pages), list(range(start, last, PAGE)))


def compare_device(client, _):
    """The driver's own device; without an IOMMU the command ends with 3."""
    name = 'platform/ptwalk_fixture'
    ynl = client.devices.do('device', {'name': name, 'addresses': [PAGE]})
    out = subprocess.run(['ptwalk', 'iova', '--json', name], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    ptwalk = sets(json.loads(out.splitlines()[0]))
    return compare('device', {
        'device': ynl['name'], 'domain': ynl['domain'], 'flags': set(ynl['flags']),
        'dma_mask': hexa(ynl['dma-mask']), 'coherent_mask': hexa(ynl['coherent-mask']),
    }, ptwalk) + compare('bus addresses', ynl['bus-addresses'], [PAGE])


def command_line(spec, *args):
    out = subprocess.run([sys.executable, '-B', '/ynl/pyynl/cli.py', '--spec', spec,
                          '--no-schema', '--output-json', *args], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
    return json.loads(out)


def compare_command_line(client, held):
    """The command-line client has what the library has, as protocol.md shows it."""
    info = command_line(client.spec, '--do', 'info', '--json', '{}')
    out = compare('page shift', info['page-shift'], client.page_shift)
    walk = command_line(client.spec, '--dump', 'walk', '--json', json.dumps({'pid': held.pid}))
    out += [] if any('runs' in x for x in walk) else ['walk: no runs']
    request = {'pid': held.pid, 'addresses': [held.start, 0]}
    ynl = command_line(client.spec, '--do', 'translate', '--json', json.dumps(request))
    ptwalk = [sets(x) for x in command('translate', str(held.pid), hexa(held.start), '0')]
    words = ynl['translations']
    return out + compare('words', len(words), 16) + \
        compare('address', hexa(words[0]), ptwalk[0]['vaddr']) + \
        compare('value', hexa(words[1]), ptwalk[0].get('pfn', '0x0')) + \
        compare('raw flags', hexa(ynl['vma'][0]['raw-flags']),
                command('translate', '-v', str(held.pid), hexa(held.start))[0]['vma']['raw_flags'])


def compare_refusal(client, held):
    """The kernel's words of a request that is none name its attribute."""
    try:
        client.family.do('translate', {'pid': 0, 'addresses': [held.start]})
    except NlError as err:
        return compare('attribute', err.nl_msg.extack.get('bad-attr'), '.pid')
    return ['pid 0 was not refused']


def compare_policies(client, _):
    """The policies of the running kernel take what the specification says."""
    out = []
    for family, name, mode in ((client.family, 'info', 'do'),
                               (client.family, 'translate', 'do'),
                               (client.family, 'walk', 'dump'),
                               (client.devices, 'device', 'do'),
                               (client.devices, 'iova', 'dump')):
        wanted = {}
        request = family.ops[name].yaml[mode].get('request', {})
        # Of an operation without attributes there is none, which is an error.
        policy = family.get_policy(name, mode) if request else None
        told = policy.to_dict() if policy else {}
        for key in request.get('attributes', []):
            spec = family.ops[name].attr_set[key]
            checks = spec.yaml.get('checks', {})
            if spec.type == 'flag':
                wanted[key] = {'type': 'flag'}
            elif spec.type == 'binary':
                wanted[key] = {'type': 'binary'}
                # Of a limit that is no range kernels don't tell (NLA_POLICY_MAX_LEN).
                if 'max-length' in told.get(key, {}):
                    wanted[key]['max-length'] = checks['max-len']
            elif spec.type == 'string':
                wanted[key] = {'type': 'nul-string', 'max-length': checks['max-len']}
            elif spec.type == 'uint' and KERNEL < (6, 7):
                wanted[key] = {'type': 'binary'}  # with a function, which isn't told
            else:
                top = (1 << int(spec.type[1:] if spec.type != 'uint' else 64)) - 1
                wanted[key] = {'type': spec.type, 'max-value': top,
                               'min-value': checks.get('min', 0)}
        out += compare(f'policy of {name}', wanted, told)
    return out


class Held:
    """A process that holds still, with pages of several kinds."""

    def __init__(self):
        self.pages = 3 * (1 << 21) // PAGE
        reader, writer = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                self.build(writer)
            finally:
                os._exit(1)
        os.close(writer)
        self.start = struct.unpack('Q', os.read(reader, 8))[0]

    def build(self, writer):
        area = mmap.mmap(-1, self.pages * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        half = self.pages // 2
        area.madvise(mmap.MADV_NOHUGEPAGE, 0, half * PAGE)
        area.madvise(mmap.MADV_HUGEPAGE, half * PAGE, half * PAGE)
        for i in range(0, half, 2):
            if i % 8:
                area[i * PAGE] = 1
            elif i % 16:
                area[i * PAGE:i * PAGE + 1]  # the zero page
        area[self.pages * PAGE - 1] = 1
        start = ctypes.addressof(ctypes.c_char.from_buffer(area))
        os.write(writer, struct.pack('Q', start))
        signal.pause()


# What to change in the specification so that an answer is taken wrongly.
def swap_names(spec, space, one, other):
    attributes = next(x for x in spec['attribute-sets'] if x['name'] == space)['attributes']
    swap = {one: other, other: one}
    for attribute in attributes:
        attribute['name'] = swap.get(attribute['name'], attribute['name'])


def renumber(spec, name, value):
    next(x for x in spec['definitions'] if x['name'] == name)['value'] = value


def limit(spec, _, value):
    space = next(x for x in spec['attribute-sets'] if x['name'] == 'translate')
    next(x for x in space['attributes'] if x['name'] == 'pid')['checks']['min'] = value


TESTS = [
    ('info', compare_info, (swap_names, 'info', 'swap-type-bits', 'phys-bits')),
    ('translate', compare_translate, (swap_names, 'vma', 'raw-flags', 'page-prot')),
    ('dump', compare_dump, (renumber, 'bits-flags-shift', 33)),
    ('dump of a part', compare_part, (swap_names, 'walk', 'start', 'last')),
    ('device', compare_device, (swap_names, 'device', 'dma-mask', 'bus-limit')),
    ('the command-line client', compare_command_line,
     (swap_names, 'vma', 'raw-flags', 'pgoff')),
    ('a refusal', compare_refusal, (swap_names, 'translate', 'pid', 'addresses')),
    ('policies', compare_policies, (limit, 'pid', 2)),
]


def changed(name, change, args, of_devices):
    """A specification with the change, if it is the one for it."""
    if (name == DEVICES) != of_devices:
        return name
    with open(name) as file:
        spec = yaml.safe_load(file)
    change(spec, *args)
    with open('/tmp/changed.yaml', 'w') as file:
        file.write('# SPDX-License-Identifier: GPL-2.0\n')
        yaml.safe_dump(spec, file)
    return '/tmp/changed.yaml'


def attempt(test, client, held):
    """Differences that are of the moment don't last."""
    for _ in range(3):
        differences = test(client, held)
        if not differences:
            break
    return differences


def main():
    sys.stdout.reconfigure(line_buffering=True)
    hold_kernel_still()
    held = Held()
    client = Client(SPEC, DEVICES)
    print('KTAP version 1')
    print(f'1..{2 * len(TESTS)}')
    status = 0
    for i, (name, test, (change, *args)) in enumerate(TESTS):
        differences = attempt(test, client, held)
        print('not ok' if differences else 'ok', 2 * i + 1, f'{name}: YNL and ptwalk agree')

        try:
            wrong = test(Client(*(changed(file, change, args, test is compare_device)
                                  for file in (SPEC, DEVICES))), held)
        except Exception as err:
            wrong = [' '.join(repr(err).split())]
        print('ok' if wrong else 'not ok', 2 * i + 2, f'{name}: a wrong specification is noticed')
        for line in differences[:20]:
            print(f'# {line}')
        if wrong:
            print(f'# as it should: {wrong[0]}')
        if differences or not wrong:
            status = 1
    os.kill(held.pid, signal.SIGKILL)
    os.waitpid(held.pid, 0)
    return status


if __name__ == '__main__':
    sys.exit(main())
