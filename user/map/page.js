/* SPDX-License-Identifier: GPL-2.0 */
/* Well-formed XML, too: neither the sign of less nor an ampersand. */
const $ = id => document.getElementById(id), box = $('view');
/* The bands of a cell. */
const mark = (g, name, yes) => document.querySelectorAll('.b.c' + g.dataset.n)
	.forEach(b => b.classList.toggle(name, yes));
/*
 * The table of mappings: sorted by what is clicked, filtered by what is searched. So
 * many rows are shown; more take a browser long.
 */
const shown = 100, body = document.querySelector('#maps tbody');
const rows = $('data').textContent.trim().split('\n').filter(line => line).map(line => {
	const word = line.split('\t');
	const mib = n => parseInt(n) * 2 ** $('data').dataset.shift / 2 ** 20;
	const start = BigInt('0x' + word[0]), end = BigInt('0x' + word[1]) + 1n;
	const name = word.slice(11).join(' '), address = '0x' + word[0];
	return {start, end, text: (address + ' ' + word[2] + ' ' + name).toLowerCase(),
		cell: [address, word[2], ...word.slice(3, 10).map(mib), parseInt(word[10]), name]};
});
let column = 3, sign = -1, wanted = rows;
function fill() {
	const key = row => column === 0 ? row.start : row.cell[column];
	const sorted = [...wanted].sort((a, b) =>
		key(a) === key(b) ? 0 : key(a) > key(b) ? sign : -sign);
	body.replaceChildren(...sorted.slice(0, shown).map(row => {
		const tr = document.createElement('tr');
		row.cell.forEach((value, i) => {
			const td = tr.insertCell();
			td.textContent = typeof value === 'string' || value === 0 || i === 9 ?
				value : value.toFixed(2);
			td.className = typeof value === 'string' ? '' : 'n';
		});
		return tr;
	}));
	$('more').textContent = sorted.length > shown ?
		'and ' + (sorted.length - shown) + ' more: search for fewer' : '';
	document.querySelectorAll('#maps th').forEach((th, i) => i === column ?
		th.setAttribute('aria-sort', sign === 1 ? 'ascending' : 'descending') :
		th.removeAttribute('aria-sort'));
}
document.querySelectorAll('#maps th').forEach((th, i) => {
	th.onclick = () => {
		sign = i === column ? -sign : th.className === 'n' ? -1 : 1;
		column = i;
		fill();
	};
});
fill();
let cells = null;
/* Only when it is needed: there may be many. */
const read = () => [...document.querySelectorAll('g.c')].map(g => {
	const text = g.querySelector('title').textContent.toLowerCase();
	const range = text.match(/0x([0-9a-f]+)-0x([0-9a-f]+)/);
	return {g, text, start: BigInt('0x' + range[1]), end: BigInt('0x' + range[2]),
		merged: g.classList.contains('m'), part: g.closest('details')};
});
function matches(cell, word, address) {
	if (address === null || cell.start > address)
		return cell.text.includes(word);
	return cell.end > address || cell.text.includes(word);
}
function search() {
	const word = $('find').value.trim().toLowerCase(), parts = new Set();
	const hex = word.match(/^(0x)?([0-9a-f]{4,16})$/);
	const address = hex ? BigInt('0x' + hex[2]) : null;
	let found = 0;
	cells = cells || read();
	for (const cell of cells) {
		const hit = word ? matches(cell, word, address) : false;
		cell.g.classList.toggle('hit', hit);
		if (!hit || cell.merged)
			continue;
		found++;
		if (cell.part)
			parts.add(cell.part.id);
	}
	wanted = word ? rows.filter(row => matches(row, word, address)) : rows;
	fill();
	for (const part of document.querySelectorAll('details')) {
		part.classList.toggle('hit', parts.has(part.id));
		const link = document.querySelector('a[href="#' + part.id + '"] g');
		if (link ? parts.has(part.id) : false)
			link.classList.add('hit');
	}
	for (const g of document.querySelectorAll('g[data-n]'))
		mark(g, 'hit', g.classList.contains('hit'));
	document.body.classList.toggle('searching', word !== '');
	$('found').textContent = word ? found + ' found' : '';
}
/*
 * The strip of mappings: each place is as wide as the logarithm of its size wants, as it
 * is drawn, or as what is mapped in it; and zooming widens all of them. Memory below
 * stays where it is, and bands follow.
 */
