// The script of the class's page: sorts and filters the table of students. Whoever reads the page
// without it has the whole table.
#pragma once

#include <string_view>

namespace cugrade::record {

/// Rows are kept in memory with the texts of their cells, so that typing stays quick with
/// thousands.
inline constexpr std::string_view class_script = R"js(
'use strict';
(() => {
  const table = document.getElementById('students');
  const form = document.getElementById('filter');
  if (!table || !form) return;
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const rows = Array.from(body.rows, row => {
    const cells = Array.from(row.cells, cell => cell.textContent);
    return {row, cells, text: cells.join('\n').toLowerCase()};
  });
  const column = name => heads.findIndex(head => head.dataset.column === name);
  const selects = Array.from(form.querySelectorAll('select'));
  const search = form.elements.text;
  const status = document.getElementById('shown');

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = selects.filter(one => one.selectedIndex > 0)
      .map(one => [column(one.name), one.value]);
    let count = 0;
    for (const one of rows) {
      const fits = words.every(word => one.text.includes(word)) &&
        wanted.every(([at, value]) => one.cells[at] === value);
      one.row.hidden = !fits;
      if (fits) ++count;
    }
    status.textContent = `${count} of ${rows.length} shown`;
  };

  const collator = new Intl.Collator('en', {numeric: true, sensitivity: 'base'});
  const sort = at => {
    const down = heads[at].getAttribute('aria-sort') === 'ascending';
    for (const head of heads) head.removeAttribute('aria-sort');
    heads[at].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const numbers = heads[at].classList.contains('n');
    const sign = down ? -1 : 1;
    // Rows without a value come last in both directions.
    rows.sort((a, b) => {
      const x = a.cells[at], y = b.cells[at];
      if (x === '' || y === '') return (x === '') - (y === '');
      return sign * (numbers ? x - y : collator.compare(x, y));
    });
    body.append(...rows.map(one => one.row));
  };

  heads.forEach((head, at) => {
    if (!head.dataset.column) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.addEventListener('click', () => sort(at));
    head.replaceChildren(button);
  });
  form.addEventListener('input', filter);
  form.addEventListener('reset', () => setTimeout(filter));
  form.addEventListener('submit', event => event.preventDefault());
  form.hidden = false;
  filter();
})();
)js";

}  // namespace cugrade::record
