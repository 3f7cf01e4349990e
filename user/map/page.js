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
let zoom = 1;
const least = parseFloat(getComputedStyle(box.firstElementChild).minWidth);
/* The point that is x, y in the window stays there. */
function setZoom(to, x, y) {
	const svg = box.firstElementChild, old = svg.getBoundingClientRect();
	zoom = Math.max(1, Math.min(16, to));
	svg.style.width = zoom > 1 ? Math.max(box.clientWidth, least) * zoom + 'px' : '';
	const now = svg.getBoundingClientRect(), by = now.width / old.width;
	box.scrollLeft += (x - old.left) * by - (x - now.left);
	scrollBy(0, (y - old.top) * by - (y - now.top));
}
function middle(by) {
	const r = box.getBoundingClientRect();
	setZoom(zoom * by, r.left + r.width / 2, r.top);
}
$('find').oninput = search;
$('in').onclick = () => middle(1.5);
$('out').onclick = () => middle(1 / 1.5);
$('all').onclick = () => setZoom(1, 0, 0);
box.addEventListener('wheel', e => {
	if (!e.ctrlKey)
		return;
	e.preventDefault();
	setZoom(zoom * (e.deltaY > 0 ? 1 / 1.2 : 1.2), e.clientX, e.clientY);
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
