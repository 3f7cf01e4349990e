// SPDX-License-Identifier: GPL-2.0
// What scripts/tests/picture appends to a page of ptwalk map. It tries the page as
// who reads it would, and leaves what it found as TAP in an element of its own.
// `errors` are those of the page itself, and `expected` is what must be in it.
const report = [];
// wrong: what is wrong, as a list
const result = (what, wrong) => report.push(...wrong.slice(0, 5).map(w => '# ' + w),
	(wrong.length ? 'not ok ' : 'ok ') + what);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const shape = e => e.getBoundingClientRect();
const told = e => `${e.tagName} ${e.className.baseVal ?? e.className} ${e.textContent.slice(0, 60)}`;
const title = e => e.querySelector(':scope > title')?.textContent;

function read() {
	const cells = all('g.c:not(.m)').length, wrong = [];
	if (cells !== expected.mappings)
		wrong.push(`${cells} mappings, not ${expected.mappings}`);
	for (const cell of all('g.c.m')) {
		const part = document.querySelector(cell.closest('a').getAttribute('href'));
		const nr = parseInt(title(cell));
		const named = cell.querySelector('text').textContent;
		if (all('g.c', part).length !== nr || !part.querySelector('summary').textContent.startsWith(nr) ||
		    !(named.startsWith(nr + ' mappings') || named.endsWith('×' + nr)))
			wrong.push(`${told(cell)}: not the ${nr} mappings`);
	}
	return wrong;
}

function find(word) {
	document.getElementById('find').value = word;
	document.getElementById('find').dispatchEvent(new Event('input'));
	return all('g.hit:not(.m)');
}

function searched() {
	const wrong = [], cell = all('g.c:not(.m)')[expected.mappings >> 1];
	const start = BigInt(title(cell).match(/0x[0-9a-f]+/)[0]) + 1n;
	const frame = g => getComputedStyle(g.querySelector('.o')).stroke;
	const before = frame(cell);
	for (const [word, nr] of [[expected.word, expected.found], ['no such thing', 0]]) {
		const hits = find(word);
		if (hits.length !== nr || document.getElementById('found').textContent !== nr + ' found')
			wrong.push(`${word}: ${hits.length} found, not ${nr}`);
		if (!hits.every(g => title(g).includes(word)))
			wrong.push(`${word}: another one is found`);
	}
	const hits = find('0x' + start.toString(16));
	if (hits.length !== 1 || hits[0] !== cell)
		wrong.push(`0x${start.toString(16)}: not found`);
	if (frame(cell) === before || getComputedStyle(cell).opacity !== '1')
		wrong.push('what is found looks like the rest');
	if (all('g.c:not(.hit)').some(g => getComputedStyle(g).opacity === '1'))
		wrong.push('what is not found looks as before');
	const above = cell.closest('details');
	if (above && !document.querySelector(`a[href="#${above.id}"] g.hit`))
		wrong.push('what it is merged into is not told');
	if (find('').length || all('.hit').length)
		wrong.push('without a word, something is found');
	return wrong;
}

// In another order than a user's: the events come at once.
function hovered() {
	const wrong = all('g.c, g.a, .b, a > g').filter(e => !/\d/.test(title(e))).map(told);
	for (const g of all('g[data-n]')) {
		const bands = all('.b.c' + g.dataset.n);
		g.dispatchEvent(new Event('mouseenter'));
		if (all('.b.on').length !== bands.length)
			wrong.push(told(g) + ': its bands do not show');
		g.dispatchEvent(new Event('mouseleave'));
	}
	return wrong;
}

const view = () => document.getElementById('view');
const click = id => document.getElementById(id).click();
const wheel = x => view().dispatchEvent(new WheelEvent('wheel',
	{ctrlKey: true, deltaY: -1, clientX: x, clientY: shape(view()).top + 100}));
const places = () => all('#view g[data-n]');
const wide = g => shape(g.querySelector('.o')).width;
// What is the same, but for what a browser rounds.
const near = (a, b, by = 2) => by > Math.abs(a - b);
// Each band begins at its place, and ends where it did.
function joined() {
	return all('#view .b').flatMap(b => {
		const place = places().find(g => b.classList.contains('c' + g.dataset.n));
		if (!place)
			return [told(b) + ': of no place'];
		const s = shape(place.querySelector('.o')), at = shape(document.querySelector('#view svg'));
		const from = b.getPointAtLength(0).x * at.width / document.querySelector('#view svg').viewBox.baseVal.width + at.left;
		return from > s.left - 2 && s.right + 2 > from ? [] : [told(b) + ': begins elsewhere'];
	});
}