const svg = box.firstElementChild, pan = $('pan'), narrowest = 2, letters = 12;
const numbers = path => path.getAttribute('d').match(/-?[0-9.]+/g).map(Number);
const strip = [...svg.querySelectorAll('g[data-n]')].map(g => {
	const word = numbers(g.querySelector('.o')), text = g.querySelector('text');
	return {g, x: word[0], wide: word[2], text,
		y: text.getAttribute('transform').match(/ ([0-9]+)/)[1]};
});
const left = strip.length ? strip[0].x : 0;
const right = strip.length ? strip[strip.length - 1].x + strip[strip.length - 1].wide : 1;
const moving = [];
/* What is at x in the picture goes with the place that is there or that follows. */
const follow = (g, x) => moving.push({g, x, nr: strip.findIndex((cell, i) =>
	i === strip.length - 1 || cell.x + cell.wide >= x)});
svg.querySelectorAll('.gap').forEach(path => follow(path.parentNode, numbers(path)[0]));
svg.querySelectorAll('circle').forEach(c => follow(c.parentNode, parseFloat(c.getAttribute('cx'))));
const bands = [...svg.querySelectorAll('.b')].map(path => ({path, word: numbers(path),
	nr: strip.findIndex(cell => path.classList.contains('c' + cell.g.dataset.n))}))
	.filter(band => band.nr >= 0);
let zoom = 1, places = strip;
const byMapped = () => {
	cells = cells || read();
	const much = strip.map(cell => {
		const of = cells.find(c => c.g === cell.g);
		return rows.filter(row => row.start >= of.start ? of.end > row.start : false)
			.reduce((sum, row) => sum + row.cell[3], 0);
	});
	const all = much.reduce((sum, n) => sum + n, 0) || 1;
	const room = strip.reduce((sum, cell) => sum + cell.wide - narrowest, 0);
	let end = left;
	return strip.map((cell, i) => {
		const gap = i ? cell.x - strip[i - 1].x - strip[i - 1].wide : 0;
		const x = end + gap, wide = narrowest + room * much[i] / all;
		end = x + wide;
		return {x, wide};
	});
};
const shift = () => pan.scrollLeft * (right - left) / (pan.clientWidth || 1);
const scale = i => places[i].wide * zoom / strip[i].wide;
const place = (i, x) => left + (places[i].x - left) * zoom - shift() + (x - strip[i].x) * scale(i);
function draw() {
	strip.forEach((cell, i) => {
		const by = scale(i), to = place(i, cell.x);
		cell.g.querySelectorAll('path').forEach(path =>
			path.setAttribute('transform', 'matrix(' + by + ' 0 0 1 ' + (to - by * cell.x) + ' 0)'));
		cell.text.setAttribute('transform', 'translate(' + (to + by * cell.wide / 2 + 4) + ' ' +
			cell.y + ')rotate(-90)');
		cell.text.style.display = by * cell.wide > letters ? '' : 'none';
	});
	for (const {g, x, nr} of moving)
		g.setAttribute('transform', 'translate(' + (place(nr, x) - x) + ' 0)');
	for (const {path, word, nr} of bands) {
		const [from, top,, middle, below,,, memory, end] = word;
		const a = place(nr, from), b = place(nr, word[11]);
		path.setAttribute('d', 'M' + a + ' ' + top + 'C' + a + ' ' + middle + ' ' + below + ' ' +
			middle + ' ' + below + ' ' + memory + 'H' + end + 'C' + end + ' ' + middle + ' ' +
			b + ' ' + middle + ' ' + b + ' ' + top + 'z');
	}
}
/* The mapping that is at x in the window stays there. */
function setZoom(to, x) {
	const r = svg.getBoundingClientRect();
	const at = (x - r.left) * svg.viewBox.baseVal.width / r.width - left;
	const there = (at + shift()) / zoom;
	zoom = Math.max(1, Math.min(64, to));
	pan.hidden = zoom === 1;
	pan.firstElementChild.style.width = zoom * 100 + '%';
	pan.scrollLeft = (there * zoom - at) * pan.clientWidth / (right - left);
	draw();
}
function middle(by) {
	const r = box.getBoundingClientRect();
	setZoom(zoom * by, r.left + r.width / 2);
}
pan.onscroll = draw;
$('wide').onchange = () => {
	places = $('wide').selectedIndex ? byMapped() : strip;
	draw();
};
$('find').oninput = search;
$('in').onclick = () => middle(1.5);
$('out').onclick = () => middle(1 / 1.5);
$('all').onclick = () => setZoom(1, 0);
box.addEventListener('wheel', e => {
	if (!e.ctrlKey)
		return;
	e.preventDefault();
	setZoom(zoom * (e.deltaY > 0 ? 1 / 1.2 : 1.2), e.clientX);
}, {passive: false});
for (const g of document.querySelectorAll('g[data-n]')) {
	g.onmouseenter = () => mark(g, 'on', true);
	g.onmouseleave = () => mark(g, 'on', false);
}
function show() {
	const part = $(location.hash.slice(1));
	if (part ? part.tagName === 'DETAILS' : false)
		part.open = true;
}
addEventListener('hashchange', show);
show();
