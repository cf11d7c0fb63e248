// Runs in every frame of a page before the page's own scripts, so that a page shows the same in
// every rendering and stays where it is. Host and page meet in one object that the page can neither
// replace nor change; what it calls later is taken from the browser before a page overrides it.
(() => {
  const START = __START__; // milliseconds since 1970, put in by web_page.py
  const FRAME = 16, READS = 10000;
  const {MessageChannel, Promise, CSSStyleSheet, reportError} = window;
  const method = (owner, name) => {
    const {value, get} = Object.getOwnPropertyDescriptor(owner, name);
    return Function.prototype.call.bind(value || get);
  };
  const fontsOf = method(Document.prototype, 'fonts');
  const readyOf = method(FontFaceSet.prototype, 'ready');
  const animationsOf = method(Document.prototype, 'getAnimations');
  const select = method(Document.prototype, 'querySelectorAll');

  // A clock that stands still until it is wound. A script that waits by reading it over and over
  // would wait for ever, so after many readings in one task each further one is a millisecond.
  let now = 0, reads = 0, last = 0;
  const tasks = new Map();
  const read = () => {
    reads += 1;
    if (reads > READS) now += 1;
    return now;
  };
  const plan = (callback, delay, options) => {
    last += 1;
    const run = typeof callback === 'function' ? callback : () => (0, eval)(String(callback));
    tasks.set(last, {run, at: now + delay, every: 0, values: () => [], ...options});
    return last;
  };
  const cancel = (id) => { tasks.delete(Number(id)); };
  const milliseconds = (delay, least) => Math.min(Math.max(least, Number(delay) || 0), 2 ** 31);
  const pause = () => new Promise((done) => {
    const {port1, port2} = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(); };
    port2.postMessage(null);
  });
  const next = (until) => {
    let found = null;
    for (const [id, task] of tasks) {
      if (task.at <= until && (found === null || task.at < tasks.get(found).at)) found = id;
    }
    return found;
  };
  const wind = async (duration) => {
    const until = now + duration;
    for (let id = next(until); id !== null; id = next(until)) {
      const task = tasks.get(id);
      now = Math.max(now, task.at);
      reads = 0;
      if (task.every) task.at = now + task.every; else tasks.delete(id);
      try {
        task.run.apply(globalThis, task.values());
      } catch (error) {
        reportError(error);
      }
      await pause(); // promises are settled before the next task
    }
    now = Math.max(now, until);
  };

  // Two real frames: layout and observers (of size, of visibility) have had their turn.
  const realFrame = requestAnimationFrame.bind(window);
  const frames = () => new Promise((done) => realFrame(() => realFrame(() => done())));

  const fonts = async () => { await readyOf(fontsOf(document)); };

  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, maker) =>
      Reflect.construct(target, values.length ? values : [START + read()], maker),
    apply: () => new RealDate(START + read()).toString(),
    get: (target, key) => (key === 'now' ? () => START + read() : Reflect.get(target, key)),
  });
  Object.defineProperty(RealDate.prototype, 'constructor', {value: globalThis.Date});
  performance.now = read;
  globalThis.setTimeout = (callback, delay, ...values) =>
    plan(callback, milliseconds(delay, 1), {values: () => values});
  globalThis.setInterval = (callback, delay, ...values) => {
    const every = milliseconds(delay, 4);
    return plan(callback, every, {every, values: () => values});
  };
  globalThis.requestAnimationFrame = (callback) =>
    plan(callback, FRAME - (now % FRAME), {values: () => [now]});
  globalThis.requestIdleCallback = (callback) =>
    plan(callback, 1, {values: () => [{didTimeout: false, timeRemaining: () => FRAME}]});
  for (const name of ['Timeout', 'Interval']) globalThis[`clear${name}`] = cancel;
  globalThis.cancelAnimationFrame = globalThis.cancelIdleCallback = cancel;

  // Random numbers from one seed (Marsaglia's xorshift).
  let state = 0x2545f491;
  const word = () => {
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return state >>> 0;
  };
  const fill = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = word() & 255;
    return array;
  };
  Math.random = () => word() / 2 ** 32;
  Object.defineProperty(Crypto.prototype, 'getRandomValues', {value: fill});
  Object.defineProperty(Crypto.prototype, 'randomUUID', {value: () => {
    const hex = Array.from(fill(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0'));
    return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }});

  // The first document stays. A navigation is stopped here, before it stops the parser.
  let left = null;
  if (window === top) {
    navigation.addEventListener('navigate', (event) => {
      if (event.destination.sameDocument || !event.cancelable) return;
      left = left || event.destination.url;
      event.preventDefault();
    });
  }
  HTMLFormElement.prototype.submit = () => undefined;
  window.open = () => null;
  window.print = () => undefined;

  // What moves by other clocks: animations that end are ended, all others stop at their beginning.
  const stop = (animation) => {
    const ends = Number.isFinite(animation.effect?.getComputedTiming().endTime);
    if (ends && animation.playbackRate) animation.finish(); else animation.cancel();
  };
  const freeze = () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { caret-color: transparent !important; }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    animationsOf(document).forEach(stop);
    for (const svg of select(document, 'svg')) {
      if (svg.pauseAnimations) { svg.pauseAnimations(); svg.setCurrentTime(0); }
    }
    for (const medium of select(document, 'video, audio')) {
      medium.pause();
      if (medium.currentTime) medium.currentTime = 0;
    }
    return left;
  };
  Object.defineProperty(window, '__rerender', {
    value: Object.freeze({fonts, frames, wind, freeze}),
  });
})();
