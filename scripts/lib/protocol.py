# SPDX-License-Identifier: GPL-2.0
"""
Lists what a YNL specification promises to those who speak its protocol, a line
for each name with its number and type: protocol.py FILE. Documentation, and
limits that may be widened, are no promises.
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
    yield f"family {spec['name']} {spec['protocol']}"
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


if __name__ == '__main__':
    with open(sys.argv[1]) as file:
        print('\n'.join(lines(yaml.safe_load(file))))
