// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the page has besides its pictures and tables: reading marks with the mouse and the arrow
// keys, hiding curves, choosing figures, stepping through a trace. Without it all is shown.
'use strict';
(() => {
  const made = (tag, attributes, parent) => {
    const element = document.createElement(tag);
    Object.assign(element, attributes);
    parent?.append(element);
    return element;
  };

  // A line under the picture that says what a mark is.
  const addReadout = (picture, hint) => {
    const readout = made('output', { className: 'readout', textContent: hint });
    readout.setAttribute('aria-live', 'polite');
    picture.after(readout);
    return readout;
  };

  const titleOf = (mark) => mark.querySelector('title')?.textContent ?? '';

  // The marks of the curves that are shown, a list for each curve.
  const shownCurves = (svg) => [...svg.querySelectorAll('.curve:not(.off)')]
    .map((curve) => [...curve.querySelectorAll('.mark')]).filter((marks) => marks.length > 0);

  const nearest = (marks, x) => marks.reduce((best, mark) =>
    Math.abs(mark.dataset.x - x) < Math.abs(best.dataset.x - x) ? mark : best);

  // The mark that a key leads to from another one: along the curve, or to the next curve.
  const markAfter = (svg, now, key) => {
    const curves = shownCurves(svg);
    if (curves.length === 0) return null;
    const row = curves.findIndex((marks) => marks.includes(now));
    if (row < 0) return curves[0][0];
    const marks = curves[row], at = marks.indexOf(now);
    switch (key) {
      case 'ArrowRight': return marks[Math.min(at + 1, marks.length - 1)];
      case 'ArrowLeft': return marks[Math.max(at - 1, 0)];
      case 'Home': return marks[0];
      case 'End': return marks[marks.length - 1];
      case 'ArrowDown': return nearest(curves[(row + 1) % curves.length], now.dataset.x);
      case 'ArrowUp': return nearest(curves[(row + curves.length - 1) % curves.length], now.dataset.x);
      default: return null;
    }
  };

  const makeReadable = (figure, svg) => {
    const readout = addReadout(figure.querySelector('.picture'), 'Arrow keys read the marks.');
    let now = null;
    const show = (mark) => {
      now?.classList.remove('now');
      now = mark;
      now.classList.add('now');
      readout.textContent = titleOf(mark);
    };
    svg.tabIndex = 0;
    svg.addEventListener('keydown', (event) => {
      const mark = markAfter(svg, now, event.key);
      if (!mark || !/^(Arrow|Home|End)/.test(event.key)) return;
      event.preventDefault();
      show(mark);
    });
    svg.addEventListener('pointerover', (event) => {
      const mark = event.target.closest('.mark');
      if (mark) show(mark);
    });
  };

  const makeLegendWork = (figure, svg) => {
    for (const item of figure.querySelectorAll('.legend li[data-curve]')) {
      const button = made('button', { type: 'button' });
      button.setAttribute('aria-pressed', 'true');
      button.append(...item.childNodes);
      item.append(button);
      button.addEventListener('click', () => {
        const curve = svg.querySelector(`.curve[data-curve="${item.dataset.curve}"]`);
        button.setAttribute('aria-pressed', String(!curve.classList.toggle('off')));
      });
    }
  };

  const makeSteps = (figure, svg, stepper) => {
    const readout = addReadout(figure.querySelector('.picture'), '');
    const range = stepper.querySelector('input');
    const steps = [...svg.querySelectorAll('.step')], rows = [...figure.querySelector('tbody').rows];
    const show = () => {
      const now = Number(range.value);
      for (const step of steps) {
        step.classList.toggle('future', Number(step.dataset.step) > now);
        step.classList.toggle('now', Number(step.dataset.step) === now);
      }
      rows.forEach((row, k) => row.classList.toggle('now', k === now));
      const [name, added, active, ...values] = [...rows[now].cells].map((cell) => cell.textContent);
      range.setAttribute('aria-valuetext', name);
      readout.textContent = `${name}${active ? `, ${active} active` : ''}: ${values.join(' ')}` +
        (added ? `; ${added}` : '');
    };
    const move = (by) => {
      range.value = String(Number(range.value) + by);
      show();
    };
    range.addEventListener('input', show);
    for (const button of stepper.querySelectorAll('button'))
      button.addEventListener('click', () => move(Number(button.dataset.move)));
    svg.tabIndex = 0;
    svg.addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      move(by);
    });
    stepper.hidden = false;
    figure.querySelector('.picture').after(stepper);
    show();
  };

  // A choice among the figures of a section, where they are many.
  const addFilter = (section) => {
    const figures = [...section.querySelectorAll('figure')];
    if (figures.length < 3) return;
    const label = made('label', { className: 'filter', textContent: 'Show ' });
    const select = made('select', {}, label);
    made('option', { value: '', textContent: 'all' }, select);
    for (const figure of figures)
      made('option', { value: figure.dataset.group, textContent: figure.dataset.group }, select);
    select.addEventListener('change', () => {
      for (const figure of figures)
        figure.hidden = select.value !== '' && figure.dataset.group !== select.value;
    });
    figures[0].before(label);
  };

  for (const figure of document.querySelectorAll('figure')) {
    const svg = figure.querySelector('.picture > svg'), stepper = figure.querySelector('.stepper');
    if (!svg) continue;
    if (stepper) makeSteps(figure, svg, stepper);
    else makeReadable(figure, svg);
    makeLegendWork(figure, svg);
  }
  document.querySelectorAll('section').forEach(addFilter);
  addEventListener('beforeprint', () => {
    for (const closed of document.querySelectorAll('details')) closed.open = true;
  });
})();
