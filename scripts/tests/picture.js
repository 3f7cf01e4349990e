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

function zoomed() {
	const svg = document.querySelector('#view svg'), view = document.getElementById('view');
	const click = id => document.getElementById(id).click();
	// A page that ends below the picture can't be scrolled.
	document.body.style.minHeight = '300vh';
	const width = shape(svg).width, x = 400, y = shape(view).top + 100, wrong = [];
	const at = () => [(x - shape(svg).left) / shape(svg).width, (y - shape(svg).top) / shape(svg).height];
	const before = at();
	for (let i = 0; i < 8; i++)
		view.dispatchEvent(new WheelEvent('wheel', {ctrlKey: true, deltaY: -1, clientX: x, clientY: y}));
	if (shape(svg).width < 4 * width || at().some((n, i) => Math.abs(n - before[i]) > 0.002))
		wrong.push(`what was at ${before} is at ${at()}, ${width} wide and then ${shape(svg).width}`);
	click('all');
	click('in');
	click('in');
	click('out');
	if (Math.abs(shape(svg).width - 1.5 * width) > 2)
		wrong.push(`zoomed to ${shape(svg).width} of ${width}`);
	click('all');
	if (Math.abs(shape(svg).width - width) > 1)
		wrong.push(`back to ${shape(svg).width} of ${width}`);
	document.body.style.minHeight = '';
	scrollTo(0, 0);
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
	result('zoom', zoomed());
	result('marks and merged places lead to what they tell of', marks());
	result('nothing outside, and no name over another', placed());
	result(expected.dark ? 'dark, and legible' : 'light, and legible', coloured());
} catch (e) {
	errors.push(e.stack);
}
result('no errors', errors);
const pre = document.createElement('pre');
pre.id = 'report';
pre.textContent = '\n' + report.join('\n') + '\nend of report\n';
document.body.append(pre);
