# SPDX-License-Identifier: GPL-2.0
"""
protocol.py FILE...

Lists what YNL specifications promise to those who speak their protocols, a line
for each name with its family, number and type. Documentation, and limits that may be
widened, are no promises.

protocol.py --table FILE...

Prints what they allow in requests as a C header, for selftests/hostile.c.
"""
import sys

import yaml


def numbered(items, first):
    """(item, number): those without a number of their own follow each other."""
    for item in items:
        item = item if isinstance(item, dict) else {'name': item}
        first = item.get('value', first)
        yield item, first
        first += 1


def kind_of(attribute):
    keys = ('type', 'sub-type', 'enum', 'enum-as-flags', 'multi-attr', 'nested-attributes')
    return ' '.join(f'{key}={attribute[key]}' for key in keys if attribute.get(key))


def lines(spec):
    yield f"protocol {spec['protocol']}"
    for definition in spec['definitions']:
        what = f"{definition['type']} {definition['name']}"
        if definition['type'] == 'const':
            yield f"{what} {definition['value']}"
        for entry, number in numbered(definition.get('entries', []),
                                      definition.get('value-start', 0)):
            yield f"{what} {entry['name']} {number}"
    for space in spec['attribute-sets']:
        for attribute, number in numbered(space['attributes'], 1):
            yield f"attribute {space['name']} {attribute['name']} {number} {kind_of(attribute)}"
    for operation, number in numbered(spec['operations']['list'], 1):
        what = f"operation {operation['name']} {number} {operation['attribute-set']}"
        for mode in ('do', 'dump'):
            for side, body in operation.get(mode, {}).items():
                if side in ('request', 'reply'):
                    for name in body['attributes']:
                        yield f'{what} {mode} {side} {name}'


def c_name(*words):
    return '_'.join(words).upper().replace('-', '_')


def limits(attribute):
    checks = attribute.get('checks', {})
    if 'min' in checks:
        yield f".min = {checks['min']}"
    if 'max-len' in checks:
        yield f".max = {checks['max-len']}"
    if 'sub-type' in attribute:
        yield f".unit = {int(attribute['sub-type'][1:]) // 8}"


def table(specs):
    operations = []
    yield HEADER
    for spec in specs:
        yield from requests(spec, operations)
    yield 'static const struct spec_operation spec_operations[] = {'
    yield from operations
    yield '};\n\n#endif /* PTWALK_TEST_SPEC_H */'


def requests(spec, operations):
    spaces = {x['name']: {y['name']: y for y in x['attributes']} for x in spec['attribute-sets']}
    for operation in spec['operations']['list']:
        name, space = operation['name'], operation['attribute-set']
        mode = 'dump' if 'dump' in operation else 'do'
        wanted = operation[mode].get('request', {}).get('attributes', [])
        start = f"{{ {c_name('ptwalk', 'cmd', name)}, {'true' if mode == 'dump' else 'false'}"
        operations.append(f'\t{start}, spec_{name}, {len(wanted)} }},' if wanted
                          else f'\t{start}, NULL, 0 }},')
        if not wanted:
            continue
        yield f'static const struct spec_attribute spec_{name}[] = {{'
        for key in wanted:
            attribute = spaces[space][key]
            fields = [c_name('ptwalk', 'a', space, key), c_name('spec', attribute['type'])]
            yield f"\t{{ {', '.join(fields + list(limits(attribute)))} }},"
        yield '};\n'


HEADER = """/* SPDX-License-Identifier: GPL-2.0 */
/* Made by scripts/protocol --update from kmod/ptwalk*.yaml. Not to be edited. */
#ifndef PTWALK_TEST_SPEC_H
#define PTWALK_TEST_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/ptwalk.h>
#include <linux/ptwalk_device.h>

enum spec_type { SPEC_FLAG, SPEC_U32, SPEC_UINT, SPEC_STRING, SPEC_BINARY };

/**
 * struct spec_attribute - what may be in a request
 * @number: Its type on the wire.
 * @type: Of its payload.
 * @min: The least value.
 * @max: The most bytes, without the NUL of a string.
 * @unit: Bytes of one element.
 */
struct spec_attribute {
	int number;
	enum spec_type type;
	unsigned int min, max, unit;
};

/**
 * struct spec_operation - a request
 * @command: Its number.
 * @is_dump: It is answered by a dump.
 * @attribute: What it may have.
 * @nr: How many those are.
 */
struct spec_operation {
	int command;
	bool is_dump;
	const struct spec_attribute *attribute;
	size_t nr;
};
"""


def main():
    as_table = sys.argv[1] == '--table'
    specs = []
    for name in sys.argv[2 if as_table else 1:]:
        with open(name) as file:
            specs.append(yaml.safe_load(file))
    listing = (f"{spec['name']} {line}" for spec in specs for line in lines(spec))
    print('\n'.join(table(specs) if as_table else listing))


if __name__ == '__main__':
    main()