// Places are wider, what one points at stays there, and memory is as it was.
function zoomed() {
	const wrong = [], memory = () => JSON.stringify(all('#view g.a .o').map(shape));
	const before = memory(), width = wide(places()[0]), high = shape(view()).height;
	const at = shape(places().at(-1).querySelector('.o')), x = (at.left + at.right) / 2;
	for (let i = 0; i < 8; i++)
		wheel(x);
	const now = shape(places().at(-1).querySelector('.o'));
	if (!near(now.width, at.width * 1.2 ** 8) || !(now.left < x && x < now.right))
		wrong.push(`what was at ${at.left} is at ${now.left}, ${now.width} wide`);
	if (memory() !== before || shape(view()).height > high + 1)
		wrong.push('memory is no longer in view');
	wrong.push(...joined());
	click('all');
	click('in');
	click('in');
	click('out');
	if (!near(wide(places()[0]), 1.5 * width))
		wrong.push(`zoomed to ${wide(places()[0])} of ${width}`);
	click('all');
	if (!near(wide(places()[0]), width, 1) || !document.getElementById('pan').hidden)
		wrong.push(`back to ${wide(places()[0])} of ${width}`);
	return wrong;
}

// By what is mapped: the place with most of it is the widest, and all fit.
function switched() {
	const wrong = [], select = document.getElementById('wide');
	const choose = n => {
		select.selectedIndex = n;
		select.dispatchEvent(new Event('change'));
	};
	const before = places().map(wide), end = shape(places().at(-1).querySelector('.o')).right;
	const rows = document.getElementById('data').textContent.trim().split('\n')
		.map(row => row.split('\t')).map(w => [BigInt('0x' + w[0]), parseInt(w[4])]);
	const pages = g => {
		const [from, to] = title(g).match(/0x[0-9a-f]+/g).map(BigInt);
		return rows.filter(([at]) => at >= from && at < to).reduce((sum, row) => sum + row[1], 0);
	};
	choose(1);
	const most = places().reduce((a, b) => pages(b) > pages(a) ? b : a);
	const widest = places().reduce((a, b) => wide(b) > wide(a) ? b : a);
	if (pages(widest) !== pages(most))
		wrong.push(`${told(widest)}: the widest, not ${told(most)}`);
	if (!near(shape(places().at(-1).querySelector('.o')).right, end))
		wrong.push('the last one ends elsewhere');
	wrong.push(...joined());
	choose(0);
	if (places().some((g, i) => !near(wide(g), before[i], 1)))
		wrong.push('by the logarithm again, it is another picture');
	return wrong;
}

function marks() {
	const wrong = all('svg a').filter(a => !document.querySelector(a.getAttribute('href'))).map(told);
	const told_of = parseInt(document.querySelector('h1').textContent.match(/(\d+) finding/)[1]);
	if (all('ol li').length !== told_of || !told_of !== !all('#view .mark').length)
		wrong.push(`${told_of} findings, ${all('ol li').length} explained`);
	for (const part of all('details').slice(0, 1)) {
		location.hash = part.id;
		dispatchEvent(new Event('hashchange'));
		if (!part.open)
			wrong.push('a merged place does not open');
	}
	return wrong;
}

// All in the view, names beside and not over one another.
function placed() {
	const wrong = [], page = document.documentElement;
	if (page.scrollWidth > page.clientWidth)
		wrong.push(`the page is ${page.scrollWidth} wide, the window ${page.clientWidth}`);
	all('details').forEach(d => d.open = true);
	for (const svg of all('svg')) {
		const view = shape(svg), texts = [], circles = [];
		for (const e of all('path:not(defs *), text, circle', svg)) {
			const s = shape(e);
			if (s.left < view.left - 1 || s.right > view.right + 1 ||
			    s.top < view.top - 1 || s.bottom > view.bottom + 1)
				wrong.push('outside: ' + told(e));
			if (e.tagName === 'circle')
				circles.push(s);
			else if (e.tagName === 'text' && !e.matches('.marked'))
				texts.push({e, s});
		}
		// A line is a bit higher than its letters.
		texts.forEach(({e, s}, i) => texts.slice(i + 1).forEach(({s: t}) => {
			const wide = Math.min(s.right, t.right) - Math.max(s.left, t.left);
			const high = Math.min(s.bottom, t.bottom) - Math.max(s.top, t.top);
			if (wide > Math.min(s.width, t.width) / 3 && high > Math.min(s.height, t.height) / 3)
				wrong.push('over another one: ' + told(e));
		}));
		circles.forEach((s, i) => circles.slice(i + 1).forEach(t => {
			if (Math.hypot(s.left - t.left, s.top - t.top) < s.width * 0.9)
				wrong.push('a mark over another one');
		}));
	}
	return wrong;
}

const light = colour => colour.match(/[\d.]+/g).slice(0, 3).map(v => v / 255)
	.map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
	.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);

function behind(e) {
	if (e.matches('.marked'))
		return getComputedStyle(e.previousElementSibling).fill;
	const colour = getComputedStyle(e).backgroundColor;
	return /, 0\)$/.test(colour) ? behind(e.parentElement) : colour;
}

// As WCAG has it.
function contrast(e) {
	const style = getComputedStyle(e);
	const both = [light(e.closest('svg') ? style.fill : style.color), light(behind(e))].sort((a, b) => a - b);
	return (both[1] + 0.05) / (both[0] + 0.05);
}

// Each kind of page, as one sees it who sees no colours.
function kinds() {
	const names = new Set([...document.styleSheets].flatMap(s => [...s.cssRules])
		.flatMap(r => (r.selectorText || '').match(/^\.k\w+$/) || []));
	const list = [...names].filter(n => n !== '.kunread').map(name => {
		const i = document.body.appendChild(document.createElement('i'));
		i.className = name.slice(1);
		const n = light(getComputedStyle(i).backgroundColor);
		i.remove();
		return {name, n};
	}).sort((a, b) => a.n - b.n);
	const wrong = list.flatMap((k, i) => i && (k.n + 0.05) / (list[i - 1].n + 0.05) < 1.15 ?
		[`${k.name} is as light as ${list[i - 1].name}`] : []);
	return list.length > 5 ? wrong : ['there are no kinds'];
}

function coloured() {
	const wrong = all('text, h1, h2, li, b, summary, input, button, span')
		.map(e => ({e, n: contrast(e)})).filter(c => !(c.n >= 4.5))
		.map(c => `contrast ${c.n.toFixed(1)}: ${told(c.e)}`);
	for (const e of [document.body, ...all('svg')])
		if (expected.dark ? light(behind(e)) > 0.1 : light(behind(e)) < 0.9)
			wrong.push('the background is not ' + (expected.dark ? 'dark' : 'light'));
	return wrong;
}

// The table has what the picture has, most first, and the other way round when asked.
function tabled() {
	const wrong = [], rows = () => all('#maps tbody tr');
	const column = i => rows().map(tr => tr.cells[i].textContent);
	const shown = Math.min(expected.mappings, 100), mapped = () => column(3).map(parseFloat);
	const falls = list => list.every((n, i) => !i || list[i - 1] >= n);
	if (rows().length !== shown)
		wrong.push(`${rows().length} rows, not ${shown}`);
	if (!falls(mapped()))
		wrong.push('what is mapped does not come most first');
	const click = i => all('#maps th')[i].click();
	click(3);
	if (!falls(mapped().reverse()))
		wrong.push('a click does not turn the order round');
	click(0);
	if (!falls(column(0).map(a => parseInt(a, 16)).reverse()))
		wrong.push('the addresses are not in order');
	click(3);
	const last = rows().length ? column(10).at(-1) : '';
	for (const [word, least] of [[last, 1], ['no such thing', 0]]) {
		find(word);
		if (rows().length < least || !column(10).every(name => name.includes(word)))
			wrong.push(`${word}: ${rows().length} rows`);
	}
	find('');
	const total = parseInt(document.querySelector('#kinds tfoot td:last-child').textContent);
	if (!document.querySelector('h1').textContent.includes(total + ' page'))
		wrong.push(`${total} pages are mapped by the table of kinds`);
	return wrong;
}

try {
	result('how much there is, as a table', tabled());
	result('each mapping is drawn, or merged and counted', read());
	result('search', searched());
	result('numbers of what one points at', hovered());
	result('zoom, with memory in view', zoomed());
	result('width by what is mapped', switched());
	result('marks and merged places lead to what they tell of', marks());
	result('nothing outside, and no name over another', placed());
	result('kinds differ without colours', kinds());
	result(expected.dark ? 'dark, and legible' : 'light, and legible', coloured());
} catch (e) {
	errors.push(e.stack);
}
result('no errors', errors);
const pre = document.createElement('pre');
pre.id = 'report';
pre.textContent = '\n' + report.join('\n') + '\nend of report\n';
document.body.append(pre);
